//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// waiting is a machine and the pid 1 it opened ahead, which has come to its end
// of the opening.
func waiting(t *testing.T) (*Machine, *opened) {
	t.Helper()
	m := Look()
	t.Cleanup(func() { m.Close() })
	o := m.ahead.Load()
	if o == nil {
		t.Fatal("nothing was opened ahead")
	}
	<-o.done
	if o.err != nil {
		t.Fatal(o.err)
	}
	return m, o
}

// TestRestIsBounded: whatever is not a whole, sealed list that fits into its
// place ends pid 1 at that step.
func TestRestIsBounded(t *testing.T) {
	asEveryone(t)
	file := func(t *testing.T, sealed bool) int {
		f, err := memoryFile("list", 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		if err := f.Truncate(restDataAt + 4096); err != nil {
			t.Fatal(err)
		}
		if sealed {
			if err := seal(f); err != nil {
				t.Fatal(err)
			}
		}
		return int(f.Fd())
	}
	for _, c := range []struct {
		name      string
		ops, data uint32
		short     bool
		send      int // descriptors
		sealed    bool
		want      unix.Errno
	}{
		{name: "half of the sizes", ops: 80, data: 8, short: true, send: 4, sealed: true, want: unix.EPIPE},
		{name: "no descriptors", ops: 80, data: 8, send: 0, sealed: true, want: unix.EBADMSG},
		{name: "too few descriptors", ops: 80, data: 8, send: 3, sealed: true, want: unix.EBADMSG},
		{name: "a list that can still be changed", ops: 80, data: 8, send: 4, want: unix.EPERM},
		{name: "no ops", ops: 0, data: 8, send: 4, sealed: true, want: unix.EINVAL},
		{name: "no data", ops: 80, data: 0, send: 4, sealed: true, want: unix.EINVAL},
		{name: "ops over data", ops: restData - restBase, data: 8, send: 4, sealed: true, want: unix.EEXIST},
		{name: "ops without end", ops: 1<<32 - 1, data: 8, send: 4, sealed: true, want: unix.ENOMEM},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, o := waiting(t)
			m.ahead.Store(nil) // taken, as by a run
			list := file(t, c.sealed)
			fds := make([]int, c.send)
			for i := range fds {
				fds[i] = list
			}
			sizes := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, c.ops), c.data)
			if c.short {
				sizes = sizes[:4]
			}
			var control []byte
			if c.send > 0 {
				control = unix.UnixRights(fds...)
			}
			conn, err := o.r.sock.SyscallConn()
			if err != nil {
				t.Fatal(err)
			}
			var sent error
			err = conn.Write(func(fd uintptr) bool {
				sent = unix.Sendmsg(int(fd), sizes, control, nil, 0)
				return true
			})
			if err := errors.Join(err, sent); err != nil {
				t.Fatal(err)
			}
			o.r.rest = o.r.opening.rest("")
			err = o.r.settle(context.Background())
			if err := o.r.release(); err != nil {
				t.Error(err)
			}
			var e *Error
			if !errors.As(err, &e) || e.Step != "receive the rest of the list" || !errors.Is(err, c.want) {
				t.Fatalf("the error is %v, want %v", err, c.want)
			}
		})
	}
}

// TestWaitingIsDiscarded: a pid 1 that no run came for leaves nothing.
func TestWaitingIsDiscarded(t *testing.T) {
	asEveryone(t)
	once := func() {
		m, o := waiting(t)
		pid := o.r.pid
		if err := m.Close(); err != nil {
			t.Error(err)
		}
		if err := m.Close(); err != nil { // its Launcher and its door both do
			t.Error(err)
		}
		if alive(pid) {
			t.Errorf("pid 1 (%d) is still there", pid)
		}
		for _, glob := range []string{"/sys/fs/cgroup/*/pyrun-*", "/sys/fs/cgroup/*/*/pyrun-*", "/sys/fs/cgroup/pyrun-*"} {
			own, _ := filepath.Glob(fmt.Sprintf("%s-%d-*", glob, os.Getpid()))
			if len(own) > 0 {
				t.Errorf("cgroups are left: %v", own)
			}
		}
	}
	once()
	before := descriptors(t)
	for range 20 {
		once()
	}
	if after := descriptors(t); after > before {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
}

// unlimited is a meter that cannot set limits.
type unlimited struct{ meter }

func (unlimited) limit(Limits) (meter, error) {
	return nil, &Error{Step: "limit the cgroup", Err: unix.EIO}
}

// TestUnlimitedIsNotRun: pid 1 waits in a cgroup without bounds, and gets no
// script while there are none.
func TestUnlimitedIsNotRun(t *testing.T) {
	asEveryone(t)
	m, o := waiting(t)
	o.r.meter = unlimited{o.r.meter}
	l, err := New(Options{Backend: Native, Machine: m})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, err = l.Start(context.Background(), Place{}, shell("true"), Stdio{})
	var e *Error
	if !errors.As(err, &e) || e.Step != "limit the cgroup" {
		t.Fatalf("the error is %v", err)
	}
	if alive(o.r.pid) {
		t.Error("pid 1 is still there")
	}
}

// TestWaitingDiesWithHolder: it has no one else to end it.
func TestWaitingDiesWithHolder(t *testing.T) {
	if os.Getenv("PYRUN_TEST_HOLDER") != "" {
		_, o := waiting(t)
		fmt.Printf("pid %d\n", o.r.pid)
		time.Sleep(time.Minute)
	}
	asEveryone(t)
	c := exec.Command(os.Args[0], "-test.run", "^TestWaitingDiesWithHolder$", "-test.count=1")
	c.Env = append(os.Environ(), "PYRUN_TEST_HOLDER=1")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	var pid1 int
	if _, err := fmt.Fscanf(out, "pid %d\n", &pid1); err != nil {
		t.Fatal(err)
	}
	if !alive(pid1) {
		t.Fatal("it does not wait")
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	for end := time.Now().Add(20 * time.Second); alive(pid1) && !zombie(pid1); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("pid 1 (%d) survived its holder", pid1)
		}
	}
}

// TestWaitingInTheWay: a run that shows something of the folder on which the
// waiting pid 1 has put its root gets another one.
func TestWaitingInTheWay(t *testing.T) {
	asEveryone(t)
	m, o := waiting(t)
	dir, err := os.MkdirTemp(o.s.anchor, "pyrun-test-")
	if errors.Is(err, os.ErrPermission) {
		t.Skipf("only root may write to %s", o.s.anchor)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "x"), []byte("seen"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	pol := shell("grep -q seen /given/x && exit 4")
	pol.Binds = append(pol.Binds, Bind{Source: dir, Target: "/given", NoExec: true})
	pid := o.r.pid
	if _, exit := runShell(t, Options{Machine: m}, pol); exit.Code != 4 {
		t.Errorf("exit %+v", exit)
	}
	if alive(pid) {
		t.Errorf("the first pid 1 (%d) is still there", pid)
	}
}

// TestAnchor: a folder that is a mount is taken only when no other is left,
// one that hides what is to be shown never.
func TestAnchor(t *testing.T) {
	from := func(at string) []source { return []source{{Bind: Bind{Source: at}}} }
	first, err := findAnchor(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	second, err := findAnchor(from(first+"/x"), nil)
	if err != nil || second == first {
		t.Errorf("%s hides %s/x: %v", second, first, err)
	}
	if got, err := findAnchor(nil, []string{first}); err != nil || got != second {
		t.Errorf("%s is a mount, and %s was taken: %v", first, got, err)
	}
	all := anchors()
	if got, err := findAnchor(nil, all); err != nil || got != first {
		t.Errorf("all are mounts, and %s was taken: %v", got, err)
	}
	if got, err := findAnchor(from(first+"/x"), all); err != nil || got == first {
		t.Errorf("%s hides %s/x: %v", got, first, err)
	}
}
