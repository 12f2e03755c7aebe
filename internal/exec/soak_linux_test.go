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
	name := "pyrun-*"
	if pid != 0 {
		name = fmt.Sprintf("pyrun-%d-*", pid)
	}
	for _, depth := range []string{"", "*/", "*/*/", "*/*/*/", "*/*/*/*/"} {
		s.cgroups = append(s.cgroups, glob(t, "/sys/fs/cgroup/"+depth+name)...)
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
// ones among them, four at once, leave nothing behind and do not grow slower.
func TestWarmRunsLeaveNothing(t *testing.T) {
	runs := 400
	if s := os.Getenv("PYRUN_WARM_RUNS"); s != "" {
		var err error
		if runs, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
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
	scripts := []string{
		"print('hi')",
		"import json, os; json.dump({'a': 1}, open(os.environ['ARTIFACTS_DIR'] + '/a.json', 'w'))",
		"print('hi')",
		"import os, time\nif os.fork() == 0:\n    os.setsid(); time.sleep(60)\n",
		"print('hi')",
		"raise ValueError('no')",
		"print('hi')",
		"x = bytearray(20 << 20); print(len(x))",
		"print('hi')",
		"import os\nfor fd in range(3, 64):\n    try: os.write(fd, b'x' * 4096)\n    except OSError: pass\nos.kill(1, 9); os.kill(-1, 19)",
		"print('hi')",
		"while True: pass",
		"import threading, time\nfor _ in range(8): threading.Thread(target=time.sleep, args=(9,), daemon=True).start()",
		"print('hi')",
		"import os; os.abort()",
		"print('hi')",
	}
	hello := make([]time.Duration, runs)
	once := func(i int) error {
		r := Request{Code: []byte(scripts[i%len(scripts)])}
		if strings.HasPrefix(scripts[i%len(scripts)], "while") {
			r.Limits.Wall = 50 * time.Millisecond
		}
		began := time.Now()
		res, err := e.Execute(context.Background(), r)
		if err == nil && string(r.Code) == scripts[0] {
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
	first := ownMemory(t)
	many(tenth, runs)
	grown := ownMemory(t) - first
	s := e.Pool()
	t.Logf("%+v; memory grew by %d KiB; p99 of hello: first tenth %v, last tenth %v", s, grown, p99(hello[:tenth]), p99(hello[runs-tenth:]))
	if s.Warm < runs/2 {
		t.Errorf("only %d of %d runs were warm", s.Warm, runs)
	}
	if grown > 32<<10 {
		t.Errorf("memory grew by %d KiB", grown)
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

// ownMemory is what this process has resident and of its own, in KiB.
func ownMemory(t *testing.T) int {
	t.Helper()
	runtime.GC()
	debug.FreeOSMemory()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "RssAnon:" {
			n, _ := strconv.Atoi(f[1])
			return n
		}
	}
	t.Fatal("no RssAnon")
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
	time.Sleep(500 * time.Millisecond)
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	time.Sleep(200 * time.Millisecond) // the kernel ends the namespace

	e := nativeExecutor(t)
	if _, err := e.Execute(context.Background(), Request{Code: []byte("print(1)")}); err != nil {
		t.Fatal(err)
	}
	compareTraces(t, before, look(t, c.Process.Pid))
	for _, comm := range glob(t, "/proc/[0-9]*/comm") {
		if b, _ := os.ReadFile(comm); strings.TrimSpace(string(b)) == "pyrun-init" {
			stat, _ := os.ReadFile(filepath.Join(filepath.Dir(comm), "status"))
			if strings.Contains(string(stat), fmt.Sprintf("PPid:\t%d\n", c.Process.Pid)) {
				t.Errorf("%s is still there", comm)
			}
		}
	}
}

// nativeExecutor is an Executor with the default options behind native walls.
func nativeExecutor(t testing.TB) *Executor {
	t.Helper()
	return newExecutor(t, Options{Sandbox: "native"})
}
