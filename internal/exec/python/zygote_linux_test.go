package python

import (
	"encoding/binary"
	"os"
	"os/exec"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestZygoteTellsWhatARunTouches: a zygote says which memory its copies will
// touch. What it says is used unseen, so it must be pages, and more than a few.
func TestZygoteTellsWhatARunTouches(t *testing.T) {
	for _, i := range interpreters(t) {
		t.Run(i.Version, func(t *testing.T) {
			f := newFolders(t, i)
			fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
			if err != nil {
				t.Fatal(err)
			}
			theirs := os.NewFile(uintptr(fds[1]), "zygote")
			defer theirs.Close()
			argv := ZygoteCommand(i, f.harness, []string{"random", "threading"})
			c := exec.Command(i.Source, argv[1:]...)
			c.Dir, c.Env, c.Stdin, c.Stderr = f.job, f.env(), theirs, os.Stderr
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() {
				_ = unix.Close(fds[0]) // which ends it
				_ = c.Process.Kill()
				_ = c.Wait()
			}()
			if err := unix.SetsockoptTimeval(fds[0], unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Sec: int64(time.Minute / time.Second)}); err != nil {
				t.Fatal(err)
			}
			hello := make([]byte, 64<<10)
			n, err := unix.Read(fds[0], hello)
			if err != nil || n < 40 {
				t.Fatalf("%d bytes, %v", n, err)
			}
			le, page := binary.LittleEndian, uint64(os.Getpagesize())
			written, read := le.Uint32(hello[32:]), le.Uint32(hello[36:])
			if n != 40+16*int(written+read) {
				t.Fatalf("%d bytes for %d and %d spans", n, written, read)
			}
			size := uint64(0)
			for k := range int(written + read) {
				at, long := le.Uint64(hello[40+16*k:]), le.Uint64(hello[48+16*k:])
				if at%page != 0 || long%page != 0 || long == 0 || at < page || at+long > 1<<47 {
					t.Errorf("span %d: %#x of %#x", k, at, long)
				}
				if k < int(written) {
					size += long
				}
			}
			if pages := size / page; pages < 50 || pages > 5000 || read == 0 {
				t.Errorf("a run writes %d pages and reads %d spans", pages, read)
			} else {
				t.Logf("%d pages in %d spans are written, %d spans are read", pages, written, read)
			}
		})
	}
}
