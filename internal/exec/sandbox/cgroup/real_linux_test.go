package cgroup

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// These tests use the kernel's own cgroups, where this machine and this user have any.

const childEnv = "PYRUN_CGROUP_TEST_CHILD"

func TestMain(m *testing.M) {
	if what := os.Getenv(childEnv); what != "" {
		child(what)
	}
	os.Exit(m.Run())
}

// child waits for a line, so that it is in its group before it does anything.
func child(what string) {
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		os.Exit(3)
	}
	switch what {
	case "eat":
		for range 64 { // MiB
			b := make([]byte, 4<<20)
			for i := 0; i < len(b); i += 4096 {
				b[i] = 1
			}
			fmt.Println(len(b))
			keep = append(keep, b)
		}
	case "spawn":
		for range 12 {
			if err := exec.Command("sleep", "60").Start(); errors.Is(err, syscall.EAGAIN) {
				fmt.Println("refused")
			}
		}
		fmt.Println("done")
		time.Sleep(time.Minute)
	}
	os.Exit(0)
}

var keep [][]byte // holds the memory of the eating child

func mountinfo(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// real returns the Hierarchy of this process. Where there is none the test is
// skipped; but where one is required, because CI says so and root is there to
// use it, that is a failure.
func real(t testing.TB) *Hierarchy {
	t.Helper()
	h, err := Current(mountinfo(t))
	if err == nil {
		return h
	}
	if !errors.Is(err, ErrUnavailable) {
		t.Fatal(err)
	}
	if os.Getenv("PYRUN_REQUIRE") == "all" && os.Geteuid() == 0 && machineHasMemoryControl(t) {
		t.Fatalf("PYRUN_REQUIRE is all, and this machine has memory cgroups: %v", err)
	}
	t.Skip(err)
	return nil
}

// machineHasMemoryControl reports whether some memory cgroup can be written by root here.
func machineHasMemoryControl(t testing.TB) bool {
	t.Helper()
	mounts, err := read("/proc/self/mountinfo", 4<<20)
	if err != nil {
		t.Fatal(err)
	}
	self, err := read("/proc/self/cgroup", 64<<10)
	if err != nil {
		t.Fatal(err)
	}
	at := locate(mounts, self)
	controllers, _ := read(filepath.Join(at.v2.dir, "cgroup.controllers"), 4096)
	return at.v1["memory"].dir != "" || (at.v2.dir != "" && strings.Contains(controllers, "memory"))
}

func newGroup(t testing.TB, h *Hierarchy, l Limits) *Group {
	t.Helper()
	g, err := h.New(l)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = g.Kill()
		if err := g.Close(); err != nil {
			t.Error(err)
		}
		for _, folder := range g.all {
			if _, err := os.Stat(folder); err == nil {
				t.Errorf("%s is still there", folder)
			}
		}
	})
	return g
}

// startIn starts a child of this test inside the group and lets it go.
func startIn(t *testing.T, g *Group, what string) (*exec.Cmd, io.Reader) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), childEnv+"="+what)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	fd, clone := g.FD()
	if clone {
		cmd.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: fd}
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	if !clone {
		if err := g.Add(cmd.Process.Pid); err != nil {
			t.Fatal(err)
		}
	}
	for _, folder := range g.all {
		if pids, err := members(folder); err != nil || !slices.Equal(pids, []int{cmd.Process.Pid}) {
			t.Fatalf("%s holds %v (%v), want %d", folder, pids, err, cmd.Process.Pid)
		}
	}
	if _, err := io.WriteString(in, "go\n"); err != nil {
		t.Fatal(err)
	}
	return cmd, out
}

func TestRealMemoryLimit(t *testing.T) {
	h := real(t)
	const limit = 64 << 20
	g := newGroup(t, h, Limits{Memory: limit, Processes: 50})
	cmd, out := startIn(t, g, "eat")
	text, _ := io.ReadAll(out)
	_ = cmd.Wait()
	status, _ := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !status.Signaled() || status.Signal() != syscall.SIGKILL {
		t.Errorf("%v after %d MiB", cmd.ProcessState, 4*strings.Count(string(text), "\n"))
	}
	u, err := g.Usage()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %+v", h.Mode(), u)
	if u.OOMKills < 1 || u.Peak < limit/2 || u.Peak > limit+limit/64 || u.CPU <= 0 && h.cpu != "" {
		t.Errorf("%+v", u)
	}
}

func TestRealProcessLimitAndKill(t *testing.T) {
	h := real(t)
	if !h.LimitsProcesses() {
		t.Skip("the pids cgroup cannot be written")
	}
	g := newGroup(t, h, Limits{Memory: 256 << 20, Processes: 14})
	cmd, out := startIn(t, g, "spawn")
	refused := 0
	for scan := bufio.NewScanner(out); scan.Scan() && scan.Text() != "done"; {
		refused++
	}
	before, err := members(g.memory)
	if err != nil {
		t.Fatal(err)
	}
	u, err := g.Usage()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %d members, %d refused, %+v", h.Mode(), len(before), refused, u)
	if refused == 0 || len(before) < 2 || len(before) > 14 {
		t.Errorf("%d members, %d refused, %+v", len(before), refused, u)
	}
	start := time.Now()
	if err := g.Kill(); err != nil {
		t.Fatal(err)
	}
	t.Logf("killed in %v", time.Since(start))
	_ = cmd.Wait()
	if after, err := members(g.memory); err != nil || len(after) > 0 {
		t.Errorf("after Kill: %v, %v", after, err)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
}

// Groups are made, filled and closed by many goroutines at once.
func TestRealManyAtOnce(t *testing.T) {
	h := real(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 5 {
				g, err := h.New(Limits{Memory: 32 << 20, Processes: 8})
				if err != nil {
					t.Error(err)
					return
				}
				cmd := exec.Command("sleep", "60")
				if err := cmd.Start(); err != nil {
					t.Error(err)
				} else {
					added := make(chan error)
					go func() { added <- g.Add(cmd.Process.Pid) }()
					if err := errors.Join(<-added, g.Kill()); err != nil {
						t.Error(err)
					}
					_ = cmd.Wait()
				}
				if err := g.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

// A group whose maker is gone is removed with what is in it; our own stays.
func TestRealSweep(t *testing.T) {
	h := real(t)
	own := newGroup(t, h, Limits{})
	me, err := h.host.identity()
	if err != nil || me.space == 0 {
		t.Skipf("who we are is not known: %+v, %v", me, err)
	}
	gone := owner{space: me.space, pid: me.pid, start: me.start - 1}
	// Every pyrun sweeps when it starts, those of other tests too, and may be quicker.
	swept := false
	for n := int64(1); n <= 20 && !swept; n++ {
		swept = sweepOne(t, h, gone.name(n))
	}
	if !swept {
		t.Error("swept nothing that somebody else had not")
	}
	if _, err := os.Stat(own.memory); err != nil {
		t.Errorf("our own is gone: %v", err)
	}
}

// sweepOne leaves a group with a process in it, sweeps until it is gone, and says
// whether these Sweeps did it.
func sweepOne(t *testing.T, h *Hierarchy, name string) bool {
	t.Helper()
	g := &Group{mode: h.mode, rmdir: h.host.rmdir}
	t.Cleanup(func() { _ = g.Close() })
	left := startSleep(t)
	for _, place := range h.folders() {
		g.all = append(g.all, filepath.Join(place, name))
		if err := os.Mkdir(g.all[len(g.all)-1], 0o755); err != nil {
			t.Fatal(err)
		}
	}
	g.memory = g.all[0]
	err := g.Add(left.Process.Pid)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENODEV) || errors.Is(err, syscall.ESRCH) {
		return false
	}
	if err != nil {
		t.Fatal(err)
	}
	there := func(folder string) bool { _, err := os.Stat(folder); return err == nil }
	n := h.Sweep()
	for range 20 { // what cannot be removed now stays for the next Sweep
		if !slices.ContainsFunc(g.all, there) {
			break
		}
		time.Sleep(50 * time.Millisecond)
		n += h.Sweep()
	}
	if slices.ContainsFunc(g.all, there) {
		t.Fatalf("still there: %v", g.all)
	}
	if err := left.Wait(); err == nil {
		t.Error("what was left in it was not killed")
	}
	return n > 0 // a pyrun that was killed earlier may have left more
}

// Version 2 starts, kills and removes without any controller too, so a hybrid
// machine can show that much of it.
func TestRealVersion2WithoutControllers(t *testing.T) {
	mounts, err := read("/proc/self/mountinfo", 4<<20)
	if err != nil {
		t.Skip(err)
	}
	self, err := read("/proc/self/cgroup", 64<<10)
	if err != nil {
		t.Skip(err)
	}
	at := locate(mounts, self)
	if at.v2.dir == "" {
		t.Skip("no cgroup2 is mounted for us: " + at.v2.why)
	}
	if err := writable(filepath.Join(at.v2.dir, "cgroup.procs")); err != nil {
		t.Skip(err)
	}
	h := &Hierarchy{host: system(), mode: V2, memory: at.v2.dir, settled: true}
	g := newGroup(t, h, Limits{})
	cmd, out := startIn(t, g, "spawn")
	for scan := bufio.NewScanner(out); scan.Scan() && scan.Text() != "done"; {
		t.Errorf("%s without a limit", scan.Text())
	}
	if pids, err := members(g.memory); err != nil || len(pids) != 13 {
		t.Errorf("members %v, %v", pids, err)
	}
	start := time.Now()
	if err := g.Kill(); err != nil {
		t.Fatal(err)
	}
	t.Logf("13 processes killed in %v", time.Since(start))
	_ = cmd.Wait()
	if u, err := g.Usage(); err != nil || u.CPU <= 0 {
		t.Errorf("%+v, %v", u, err)
	}
}

func BenchmarkFind(b *testing.B) {
	real(b)
	for b.Loop() {
		if _, err := Current(mountinfo(b)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSweepOfNothing(b *testing.B) {
	h := real(b)
	for b.Loop() {
		h.Sweep()
	}
}

// BenchmarkGroup reports the medians of the parts of a group's life, in microseconds.
func BenchmarkGroup(b *testing.B) {
	h := real(b)
	var parts [4][]float64
	since := func(i int, start time.Time) {
		parts[i] = append(parts[i], float64(time.Since(start).Nanoseconds())/1000)
	}
	for b.Loop() {
		start := time.Now()
		g, err := h.New(Limits{Memory: 256 << 20, Processes: 64})
		since(0, start)
		if err != nil {
			b.Fatal(err)
		}
		cmd := exec.Command("sleep", "60")
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		start = time.Now()
		err = g.Add(cmd.Process.Pid)
		since(1, start)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		start = time.Now()
		_, e := g.Usage()
		since(2, start)
		start = time.Now()
		err = errors.Join(err, e, g.Close())
		since(3, start)
		if err != nil {
			b.Fatal(err)
		}
	}
	for i, name := range []string{"new", "add", "usage", "close"} {
		slices.Sort(parts[i])
		b.ReportMetric(parts[i][len(parts[i])/2], name+"-us")
		b.ReportMetric(parts[i][len(parts[i])*99/100], name+"-p99-us")
	}
}
