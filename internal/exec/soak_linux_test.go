package exec

import (
	"context"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// traces is what runs could leave behind on this machine.
type traces struct {
	descriptors, mounts int
	children, cgroups   []string
	temporary           []string
}

// look finds the traces of the process pid (0: of any pyrun process).
func look(t *testing.T, pid int) traces {
	t.Helper()
	var s traces
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	s.descriptors = len(fds)
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	s.mounts = strings.Count(string(mounts), "\n")
	for _, task := range glob(t, "/proc/self/task/*/children") {
		list, _ := os.ReadFile(task)
		s.children = append(s.children, strings.Fields(string(list))...)
	}
	for _, depth := range []string{"", "*/", "*/*/", "*/*/*/", "*/*/*/*/"} {
		for _, group := range glob(t, "/sys/fs/cgroup/"+depth+"pyrun-*") {
			// pyrun, its pid namespace, its pid, its start, a number
			if f := strings.Split(filepath.Base(group), "-"); len(f) == 5 && (pid == 0 || f[2] == strconv.Itoa(pid)) {
				s.cgroups = append(s.cgroups, group)
			}
		}
	}
	s.temporary = glob(t, filepath.Join(os.TempDir(), "*"))
	return s
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	list, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestRunsLeaveNothing: two hundred runs in a row, then eight at once for a
// while (PYRUN_SOAK, a duration), leave no process, mount, cgroup, descriptor
// or temporary file.
func TestRunsLeaveNothing(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()) // nobody else's
	e := nativeExecutor(t)
	scripts := []string{
		"print('hi')",
		"import os; open(os.environ['ARTIFACTS_DIR'] + '/a.txt', 'w').write('x' * 1000)",
		"import os, time\nif os.fork() == 0:\n    os.setsid(); time.sleep(60)\n",
		"raise ValueError('no')",
		"import os; os.abort()",
		"while True: pass",
	}
	once := func(i int) error {
		r := Request{Code: []byte(scripts[i%len(scripts)])}
		if i%len(scripts) == 5 {
			r.Limits.Wall = 50 * time.Millisecond
		}
		_, err := e.Execute(context.Background(), r)
		return err
	}
	for i := range scripts { // what is opened or unpacked once and for all
		if err := once(i); err != nil {
			t.Fatal(err)
		}
	}
	before := look(t, os.Getpid())
	for i := range 200 {
		if err := once(i); err != nil {
			t.Fatal(err)
		}
	}
	compareTraces(t, before, look(t, os.Getpid()))

	period := 3 * time.Second
	if s := os.Getenv("PYRUN_SOAK"); s != "" {
		var err error
		if period, err = time.ParseDuration(s); err != nil {
			t.Fatal(err)
		}
	}
	end := time.Now().Add(period)
	var all sync.WaitGroup
	for w := range 8 {
		all.Go(func() {
			for i := w; time.Now().Before(end); i++ {
				if err := once(i); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	compareTraces(t, before, look(t, os.Getpid()))
}

// TestWarmRunsLeaveNothing: many warm runs (PYRUN_WARM_RUNS, a number), hostile
// ones among them, four at once, leave nothing behind, and neither this process
// nor what belongs to it grows, in number, memory or time.
func TestWarmRunsLeaveNothing(t *testing.T) {
	runs := 400
	if s := os.Getenv("PYRUN_WARM_RUNS"); s != "" {
		var err error
		if runs, err = strconv.Atoi(s); err != nil || runs < 100 {
			t.Fatalf("PYRUN_WARM_RUNS: %v", err)
		}
	}
	t.Setenv("TMPDIR", t.TempDir())            // nobody else's
	newExecutor(t, Options{Sandbox: "native"}) // what is opened or unpacked once and for all
	before := look(t, os.Getpid())
	o := Options{Sandbox: "native", Warm: 4, MaxWorkers: 4, Preload: []string{preloadPackages}, Python: os.Getenv("PYRUN_TEST_PYTHON")}
	e, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Warmed(t.Context()); err != nil {
		_ = e.Close()
		cannot(t, "no copies are possible here: %v", err)
	}
	mixed := mixedRuns(t)
	hello := make([]time.Duration, runs)
	once := func(i int) error {
		r := mixed[i%len(mixed)]
		began := time.Now()
		res, err := e.Execute(context.Background(), r)
		if err == nil && string(r.Code) == helloScript {
			hello[i] = time.Since(began)
			if res.Stdout != "hi\n" || res.Verdict != VerdictOK {
				err = fmt.Errorf("run %d: %+v", i, res)
			}
		}
		return err
	}
	many := func(from, to int) {
		var next atomic.Int64
		next.Store(int64(from))
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for i := int(next.Add(1)) - 1; i < to; i = int(next.Add(1)) - 1 {
					if err := once(i); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		all.Wait()
	}
	tenth := runs / 10
	many(0, tenth)
	first := standstill(t, e, footprint{})
	many(tenth, runs)
	last := standstill(t, e, first)
	if r := execute(t, e, code(helloScript)); strings.HasPrefix(r.Sandbox.Memory, "cgroup") && first.cgroups == 0 {
		t.Error("there are cgroups, and none was seen")
	}
	s := e.Pool()
	t.Logf("%+v", s)
	t.Logf("after the first tenth %+v, p99 of hello %v", first, p99(hello[:tenth]))
	t.Logf("after the last tenth %+v, p99 of hello %v", last, p99(hello[runs-tenth:]))
	if s.Warm < runs*8/10 {
		t.Errorf("only %d of %d runs were warm", s.Warm, runs)
	}
	if last.memory > first.memory+32<<10 || !last.noMore(first) {
		t.Errorf("it grows: %+v, then %+v", first, last)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	after := look(t, os.Getpid())
	for range 200 { // the thread that makes network namespaces is the last to go
		if after.descriptors <= before.descriptors {
			break
		}
		time.Sleep(10 * time.Millisecond)
		after = look(t, os.Getpid())
	}
	compareTraces(t, before, after)
}

const helloScript = "print('hi')"

// mixedRuns are hello, for every second one, what people run, what goes wrong,
// and after each round of these one of the hostile corpus.
func mixedRuns(t *testing.T) (all []Request) {
	t.Helper()
	others := []string{
		"import json, os; json.dump({'a': 1}, open(os.environ['ARTIFACTS_DIR'] + '/a.json', 'w'))",
		"import os, time\nif os.fork() == 0:\n    os.setsid(); time.sleep(60)\n",
		"raise ValueError('no')",
		"x = bytearray(20 << 20); print(len(x))",
		"import os\nfor fd in range(3, 64):\n    try: os.write(fd, b'x' * 4096)\n    except OSError: pass\nos.kill(1, 9); os.kill(-1, 19)",
		"while True: pass",
		"import threading, time\nfor _ in range(8): threading.Thread(target=time.sleep, args=(9,), daemon=True).start()",
		"import os; os.abort()",
		"import sqlite3, decimal, re\nc = sqlite3.connect(':memory:'); print(c.execute('select 1').fetchone(), decimal.Decimal(1) / 7)",
		"import subprocess, sys; print(subprocess.run([sys.executable, '-c', 'print(1)'], capture_output=True).stdout)",
		"def f(): f()\nf()",
		"print('x' * 3000000)",
	}
	corpus, err := filepath.Glob("testdata/hostile/*.py")
	if err != nil || len(corpus) < 30 {
		t.Fatalf("the hostile corpus: %v, %v", corpus, err)
	}
	for _, file := range corpus {
		code, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, other := range others {
			r := Request{Code: []byte(other)}
			if strings.HasPrefix(other, "while") {
				r.Limits.Wall = 50 * time.Millisecond
			}
			all = append(all, Request{Code: []byte(helloScript)}, r)
		}
		hostile := Request{Code: code, Args: []string{"mark-soak"}}
		hostile.Limits.Wall, hostile.Limits.Memory, hostile.Limits.Processes = 300*time.Millisecond, 128<<20, 32
		all = append(all, hostile)
	}
	return all
}

// footprint is how much of this process and of what belongs to it there is.
type footprint struct {
	memory      int // of this process, its own and resident, KiB
	shared      int // of the zygote and the copies, each page once, KiB; 0 where it may not be read
	descriptors int
	processes   int
	mounts      int
	cgroups     int
}

func (f footprint) noMore(than footprint) bool {
	return f.descriptors <= than.descriptors && f.processes <= than.processes && f.mounts <= than.mounts && f.cgroups <= than.cgroups
}

// standstill is the footprint while nothing runs and the pool is full. What runs
// and zygotes leave goes behind their answers, so it is waited for until there is
// no more than before.
func standstill(t *testing.T, e *Executor, before footprint) (f footprint) {
	t.Helper()
	last := -1
	for range 1000 {
		refilled(t, e)
		traces := look(t, os.Getpid())
		tree := below(os.Getpid(), nil)
		f = footprint{descriptors: traces.descriptors, processes: len(tree), mounts: traces.mounts, cgroups: len(traces.cgroups)}
		if before == (footprint{}) && f.processes == last || f.noMore(before) {
			for _, pid := range tree {
				f.shared += kibOf(fmt.Sprintf("/proc/%d/smaps_rollup", pid), "Pss:")
			}
			break
		}
		last = f.processes
		time.Sleep(20 * time.Millisecond)
	}
	runtime.GC()
	debug.FreeOSMemory()
	if f.memory = kibOf("/proc/self/status", "RssAnon:"); f.memory == 0 {
		t.Fatal("no RssAnon")
	}
	return f
}

// below are all processes that descend from pid.
func below(pid int, found []int) []int {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, task := range tasks {
		text, _ := os.ReadFile(task)
		for word := range strings.FieldsSeq(string(text)) {
			child, _ := strconv.Atoi(word)
			found = below(child, append(found, child))
		}
	}
	return found
}

// kibOf is the number behind a name in a file of /proc; 0 where there is none.
func kibOf(file, name string) int {
	text, _ := os.ReadFile(file)
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == name {
			n, _ := strconv.Atoi(f[1])
			return n
		}
	}
	return 0
}

func p99(times []time.Duration) time.Duration {
	times = slices.DeleteFunc(slices.Clone(times), func(d time.Duration) bool { return d == 0 })
	return quantile(times, 99)
}

func compareTraces(t *testing.T, before, after traces) {
	t.Helper()
	if after.descriptors > before.descriptors {
		t.Errorf("%d descriptors before, %d after", before.descriptors, after.descriptors)
	}
	if after.mounts != before.mounts {
		t.Errorf("%d mounts before, %d after", before.mounts, after.mounts)
	}
	if len(after.children) > 0 {
		t.Errorf("processes left: %v", after.children)
	}
	if len(after.cgroups) > 0 {
		t.Errorf("cgroups left: %v", after.cgroups)
	}
	if len(after.temporary) > len(before.temporary) {
		t.Errorf("temporary files: %v before, %v after", before.temporary, after.temporary)
	}
}

// TestKilledInMidRun: what a pyrun leaves that was killed with signal 9 is gone
// after the next start.
func TestKilledInMidRun(t *testing.T) {
	const holder = "PYRUN_TEST_KILLED"
	if os.Getenv(holder) != "" {
		e := nativeExecutor(t)
		fmt.Println("running")
		_, _ = e.Execute(context.Background(), Request{Code: []byte("import os, time\nos.fork()\nwhile True: pass")})
		return
	}
	t.Setenv("TMPDIR", t.TempDir()) // nobody else's
	nativeExecutor(t)               // skips where there is no sandbox
	before := look(t, 0)
	c := osexec.Command(os.Args[0], "-test.run", "^TestKilledInMidRun$", "-test.count=1")
	c.Env = append(os.Environ(), holder+"=1")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fscanln(out, new(string)); err != nil {
		t.Fatal(err)
	}
	var tree []int // pid 1, the script and its child
	patiently(func() bool { tree = below(c.Process.Pid, nil); return len(tree) >= 3 })
	if len(tree) < 3 {
		t.Fatalf("the run did not come up: %v", tree)
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	left := func() []int {
		return slices.DeleteFunc(slices.Clone(tree), func(pid int) bool { // a zombie waits for whoever adopted it
			b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
			return err != nil || strings.Contains(string(b), ") Z ")
		})
	}
	patiently(func() bool { return len(left()) == 0 }) // the kernel ends the namespace

	e := nativeExecutor(t)
	if _, err := e.Execute(context.Background(), Request{Code: []byte("print(1)")}); err != nil {
		t.Fatal(err)
	}
	if left := left(); len(left) > 0 {
		t.Errorf("still there: %v", left)
	}
	patiently(func() bool { return len(look(t, c.Process.Pid).cgroups) == 0 }) // they are swept beside the first run
	compareTraces(t, before, look(t, c.Process.Pid))
}

// patiently waits until it is done, but not for ever.
func patiently(done func() bool) {
	for end := time.Now().Add(20 * time.Second); !done() && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
}

// nativeExecutor is an Executor with the default options behind native walls.
func nativeExecutor(t testing.TB) *Executor {
	t.Helper()
	return newExecutor(t, Options{Sandbox: "native"})
}
