package python

import (
	"bufio"
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pyrun-dev/pyrun/internal/wheeltest"
)

// TestInstallKilled: whenever pyrun is killed, the environment stands, nothing
// goes on working behind, and the next install clears away.
func TestInstallKilled(t *testing.T) {
	in := installation(t, "good\n", good())
	env := mustInstall(t, in)
	before := tree(t, env.Dir)
	for _, at := range []string{"", "unpacking", "compiling"} {
		cmd := exec.CommandContext(t.Context(), pretender(t, "installs"))
		cmd.Env = []string{"HOME=" + in.env("HOME"), "PYRUN_CACHE_DIR=" + in.CacheDir, "WHEELS=" + in.Index.FindLinks[0], "KILLED_AT=" + at}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if at == "" {
			for waited := time.Now(); len(working(t, env.Dir)) == 0 && time.Since(waited) < 30*time.Second; {
				time.Sleep(5 * time.Millisecond)
			}
		}
		reached := at == ""
		for lines := bufio.NewScanner(out); !reached && lines.Scan(); {
			reached = strings.HasPrefix(lines.Text(), at)
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if !reached {
			t.Fatalf("never came to %q", at)
		}
		for waited := time.Now(); len(working(t, env.Dir)) > 0; time.Sleep(10 * time.Millisecond) {
			if time.Since(waited) > time.Minute {
				t.Fatalf("%q: still at work: %q", at, working(t, env.Dir))
			}
		}
		if diff := cmp.Diff(before, tree(t, env.Dir)); diff != "" {
			t.Errorf("%q:\n%s", at, diff)
		}
		if i, err := Choose(t.Context(), in.Options); err != nil || len(i.Packages) != 1 {
			t.Errorf("%q: %v", at, err)
		}
	}
	if left, _ := filepath.Glob(env.Dir + newSuffix + "*"); len(left) == 0 {
		t.Error("nothing was left: this test no longer looks at what it thinks")
	}
	mustInstall(t, in)
	onlyThese(t, env.Dir, "env", "env"+lockSuffix, "env"+oldSuffix)
}

// working are the processes that make an environment beside dir.
func working(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range lines {
		if data, err := os.ReadFile(file); err == nil && bytes.Contains(data, []byte(dir+newSuffix)) {
			all = append(all, strings.ReplaceAll(string(data[:min(len(data), 100)]), "\x00", " "))
		}
	}
	return all
}

// TestInstallFullDisk: a disk that fills up at any point of an install is said
// in one line, and what was there stays. Its disks are mounted where nobody else
// sees them: other tests count this machine's mounts meanwhile.
func TestInstallFullDisk(t *testing.T) {
	const apart = "PYRUN_TEST_APART"
	if os.Getenv(apart) == "" {
		if os.Geteuid() != 0 {
			t.Skip("only root can mount a small disk")
		}
		embeddedInterpreter(t)
		cmd := exec.Command(os.Args[0], "-test.v", "-test.run", "^TestInstallFullDisk$", "-test.count=1")
		cmd.Env = append(os.Environ(), apart+"=1", sharedCache+"="+shared.dir)
		cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
		out, err := cmd.CombinedOutput()
		switch {
		case errors.Is(err, syscall.EPERM):
			t.Skipf("there can be no mounts of one's own here: %v", err)
		case err != nil:
			t.Errorf("%v\n%s", err, out)
		case bytes.Contains(out, []byte("--- SKIP")):
			t.Skipf("%s", out)
		}
		return
	}
	big := make([]byte, 3<<20)
	for i := range big {
		big[i] = byte(rand.Uint32()) // not to be compressed
	}
	in := installation(t, "good\n", good(), wheeltest.Wheel{Name: "big", Version: "1", Files: map[string]string{"big.bin": string(big)}})
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=2m,mode=755"); err != nil {
		t.Skipf("no small disk can be mounted: %v", err)
	}
	defer func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) }()
	in.Target = filepath.Join(disk, "env")
	env := mustInstall(t, in)
	before := tree(t, env.Dir)

	in.List = "good\nbig\n"
	noRoomLeft := func(name string) {
		t.Helper()
		_, err := Install(t.Context(), in)
		if !errors.Is(err, syscall.ENOSPC) || !strings.HasPrefix(err.Error(), "there is no room left") {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(before, tree(t, env.Dir)); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
		onlyThese(t, env.Dir, "env", "env"+lockSuffix)
	}
	noRoomLeft("while unpacking")
	in.List = "good\n"
	fill := filepath.Join(env.Dir, "lib", "filler")
	_ = os.WriteFile(fill, big, 0o644) // as far as it goes
	before = tree(t, env.Dir)
	noRoomLeft("from the start")
	if err := os.Remove(fill); err != nil {
		t.Fatal(err)
	}
	mustInstall(t, in)

	// The folder on which a disk is mounted cannot be replaced itself.
	in.Target = disk
	if _, err := Install(t.Context(), in); err == nil || !strings.Contains(err.Error(), "did not make") {
		t.Error(err)
	}
	empty := t.TempDir()
	if err := syscall.Mount("tmpfs", empty, "tmpfs", 0, "size=2m,mode=755"); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Unmount(empty, syscall.MNT_DETACH) }()
	in.Target = empty
	if _, err := Install(t.Context(), in); err == nil || !strings.Contains(err.Error(), "is a mount point") {
		t.Error(err)
	}
}
