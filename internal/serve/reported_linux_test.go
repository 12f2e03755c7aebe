package serve

// What people reported of servers that run Python, and that needs no script of
// its own: with the real Executor, cold and warm.

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

// coldAndWarm runs a test with an Executor that starts interpreters, and one that
// has copies of one.
func coldAndWarm(t *testing.T, o exec.Options, each func(t *testing.T, x *exec.Executor)) {
	t.Helper()
	for name, copies := range map[string]int{"cold": 0, "warm": 4} {
		t.Run(name, func(t *testing.T) {
			o.Python, o.Warm = os.Getenv("PYRUN_TEST_PYTHON"), copies
			x, err := exec.New(o)
			if err != nil {
				t.Fatal(err)
			}
			defer x.Close()
			begin(t, x, copies > 0)
			each(t, x)
			if s := x.Pool(); copies > 0 && s.Warm == 0 {
				t.Errorf("no run was warm: %+v", s)
			}
		})
	}
}

func begin(t *testing.T, x *exec.Executor, warm bool) {
	t.Helper()
	if _, err := x.Execute(t.Context(), exec.Request{Code: []byte("pass")}); err != nil {
		cannot(t, "no run is possible here: %v", err)
	}
	if !warm {
		return
	}
	if err := x.Warmed(t.Context()); err != nil {
		cannot(t, "no copies are possible here: %v", err)
	}
}

// A hundred calls at once and four workers: a queue that has an end, and a word
// for whoever finds it full. Each answer is that of its own call.
func TestManyCallsFewWorkers(t *testing.T) {
	const calls, workers, queue = 100, 4, 16
	coldAndWarm(t, exec.Options{MaxWorkers: workers, MaxQueue: queue}, func(t *testing.T, x *exec.Executor) {
		over := func(t *testing.T, answers func(code func(i int) string) map[int]string) {
			var most atomic.Int64
			watching, stop := context.WithCancel(t.Context())
			var watch sync.WaitGroup
			watch.Go(func() {
				for watching.Err() == nil {
					l := x.Load()
					most.Store(max(most.Load(), int64(l.Waiting)))
					if l.Running > workers || l.Waiting > queue {
						t.Errorf("beyond all bounds: %+v", l)
						return
					}
					time.Sleep(time.Millisecond)
				}
			})
			got := answers(func(i int) string { return fmt.Sprintf("import time; time.sleep(.2); print('call %d')", i) })
			stop()
			watch.Wait()
			ok, busy := 0, 0
			for i, text := range got {
				var a answer
				err := json.Unmarshal([]byte(text), &a)
				switch {
				case strings.Contains(text, "busy: ") && !strings.Contains(text, `"verdict"`):
					busy++
				case err == nil && !a.Result.IsError && strings.Contains(a.text(t), fmt.Sprintf(`"stdout": "call %d\n"`, i)):
					ok++
				default:
					t.Errorf("call %d: %.300s", i, text)
				}
			}
			if ok+busy != calls || ok < workers+queue || busy == 0 || most.Load() < queue {
				t.Errorf("%d were run, %d found it busy; at most %d waited", ok, busy, most.Load())
			}
		}
		t.Run("http", func(t *testing.T) {
			r := up(t, sound{x}, Options{}, Addresses{})
			over(t, func(code func(int) string) map[int]string {
				got, mu := map[int]string{}, sync.Mutex{}
				var all sync.WaitGroup
				for i := range calls {
					all.Go(func() {
						status, header, text := r.asks(t, callBody(toolExecute, fmt.Sprintf(`{"code":%q}`, code(i))))
						if status == 503 && header.Get("Retry-After") == "" {
							text = "503 without Retry-After"
						}
						mu.Lock()
						defer mu.Unlock()
						got[i] = text
					})
				}
				all.Wait()
				return got
			})
		})
		t.Run("stdio", func(t *testing.T) {
			p := talk(t, newServer(t, sound{x}, Options{}))
			p.hello("2025-11-25")
			over(t, func(code func(int) string) map[int]string {
				for i := range calls {
					p.send(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"execute_python","arguments":{"code":%q}}}`, 1000+i, code(i))
				}
				got := map[int]string{}
				for len(got) < calls {
					line, ok := <-p.lines
					var head struct{ ID int }
					if err := json.Unmarshal([]byte(line), &head); err != nil || !ok {
						t.Fatalf("a line that is none: %q", line)
					}
					if head.ID >= 1000 {
						got[head.ID-1000] = line
					}
				}
				return got
			})
		})
	})
}

// Calls that end in the moment in which their time is over, two of each kind and
// others beside them: each is one or the other, all of what it printed is there,
// and the next call finds a server that is well.
func TestEndsExactlyAtTheTimeout(t *testing.T) {
	const limit = 8 // seconds, in which all of them have started, however few processors there are
	coldAndWarm(t, exec.Options{MaxWorkers: 24, MaxQueue: 64}, func(t *testing.T, x *exec.Executor) {
		r := up(t, sound{x}, Options{}, Addresses{})
		ask := func(code string) (res exec.Result) {
			status, _, text := r.asks(t, callBody(toolExecute, fmt.Sprintf(`{"code":%q,"timeout":%d}`, code, limit)))
			var a answer
			if err := json.Unmarshal([]byte(text), &a); err != nil || status != 200 || a.Result.IsError {
				t.Errorf("%d %v %s", status, err, text)
				return
			}
			if err := json.Unmarshal([]byte(a.text(t)), &res); err != nil {
				t.Error(err)
			}
			return res
		}
		stop := make(chan struct{})
		var load, pairs sync.WaitGroup
		for range 2 {
			load.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
					}
					if res := ask("print(sum(range(10**5)))"); res.Verdict != exec.VerdictOK {
						t.Errorf("beside them: %+v", res)
					}
				}
			})
		}
		var ended, stopped atomic.Int64
		for _, seconds := range []float64{-.1, -.04, -.02, -.01, -.005, 0, .005, .02} {
			for range 2 {
				pairs.Go(func() {
					began := time.Now()
					res := ask(fmt.Sprintf("print('before', flush=True); import time; time.sleep(%g); print('after')", limit+seconds))
					took := time.Since(began)
					switch {
					case res.TimedOut && res.Verdict == exec.VerdictTimeout && strings.HasPrefix(res.Stdout, "before\n") && res.ExitCode == 137 && res.Signal == "SIGKILL":
						stopped.Add(1)
					case !res.TimedOut && res.Verdict == exec.VerdictOK && res.Stdout == "before\nafter\n" && res.ExitCode == 0:
						ended.Add(1)
					default:
						t.Errorf("after %g s: %+v", limit+seconds, res)
					}
					if took > 30*time.Second {
						t.Errorf("it took %v", took)
					}
				})
			}
		}
		pairs.Wait()
		close(stop)
		load.Wait()
		if stopped.Load() == 0 {
			t.Error("none was stopped")
		}
		t.Logf("%d ended, %d were stopped", ended.Load(), stopped.Load())
		if res := ask("print('next')"); res.Stdout != "next\n" {
			t.Errorf("the next: %+v", res)
		}
		eventually(t, "nothing runs any more", func() bool { l := x.Load(); return l.Running == 0 && l.Waiting == 0 && l.Held == 0 })
	})
}

// A server that is killed in mid-run leaves no process of the run or of its
// copies, and nothing in the temporary folder.
func TestKilledServerLeavesNothing(t *testing.T) {
	const holder = "PYRUN_TEST_KILLED_SERVER"
	if what := os.Getenv(holder); what != "" {
		o := exec.Options{Python: os.Getenv("PYRUN_TEST_PYTHON")}
		if what == "warm" {
			o.Warm = 2
		}
		x, err := exec.New(o)
		if err != nil {
			t.Fatal(err)
		}
		begin(t, x, what == "warm")
		_ = newServer(t, x, Options{}).Stdio(t.Context(), os.Stdin, os.Stdout)
		return
	}
	begin(t, real(t), false) // or it is skipped
	for _, what := range []string{"cold", "warm"} {
		t.Run(what, func(t *testing.T) {
			dir := t.TempDir()
			c := osexec.Command(os.Args[0], "-test.run", "^TestKilledServerLeavesNothing$")
			c.Env = append(os.Environ(), holder+"="+what, "TMPDIR="+dir)
			in, err := c.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := c.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewReader(out)
			fmt.Fprintln(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
			if line, err := lines.ReadString('\n'); err != nil || !strings.Contains(line, `"serverInfo"`) {
				t.Fatalf("%q, %v", line, err)
			}
			fmt.Fprintln(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
			mark := fmt.Sprintf("mark-%d-%d", os.Getpid(), time.Now().UnixNano())
			script := "import os, subprocess, sys, tempfile\nopen(tempfile.mkstemp()[1], 'w').write('x' * 100000)\nif os.fork() == 0: os.setsid()\n" +
				"subprocess.run([sys.executable, '-c', 'import time; time.sleep(60)', '" + mark + "'])"
			fmt.Fprintf(in, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"execute_python\",\"arguments\":{\"code\":%q}}}\n", script)
			eventually(t, "the script and its child run", func() bool { return len(marked(mark)) >= 2 })
			eventually(t, "it has done with looking at its walls, for which it has a file there", func() bool {
				list, err := os.ReadDir(dir)
				return err == nil && len(list) == 0
			})
			tree := offspring(c.Process.Pid, nil)
			if len(tree) < 4 {
				t.Errorf("only these belong to the server: %v", tree)
			}
			if err := c.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = c.Wait()
			eventually(t, "no process is left", func() bool {
				return len(marked(mark)) == 0 && !slices.ContainsFunc(tree, alive)
			})
			left, err := os.ReadDir(dir)
			// It may have begun another look at its walls since; the next server sweeps that file.
			left = slices.DeleteFunc(left, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), "pyrun-canary-") })
			if err != nil || len(left) > 0 {
				t.Errorf("left in the temporary folder: %v, %v", left, err)
			}
		})
	}
}

// marked are the processes that have a word in their command line.
func marked(word string) (pids []string) {
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range all {
		if text, _ := os.ReadFile(file); strings.Contains(string(text), "\x00"+word+"\x00") {
			pids = append(pids, file)
		}
	}
	return pids
}

// life is one process, which another with its number is not.
type life struct {
	pid   int
	began string
}

// offspring are all processes below one.
func offspring(pid int, found []life) []life {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, task := range tasks {
		text, _ := os.ReadFile(task)
		for _, word := range strings.Fields(string(text)) {
			child, _ := strconv.Atoi(word)
			found = offspring(child, append(found, life{child, beginning(child)}))
		}
	}
	return found
}

func alive(l life) bool { return l.began != "" && beginning(l.pid) == l.began }

// beginning is when a process began, in the kernel's ticks; empty when it has ended.
func beginning(pid int) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	if len(fields) < 20 || fields[0] == "Z" {
		return ""
	}
	return fields[19]
}
