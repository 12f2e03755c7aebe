package exec_test

// The corpus must be able to find missing walls. Here it runs without any, in
// a throwaway copy of the machine: own namespaces, and a root whose writes end
// in memory.

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	osexec "os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

const weakRoom = "PYRUN_HOSTILE_WEAK" // names the folder of the throwaway root

func TestMain(m *testing.M) {
	if room := os.Getenv(weakRoom); room != "" {
		if err := weakHost(room); err != nil {
			fmt.Println("FAILED", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	// What the developer has installed is not what is tested.
	os.Setenv("XDG_DATA_HOME", filepath.Join(os.TempDir(), "pyrun-no-such-folder"))
	os.Exit(m.Run())
}

// TestHostileBites wants at least 15 scripts that get through where there is no wall.
func TestHostileBites(t *testing.T) {
	open(t, exec.Options{Sandbox: "none"}) // unpacks the interpreter, if need be, outside of the copy
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	room := t.TempDir()
	cmd := osexec.Command(self)
	cmd.Env = append(os.Environ(), weakRoom+"="+room, "PYRUN_TEST_SECRET=CANARY-ENV-51c0")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
		Pdeathsig:   syscall.SIGKILL,
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		cannot(t, "no throwaway machine here: %v\n%s", err, out)
	}
	var through []string
	for l := range strings.Lines(string(out)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(l), "BREACHED "); ok {
			through = append(through, name)
		}
	}
	t.Logf("%d got through: %v", len(through), through)
	if len(through) < 15 {
		t.Errorf("only %d of the corpus got through:\n%s", len(through), out)
	}
}

// weakHost is the first process of the throwaway machine.
func weakHost(room string) error {
	signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2)
	if err := throwaway(room); err != nil {
		return err
	}
	for _, at := range []string{"@pyrun-hostile-canary", canaryDir + "/sock"} { // they only need to be there
		l, err := net.Listen("unix", at)
		if err != nil {
			return err
		}
		defer l.Close()
	}
	for range 4 { // others on the machine
		other := osexec.Command("sleep", "100")
		if err := other.Start(); err != nil {
			return err
		}
	}
	e, err := exec.New(exec.Options{Sandbox: "none", Python: os.Getenv("PYRUN_TEST_PYTHON"), MaxWorkers: 4})
	if err != nil {
		return err
	}
	t := &fatal{}
	for _, s := range scripts(t) {
		// Those that fill memory or disk would do it for real.
		if !slices.Contains(s.asserts, "no_breach") && s.name != "pr06_signal_everyone" || strings.HasPrefix(s.name, "mm") || s.name == "fs11_fill_disk" {
			continue
		}
		r := s.request(t)
		r.Limits.Wall = min(r.Limits.Wall, 5*time.Second)
		res, err := e.Execute(context.Background(), r)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		breached := false
		sc := bufio.NewScanner(strings.NewReader(res.Stdout))
		for sc.Scan() {
			breached = breached || strings.Contains(sc.Text(), "BREACH")
		}
		if breached {
			fmt.Println("BREACHED", s.name)
		} else {
			fmt.Printf("stopped %s: %s\n", s.name, res.Verdict)
		}
	}
	return nil
}

// fatal is the part of testing.TB that scripts and request need, in a process without a test.
type fatal struct{ testing.TB }

func (*fatal) Helper()                           {}
func (*fatal) Fatal(args ...any)                 { panic(fmt.Sprint(args...)) }
func (*fatal) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// throwaway makes everything this process can write to a copy in memory.
func throwaway(room string) error {
	step := func(name string, err error) error {
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	}
	if err := step("private mounts", syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, "")); err != nil {
		return err
	}
	if err := step("tmpfs", syscall.Mount("tmpfs", room, "tmpfs", 0, "size=512m")); err != nil {
		return err
	}
	root := filepath.Join(room, "root")
	if err := os.Mkdir(root, 0o755); err != nil {
		return err
	}
	for _, dir := range []string{"/tmp", "/proc", "/dev"} {
		if err := os.Mkdir(root+dir, 0o755); err != nil {
			return err
		}
	}
	entries, err := os.ReadDir("/")
	if err != nil {
		return err
	}
	for _, e := range entries {
		switch name := "/" + e.Name(); {
		case e.Type()&os.ModeSymlink != 0:
			if target, err := os.Readlink(name); err == nil {
				_ = os.Symlink(target, root+name)
			}
		case e.IsDir() && name != "/tmp" && name != "/proc" && name != "/dev" && name != "/sys":
			_ = overlay(room, name) // one that cannot be had is empty
		}
	}
	if err := step("proc", syscall.Mount("proc", root+"/proc", "proc", 0, "")); err != nil {
		return err
	}
	if cache, err := os.UserCacheDir(); err == nil {
		if err := step("cache folder", overlay(room, cache)); err != nil { // it holds the interpreter
			return err
		}
	}
	for _, dev := range []string{"null", "zero", "full", "random", "urandom"} {
		target := filepath.Join(root, "dev", dev)
		if err := os.WriteFile(target, nil, 0o644); err != nil {
			return err
		}
		if err := step(dev, syscall.Mount("/dev/"+dev, target, "", syscall.MS_BIND, "")); err != nil {
			return err
		}
	}
	for _, dir := range []string{"/dev/shm", "/dev/pts"} {
		if err := os.Mkdir(root+dir, 0o777); err != nil {
			return err
		}
	}
	if err := step("pts", syscall.Mount("devpts", root+"/dev/pts", "devpts", 0, "newinstance,ptmxmode=0666")); err != nil {
		return err
	}
	if err := os.Symlink("pts/ptmx", root+"/dev/ptmx"); err != nil {
		return err
	}
	if err := os.MkdirAll(root+canaryDir, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(root+canaryDir+"/canary.txt", []byte(canaryText), 0o644); err != nil {
		return err
	}
	if err := os.Chmod(root+"/tmp", os.ModeSticky|0o777); err != nil {
		return err
	}
	if err := step("chroot", syscall.Chroot(root)); err != nil {
		return err
	}
	if err := os.Setenv("TMPDIR", "/tmp"); err != nil {
		return err
	}
	return os.Chdir("/")
}

// overlay shows dir in the throwaway root; what is written to it stays in memory.
// A folder with mounts below it cannot be had by an ordinary user.
func overlay(room, dir string) error {
	name := strings.ReplaceAll(dir, "/", "-")
	for _, d := range []string{"root" + dir, "up" + name, "work" + name} {
		if err := os.MkdirAll(filepath.Join(room, d), 0o755); err != nil {
			return err
		}
	}
	options := fmt.Sprintf("lowerdir=%s,upperdir=%s/up%s,workdir=%s/work%s,userxattr", dir, room, name, room, name)
	return syscall.Mount("overlay", filepath.Join(room, "root", dir), "overlay", 0, options)
}
