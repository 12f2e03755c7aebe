package exec_test

// What the hostile corpus needs of the host: things to be found, eyes to see
// what a run did to it.

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

const (
	canaryDir  = "/tmp/pyrun-hostile-canary"
	canaryText = "CANARY-FILE-7f3a"
)

// open makes an executor and proves that it runs; it skips where it cannot,
// which PYRUN_REQUIRE=all forbids.
func open(t testing.TB, o exec.Options) *exec.Executor {
	t.Helper()
	o.Python = os.Getenv("PYRUN_TEST_PYTHON")
	e, err := exec.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	if _, err := e.Execute(t.Context(), exec.Request{Code: []byte("pass")}); err != nil {
		cannot(t, "no run is possible here: %v", err)
	}
	return e
}

func cannot(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("PYRUN_REQUIRE") == "all" {
		t.Fatalf("PYRUN_REQUIRE=all: "+format, args...)
	}
	t.Skipf(format, args...)
}

// prepareHost lays out the canary and listens where a script might call. The
// function it returns clears up and says whether anybody called.
func prepareHost(t *testing.T) (done func()) {
	t.Helper()
	mine := claimCanary(t)
	if err := os.WriteFile(canaryDir+"/canary.txt", []byte(canaryText), 0o644); err != nil {
		t.Fatal(err)
	}
	_ = os.Remove(canaryDir + "/sock")
	var calls atomic.Int64
	var all []net.Listener
	for _, at := range [][2]string{{"unix", canaryDir + "/sock"}, {"unix", "@pyrun-hostile-canary"}, {"tcp", "127.0.0.1:47391"}} {
		l, err := net.Listen(at[0], at[1])
		for range 600 { // the port may be somebody's end of a connection just now
			if !errors.Is(err, syscall.EADDRINUSE) {
				break
			}
			time.Sleep(100 * time.Millisecond)
			l, err = net.Listen(at[0], at[1])
		}
		if err != nil {
			t.Fatalf("listen on %s: %v", at[1], err)
		}
		all = append(all, l)
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				calls.Add(1)
				c.Close()
			}
		}()
	}
	if err := os.Chmod(canaryDir+"/sock", 0o777); err != nil {
		t.Fatal(err)
	}
	return func() {
		for _, l := range all {
			l.Close()
		}
		if n := calls.Load(); n > 0 {
			t.Errorf("%d calls reached the host's listeners", n)
		}
		if err := os.RemoveAll(canaryDir); err != nil {
			t.Error(err)
		}
		mine.Close()
	}
}

// claimCanary makes the folder and waits for other tests on this machine that
// use it: its names are the same for all.
func claimCanary(t *testing.T) *os.File {
	t.Helper()
	for {
		if err := os.MkdirAll(canaryDir, 0o755); err != nil {
			t.Fatal(err)
		}
		dir, err := os.Open(canaryDir)
		if err != nil {
			continue // just removed
		}
		if err := syscall.Flock(int(dir.Fd()), syscall.LOCK_EX); err != nil {
			t.Fatal(err)
		}
		held, err := dir.Stat()
		if err != nil {
			t.Fatal(err)
		}
		if now, err := os.Stat(canaryDir); err == nil && os.SameFile(held, now) {
			return dir
		}
		dir.Close()
	}
}

func checkCanary(t *testing.T) {
	t.Helper()
	if b, err := os.ReadFile(canaryDir + "/canary.txt"); err != nil || string(b) != canaryText {
		t.Errorf("the canary changed: %q, %v", b, err)
	}
}

// hostState is a fingerprint of what a script could have changed on the host.
func hostState() string {
	h := sha256.New()
	for _, dir := range []string{canaryDir, "/", "/etc", "/usr/bin", "/usr/lib"} {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if info, err := e.Info(); err == nil && dir != "/" {
				fmt.Fprintln(h, dir, e.Name(), info.Mode(), info.Size())
			} else {
				fmt.Fprintln(h, dir, e.Name())
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

func hostFree(t *testing.T) int64 {
	t.Helper()
	var total int64
	for _, dir := range []string{"/", "/tmp", "/dev/shm"} {
		var s syscall.Statfs_t
		if err := syscall.Statfs(dir, &s); err == nil {
			total += int64(s.Bfree) * s.Bsize
		}
	}
	return total
}

// newMark is a word on a run's command line by which its processes are known.
func newMark() string {
	var b [8]byte
	_, _ = rand.Read(b[:])
	return "mark-" + hex.EncodeToString(b[:])
}

// processesOf finds what is left of a run: its command line, or a descendant of
// this process in another pid namespace, or a zombie child of this process.
func processesOf(mark string) (left []string) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		cmdline, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		switch {
		case strings.Contains(string(cmdline), mark):
			left = append(left, e.Name()+" "+strings.ReplaceAll(string(cmdline), "\x00", " "))
		case state(pid, "State:") == "Z" && state(pid, "PPid:") == strconv.Itoa(os.Getpid()):
			left = append(left, e.Name()+" zombie")
		case len(strings.Fields(line(pid, "NSpid:"))) > len(strings.Fields(line(os.Getpid(), "NSpid:"))) && descends(pid):
			left = append(left, e.Name()+" in a namespace")
		}
	}
	return left
}

// inside are the descendants of this process in other pid namespaces.
func inside() (all []string) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err == nil && len(strings.Fields(line(pid, "NSpid:"))) > len(strings.Fields(line(os.Getpid(), "NSpid:"))) && descends(pid) {
			all = append(all, e.Name()+" "+line(pid, "Name:"))
		}
	}
	return all
}

func descends(pid int) bool {
	for range 64 {
		up, err := strconv.Atoi(state(pid, "PPid:"))
		if err != nil || up <= 1 {
			return false
		}
		if up == os.Getpid() {
			return true
		}
		pid = up
	}
	return false
}

// line is one line of a process's status; state its first word.
func line(pid int, key string) string {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for l := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(l, key); ok {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}

func state(pid int, key string) string {
	if f := strings.Fields(line(pid, key)); len(f) > 0 {
		return f[0]
	}
	return ""
}

// captureStdio returns what this process itself wrote to its stdout and stderr
// while f ran: nothing of a script may come out there.
func captureStdio(t *testing.T, f func()) []byte {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, errs := os.Stdout, os.Stderr
	os.Stdout, os.Stderr = w, w
	got := make(chan []byte, 1)
	go func() {
		b, _ := io.ReadAll(r)
		got <- b
	}()
	defer func() { os.Stdout, os.Stderr = out, errs }()
	f()
	w.Close()
	b := <-got
	r.Close()
	return slices.Clip(b)
}
