package exec

import (
	"context"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"sync"
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
