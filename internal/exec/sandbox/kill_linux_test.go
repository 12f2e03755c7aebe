//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// stubborn ignores what can be ignored and leaves children that do the same.
const stubborn = `trap '' HUP INT TERM QUIT USR1 USR2
for i in 1 2 3 4 5 6 7 8; do (trap '' HUP INT TERM; setsid sleep 300 & while :; do :; done) & done
kill -STOP $$
while :; do :; done`

func TestKillTakesTheWholeTree(t *testing.T) {
	asEveryone(t)
	for name, end := range map[string]func(context.CancelFunc, *Process){
		"wall":      func(context.CancelFunc, *Process) {},
		"cancelled": func(cancel context.CancelFunc, _ *Process) { cancel() },
		"output":    func(_ context.CancelFunc, p *Process) { p.Kill(KilledOutput) },
	} {
		t.Run(name, func(t *testing.T) { killed(t, name, end) })
	}
}

// killed starts a stubborn tree and has it ended.
func killed(t *testing.T, name string, end func(context.CancelFunc, *Process)) {
	t.Helper()
	l, err := New(Options{Backend: Native})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	pol := shell(stubborn)
	pol.Limits.Wall = time.Minute // it would end by itself, and say so
	if name == "wall" {
		pol.Limits.Wall = 3 * time.Second
	}
	p, err := l.Start(ctx, Place{}, pol, Stdio{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	var tree []int
	for end := time.Now().Add(pol.Limits.Wall / 2); time.Now().Before(end); {
		if tree = descendants(p.impl.(*running).pid, nil); len(tree) > 9 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if len(tree) < 5 {
		t.Fatalf("only %d processes came up", len(tree))
	}
	asked := time.Now()
	end(cancel, p)
	exit := p.Wait()
	if took := time.Since(asked); took > 20*time.Second {
		t.Errorf("the tree lived %v longer", took)
	}
	if string(exit.Killed) != name || exit.Code != 137 {
		t.Errorf("exit %+v", exit)
	}
	if exit.Usage.CPU == 0 || exit.Usage.PeakMemory < 1<<20 {
		t.Errorf("what was used is lost: %+v", exit.Usage)
	}
	for _, pid := range tree {
		if alive(pid) {
			t.Errorf("process %d survived", pid)
		}
	}
}

func alive(pid int) bool {
	_, err := os.Stat("/proc/" + strconv.Itoa(pid))
	return err == nil
}

// TestScriptEnds: what the script leaves behind ends with it, and its own exit counts.
func TestScriptEnds(t *testing.T) {
	asEveryone(t)
	for script, want := range map[string]int{
		"exit 0": 0, "exit 7": 7, "kill -SEGV $$": 139, "kill -KILL $$": 137, "kill -TERM $$": 143,
		"setsid sleep 300 & exit 4":                  4,
		"kill -KILL 1; kill -TERM 1; exit 5":         5, // pid 1 cannot be harmed from inside
		"(sleep 0.05; kill -9 $$) & wait; sleep 300": 137,
	} {
		t.Run(script, func(t *testing.T) {
			_, exit := runShell(t, Options{}, shell(script))
			if exit.Code != want || exit.Killed != "" {
				t.Fatalf("exit %+v", exit)
			}
			if peak := exit.Usage.PeakMemory; peak == 0 || peak > 12<<20 { // not this process's own
				t.Errorf("a shell took %d MiB", peak>>20)
			}
		})
	}
}

// TestHolderDies: when the process that holds the launcher is killed, its runs die too.
func TestHolderDies(t *testing.T) {
	if os.Getenv("PYRUN_TEST_HOLDER") != "" {
		holdForEver(t)
	}
	asEveryone(t)
	c := exec.Command(os.Args[0], "-test.run", "^TestHolderDies$", "-test.count=1")
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
	tree := append(descendants(pid1, nil), pid1)
	if len(tree) < 2 {
		t.Fatalf("the run did not come up: %v", tree)
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	deadline := time.Now().Add(20 * time.Second)
	for _, pid := range tree {
		for alive(pid) && !zombie(pid) {
			if time.Now().After(deadline) {
				t.Fatalf("process %d of the run survived its holder", pid)
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
}

// zombie: dead, but whoever adopted it has not looked yet.
func zombie(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(b), ") Z ")
}

func holdForEver(t *testing.T) {
	l, err := New(Options{Backend: Native})
	if err != nil {
		t.Fatal(err)
	}
	pol := shell("sleep 300 & sleep 300")
	pol.Limits.Wall = 0
	p, err := l.Start(context.Background(), Place{}, pol, Stdio{})
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond)
	fmt.Printf("pid %d\n", p.impl.(*running).pid)
	time.Sleep(time.Minute)
}

// TestNothingIsLeft: descriptors and processes after many runs, some of them at once.
func TestNothingIsLeft(t *testing.T) {
	l, err := New(Options{Backend: Native})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	once := func() error {
		p, err := l.Start(context.Background(), Place{}, shell("true"), Stdio{})
		if err != nil {
			return err
		}
		p.Wait()
		return p.Close()
	}
	if err := once(); err != nil { // what is opened once and for all
		t.Fatal(err)
	}
	before, mounts := descriptors(t), len(mountPoints(readFile(t, "/proc/self/mountinfo")))
	errs := make(chan error)
	for range 8 {
		go func() {
			var err error
			for range 25 {
				if err = once(); err != nil {
					break
				}
			}
			errs <- err
		}()
	}
	for range 8 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if after := descriptors(t); after > before {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
	if left := descendants(os.Getpid(), nil); len(left) > 0 {
		t.Errorf("processes left: %v", left)
	}
	if after := len(mountPoints(readFile(t, "/proc/self/mountinfo"))); after != mounts {
		t.Errorf("%d mounts before, %d after", mounts, after)
	}
}

func readFile(t *testing.T, at string) []byte {
	t.Helper()
	b, err := os.ReadFile(at)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func descriptors(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}
