//go:build linux

package cgroup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// fake is a plain folder laid out like the kernel's, with the files a new
// group would have. It stores what is written, and does nothing about it.
type fake struct {
	host
	dir          string
	mounts, self string
	busy         int // times that rmdir still answers EBUSY
	lacking      []string
}

const fakePid = 42

func newFake(t *testing.T, kind string) *fake {
	t.Helper()
	f := &fake{dir: t.TempDir()}
	f.host = host{proc: filepath.Join(f.dir, "proc"), pid: fakePid, mkdir: f.makeGroup, rmdir: f.removeGroup}
	f.process(t, fakePid, 1000)
	if err := os.MkdirAll(filepath.Join(f.dir, "proc", "42", "ns"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("pid:[7]", filepath.Join(f.dir, "proc", "42", "ns", "pid")); err != nil {
		t.Fatal(err)
	}
	mount := func(name, kind, options, controllers string) {
		f.mounts += fmt.Sprintf("29 23 0:25 / %s rw,relatime - %s none rw,%s\n", filepath.Join(f.dir, name), kind, options)
		f.self += "0:" + controllers + ":/own\n"
		f.put(t, name+"/own/cgroup.procs", "42\n")
	}
	if kind == "v1" || kind == "both" {
		mount("memory", "cgroup", "memory", "memory")
		mount("pids", "cgroup", "pids", "pids")
		mount("cpu,cpuacct", "cgroup", "cpu,cpuacct", "cpu,cpuacct")
	}
	if kind == "v2" || kind == "both" {
		mount("v2", "cgroup2", "nsdelegate", "")
		f.put(t, "v2/own/cgroup.controllers", "cpuset cpu io memory pids\n")
		f.put(t, "v2/own/cgroup.subtree_control", "\n")
		f.put(t, "v2/own/cgroup.type", "domain\n")
	}
	return f
}

func (f *fake) put(t *testing.T, file, text string) {
	t.Helper()
	path := filepath.Join(f.dir, file)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (f *fake) get(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(f.dir, file))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// process gives the fake /proc a process with a name that tries to confuse its reader.
func (f *fake) process(t *testing.T, pid int, start uint64) {
	t.Helper()
	f.put(t, fmt.Sprintf("proc/%d/stat", pid), fmt.Sprintf("%d (a) S 9 (b) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 %d 20 21 22\n", pid, start))
}

func (f *fake) makeGroup(path string) error {
	if err := os.Mkdir(path, 0o755); err != nil {
		return err
	}
	files := []string{
		"cgroup.procs", "pids.max", "pids.events", "memory.limit_in_bytes", "memory.memsw.limit_in_bytes", "memory.swappiness",
		"memory.oom_control", "memory.max_usage_in_bytes", "cpuacct.usage",
	}
	if strings.HasPrefix(path, filepath.Join(f.dir, "v2")) {
		files = []string{
			"cgroup.procs", "cgroup.kill", "cgroup.events", "pids.max", "pids.events", "memory.max", "memory.swap.max",
			"memory.oom.group", "memory.peak", "memory.events", "cpu.stat",
		}
	}
	for _, name := range files {
		if err := os.WriteFile(filepath.Join(path, name), nil, 0o644); err != nil {
			return err
		}
	}
	for _, name := range f.lacking {
		_ = os.Remove(filepath.Join(path, name))
	}
	return nil
}

func (f *fake) removeGroup(path string) error {
	if f.busy > 0 {
		f.busy--
		return &fs.PathError{Op: "rmdir", Path: path, Err: syscall.EBUSY}
	}
	if _, err := os.Stat(path); err != nil {
		return err
	}
	return os.RemoveAll(path)
}

func (f *fake) find(t *testing.T) *Hierarchy {
	t.Helper()
	h, err := find(f.host, f.mounts, f.self)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// groups lists the folders in all hierarchies that are ours by name.
func (f *fake) groups(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(f.dir, "*", "own", "*pyrun*"))
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range found {
		found[i] = strings.TrimPrefix(s, f.dir+"/")
	}
	return found
}

func TestGroupV1(t *testing.T) {
	f := newFake(t, "v1")
	g, err := f.find(t).New(Limits{Memory: 64 << 20, Processes: 9})
	if err != nil {
		t.Fatal(err)
	}
	name := "pyrun-7-42-1000-1"
	if diff := cmp.Diff([]string{"cpu,cpuacct/own/" + name, "memory/own/" + name, "pids/own/" + name}, f.groups(t)); diff != "" {
		t.Fatal(diff)
	}
	if err := g.Add(4711); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		"memory/own/" + name + "/memory.limit_in_bytes":       "67108864",
		"memory/own/" + name + "/memory.memsw.limit_in_bytes": "67108864",
		"memory/own/" + name + "/memory.swappiness":           "",
		"memory/own/" + name + "/cgroup.procs":                "4711",
		"pids/own/" + name + "/cgroup.procs":                  "4711",
		"cpu,cpuacct/own/" + name + "/cgroup.procs":           "4711",
		"pids/own/" + name + "/pids.max":                      "9",
		"memory/own/cgroup.procs":                             "42\n",
	} {
		if got := f.get(t, file); got != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
	if fd, ok := g.FD(); ok {
		t.Errorf("version 1 has no descriptor, got %d", fd)
	}
	f.put(t, "memory/own/"+name+"/memory.max_usage_in_bytes", "12345\n")
	f.put(t, "memory/own/"+name+"/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n")
	f.put(t, "cpu,cpuacct/own/"+name+"/cpuacct.usage", "1500000\n")
	u, err := g.Usage()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Usage{Peak: 12345, OOMKills: 2, CPU: 1500 * time.Microsecond}, u); diff != "" {
		t.Error(diff)
	}
	f.busy = 5
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	if left := f.groups(t); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if err := g.Close(); err != nil {
		t.Errorf("the second Close: %v", err)
	}
}

// TestLimitLater: a group that was made without bounds gets the same ones.
func TestLimitLater(t *testing.T) {
	for version, want := range map[string]map[string]string{
		"v1": {"memory/own/%s/memory.limit_in_bytes": "67108864", "memory/own/%s/memory.memsw.limit_in_bytes": "67108864", "pids/own/%s/pids.max": "9"},
		"v2": {"v2/own/%s/memory.max": "67108864", "v2/own/%s/memory.swap.max": "0", "v2/own/%s/pids.max": "9"},
	} {
		t.Run(version, func(t *testing.T) {
			f := newFake(t, version)
			g, err := f.find(t).New(Limits{})
			if err != nil {
				t.Fatal(err)
			}
			name := filepath.Base(g.memory)
			for file := range want {
				if got := f.get(t, fmt.Sprintf(file, name)); got != "" {
					t.Errorf("%s: %q before there are limits", file, got)
				}
			}
			if err := g.Limit(Limits{Memory: 64 << 20, Processes: 9}); err != nil {
				t.Fatal(err)
			}
			for file, value := range want {
				if got := f.get(t, fmt.Sprintf(file, name)); got != value {
					t.Errorf("%s: %q, want %q", file, got, value)
				}
			}
			if err := os.RemoveAll(g.memory); err != nil {
				t.Fatal(err)
			}
			if err := g.Limit(Limits{Memory: 1 << 20}); err == nil || errors.Is(err, ErrUnavailable) {
				t.Errorf("a group that is gone was limited: %v", err)
			}
		})
	}
}

func TestGroupV2(t *testing.T) {
	f := newFake(t, "v2")
	h := f.find(t)
	if groups := f.groups(t); len(groups) > 0 || f.get(t, "v2/own/cgroup.subtree_control") != "\n" {
		t.Fatalf("finding has changed something: %v", groups)
	}
	g, err := h.New(Limits{Memory: 64 << 20, Processes: 9})
	if err != nil {
		t.Fatal(err)
	}
	leaf, own := "v2/own/pyrun-7-42-1000-0", "v2/own/pyrun-7-42-1000-1"
	for file, want := range map[string]string{
		leaf + "/cgroup.procs":          "42",
		"v2/own/cgroup.subtree_control": "+memory +pids",
		own + "/memory.max":             "67108864",
		own + "/memory.swap.max":        "0",
		own + "/memory.oom.group":       "1",
		own + "/pids.max":               "9",
		own + "/cgroup.procs":           "",
	} {
		if got := f.get(t, file); got != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
	if fd, ok := g.FD(); !ok || fd < 3 {
		t.Errorf("descriptor %d, %t", fd, ok)
	}
	doors, err := g.Doors()
	if err != nil || len(doors) != 1 {
		t.Fatalf("%d ways in, %v", len(doors), err)
	}
	if _, err := doors[0].WriteString("0"); err != nil || f.get(t, own+"/cgroup.procs") != "0" {
		t.Errorf("the way in leads elsewhere: %v", err)
	}
	_ = doors[0].Close()
	f.put(t, own+"/cgroup.procs", "")
	f.put(t, own+"/memory.peak", "999\n")
	f.put(t, own+"/memory.events", "low 0\nhigh 0\nmax 4\noom 1\noom_kill 3\noom_group_kill 1\n")
	f.put(t, own+"/cpu.stat", "usage_usec 2500\nuser_usec 1\n")
	u, err := g.Usage()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Usage{Peak: 999, OOMKills: 3, CPU: 2500 * time.Microsecond}, u); diff != "" {
		t.Error(diff)
	}
	if err := g.Kill(); err != nil || f.get(t, own+"/cgroup.kill") != "1" {
		t.Errorf("kill: %v", err)
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}

	// A second Hierarchy of the same process finds itself in the leaf.
	f.self = "0::/own/pyrun-7-42-1000-0\n"
	again := f.find(t)
	if again.memory != h.memory || again.leaf != h.leaf {
		t.Errorf("%+v", again)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	if f.get(t, "v2/own/cgroup.subtree_control") != "-memory -pids" || strings.TrimSpace(f.get(t, "v2/own/cgroup.procs")) != "42" || len(f.groups(t)) > 0 {
		t.Errorf("not as it was: %v", f.groups(t))
	}
}

func TestTwoHierarchiesOfOneProcessDoNotClash(t *testing.T) {
	f := newFake(t, "v1")
	a, b := f.find(t), f.find(t)
	for _, h := range []*Hierarchy{a, b, a, b} {
		if _, err := h.New(Limits{}); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(f.groups(t)); n != 4*3 {
		t.Errorf("%d folders", n)
	}
}

func TestNewFailures(t *testing.T) {
	denied := func(path string) error { return &fs.PathError{Op: "mkdir", Path: path, Err: syscall.EACCES} }
	for name, c := range map[string]struct {
		kind        string
		change      func(t *testing.T, f *fake, h *Hierarchy)
		unavailable bool
		want        string
	}{
		"mkdir refused":           {"v1", func(_ *testing.T, _ *fake, h *Hierarchy) { h.host.mkdir = denied }, true, "permission denied"},
		"no limit file":           {"v1", func(_ *testing.T, f *fake, _ *Hierarchy) { f.lacking = []string{"memory.limit_in_bytes"} }, false, "memory.limit_in_bytes"},
		"no pids.max":             {"v1", func(_ *testing.T, f *fake, _ *Hierarchy) { f.lacking = []string{"pids.max"} }, false, "pids.max"},
		"leaf refused":            {"v2", func(_ *testing.T, _ *fake, h *Hierarchy) { h.host.mkdir = denied }, true, "permission denied"},
		"somebody came meanwhile": {"v2", func(t *testing.T, f *fake, _ *Hierarchy) { f.put(t, "v2/own/cgroup.procs", "42\n43\n") }, true, "1 other"},
		"controllers refused": {"v2", func(t *testing.T, f *fake, h *Hierarchy) {
			mkdir := h.host.mkdir
			h.host.mkdir = func(path string) error {
				control := filepath.Join(f.dir, "v2/own/cgroup.subtree_control")
				return errors.Join(mkdir(path), os.Remove(control), os.Mkdir(control, 0o755))
			}
		}, true, "is a directory"},
		"no proc": {"v1", func(t *testing.T, f *fake, _ *Hierarchy) { _ = os.RemoveAll(filepath.Join(f.dir, "proc")) }, false, "start time"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t, c.kind)
			h := f.find(t)
			c.change(t, f, h)
			g, err := h.New(Limits{Memory: 1 << 20, Processes: 3})
			if err == nil || g != nil || !strings.Contains(err.Error(), c.want) || errors.Is(err, ErrUnavailable) != c.unavailable {
				t.Errorf("%v, %v", g, err)
			}
			if left := f.groups(t); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// Without counting of swap, version 1 is told not to use any.
func TestNoSwapAccounting(t *testing.T) {
	f := newFake(t, "v1")
	f.lacking = []string{"memory.memsw.limit_in_bytes"}
	if _, err := f.find(t).New(Limits{Memory: 1 << 20}); err != nil {
		t.Fatal(err)
	}
	if got := f.get(t, "memory/own/pyrun-7-42-1000-1/memory.swappiness"); got != "0" {
		t.Errorf("swappiness %q", got)
	}
}

func TestAddRefusesWhatWouldBeOurselves(t *testing.T) {
	f := newFake(t, "v1")
	g, err := f.find(t).New(Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for _, pid := range []int{0, -1} {
		if err := g.Add(pid); err == nil {
			t.Errorf("pid %d was added", pid)
		}
	}
}

// bounded is how late a machine may be that does other things; without a limit it would be for ever.
const bounded = 20 * time.Second

func TestCloseNamesWhatStays(t *testing.T) {
	t.Parallel()
	f := newFake(t, "v1")
	g, err := f.find(t).New(Limits{})
	if err != nil {
		t.Fatal(err)
	}
	f.busy = 1 << 30
	f.put(t, "pids/own/pyrun-7-42-1000-1/cgroup.procs", "4\n5\n")
	start := time.Now()
	err = g.Close()
	if took := time.Since(start); took < removeLimit || took > removeLimit+bounded {
		t.Errorf("took %v", took)
	}
	if !errors.Is(err, syscall.EBUSY) || !strings.Contains(err.Error(), filepath.Join(f.dir, "pids/own/pyrun-7-42-1000-1")+": 2 processes") {
		t.Errorf("%v", err)
	}
}

// startSleep starts a process that will not end by itself soon.
func startSleep(t *testing.T) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd
}

func TestKillByHand(t *testing.T) {
	f := newFake(t, "v1")
	g, err := f.find(t).New(Limits{})
	if err != nil {
		t.Fatal(err)
	}
	in, out := startSleep(t), exec.Command("sleep", "60")
	if err := out.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = out.Process.Kill() })
	procs := "memory/own/pyrun-7-42-1000-1/cgroup.procs"
	f.put(t, procs, strconv.Itoa(in.Process.Pid)+"\n")
	go func() {
		_ = in.Wait()
		f.put(t, procs, "") // what the kernel would do
	}()
	if err := g.Kill(); err != nil {
		t.Fatal(err)
	}
	if f.get(t, "pids/own/pyrun-7-42-1000-1/pids.max") != "0" {
		t.Error("new processes could be born meanwhile")
	}

	// A number that was a member's when it was read, and is not any more.
	killEach(filepath.Dir(filepath.Join(f.dir, procs)), []int{out.Process.Pid})
	ended := make(chan error, 1)
	go func() { ended <- out.Wait() }()
	select {
	case err := <-ended:
		t.Errorf("a process that is no member was killed: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
}

func TestKillIsBounded(t *testing.T) {
	t.Parallel()
	f := newFake(t, "v2")
	h := f.find(t)
	g, err := h.New(Limits{})
	if err != nil {
		t.Fatal(err)
	}
	f.put(t, "v2/own/pyrun-7-42-1000-1/cgroup.procs", "0\n0\n")
	start := time.Now()
	err = g.Kill()
	if took := time.Since(start); err == nil || !strings.Contains(err.Error(), "2 processes of") || took < killLimit || took > killLimit+bounded {
		t.Errorf("%v after %v", err, took)
	}
}

func TestSweep(t *testing.T) {
	f := newFake(t, "v1")
	h := f.find(t)
	kept := []string{
		owner{7, fakePid, 1000}.name(3),        // ours
		owner{7, 50, 500}.name(1),              // of one that lives
		owner{8, 1 << 30, 500}.name(1),         // of another pid namespace
		owner{7, os.Getpid(), 1}.name(1),       // hidden by this /proc, but alive
		"pyrun-7-52-500-1.service",             // of somebody who only looks like us
		"pyrun-7-052-500-1", "other", "pyrun-", //
	}
	gone := []string{
		owner{7, 50, 499}.name(1),    // the pid was used again
		owner{7, 1 << 30, 9}.name(2), // no such pid can be
	}
	f.process(t, 50, 500)
	for _, name := range append(append([]string{}, kept...), gone...) {
		for _, c := range []string{"memory", "pids"} {
			if err := f.makeGroup(filepath.Join(f.dir, c, "own", name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	f.put(t, "memory/own/"+owner{7, 1 << 30, 10}.name(1), "a file, not a folder")
	if n := h.Sweep(); n != len(gone) {
		t.Errorf("swept %d, want %d", n, len(gone))
	}
	for _, c := range []string{"memory", "pids"} {
		for _, name := range kept {
			if _, err := os.Stat(filepath.Join(f.dir, c, "own", name)); err != nil {
				t.Errorf("%s is gone", name)
			}
		}
		for _, name := range gone {
			if _, err := os.Stat(filepath.Join(f.dir, c, "own", name)); err == nil {
				t.Errorf("%s is still there", name)
			}
		}
	}
	if n := h.Sweep(); n != 0 {
		t.Errorf("the second time swept %d", n)
	}
}

func TestSweepKillsWhatIsLeft(t *testing.T) {
	f := newFake(t, "v1")
	h := f.find(t)
	left := startSleep(t)
	name := owner{7, 1 << 30, 9}.name(1)
	if err := f.makeGroup(filepath.Join(f.dir, "memory/own", name)); err != nil {
		t.Fatal(err)
	}
	procs := "memory/own/" + name + "/cgroup.procs"
	f.put(t, procs, strconv.Itoa(left.Process.Pid)+"\n")
	done := make(chan error, 1)
	go func() {
		err := left.Wait()
		f.put(t, procs, "")
		done <- err
	}()
	if n := h.Sweep(); n != 1 {
		t.Errorf("swept %d", n)
	}
	if err := <-done; err == nil {
		t.Error("the process ended by itself")
	}
}

// A /proc that does not say which pid namespace this is gives no right to judge others.
func TestSweepInDoubtDoesNothing(t *testing.T) {
	f := newFake(t, "v1")
	h := f.find(t)
	if err := os.Remove(filepath.Join(f.dir, "proc/42/ns/pid")); err != nil {
		t.Fatal(err)
	}
	if err := f.makeGroup(filepath.Join(f.dir, "memory/own", owner{0, 1 << 30, 9}.name(1))); err != nil {
		t.Fatal(err)
	}
	if n := h.Sweep(); n != 0 {
		t.Errorf("swept %d", n)
	}
}
