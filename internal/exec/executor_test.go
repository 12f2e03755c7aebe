package exec

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/pyrun-dev/pyrun/internal/exec/sandbox"
)

// kinds are the walls a behavioural test runs behind.
func kinds(t *testing.T, each func(t *testing.T, e *Executor)) {
	t.Helper()
	for _, kind := range []string{"none", "native"} {
		t.Run(kind, func(t *testing.T) { each(t, newExecutor(t, Options{Sandbox: kind})) })
	}
	t.Run("warm", func(t *testing.T) {
		e := warmExecutor(t, Options{})
		each(t, e)
		if s := e.pool.Load().snapshot(); s.Warm+s.Unfit == 0 {
			t.Errorf("no run was warm: %+v", s)
		}
	})
}

// warmExecutor is one whose pool is full.
func warmExecutor(t testing.TB, o Options) *Executor {
	t.Helper()
	o.Sandbox, o.Warm = "native", 2
	if o.Preload == nil {
		o.Preload = []string{preloadPackages}
	}
	e := newExecutor(t, o)
	refilled(t, e)
	return e
}

// refilled waits until the pool is full.
func refilled(t testing.TB, e *Executor) {
	t.Helper()
	var s PoolStats
	for range 3000 {
		if s = e.Pool(); s.Ready == s.Size && s.Making == 0 {
			return
		}
		if s.Failure != "" {
			t.Fatalf("no zygote: %s", s.Failure)
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("the pool does not fill: %+v", s)
}

// newExecutor skips where these walls cannot be had, unless that is forbidden.
func newExecutor(t testing.TB, o Options) *Executor {
	t.Helper()
	if o.Sandbox != "none" && runtime.GOOS != "linux" {
		cannot(t, "native walls need Linux")
	}
	o.Python = os.Getenv("PYRUN_TEST_PYTHON") // empty: the one that comes with pyrun
	if o.CacheDir != "" {
		t.Cleanup(func() { // the unpacked interpreter is read-only, its folders too
			_ = filepath.WalkDir(o.CacheDir, func(path string, d fs.DirEntry, _ error) error {
				if d != nil && d.IsDir() {
					_ = os.Chmod(path, 0o755)
				}
				return nil
			})
		})
	}
	e, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	if _, err := e.Execute(t.Context(), Request{Code: []byte("pass")}); err != nil {
		cannot(t, "no run is possible here: %v", err)
	}
	return e
}

// cannot skips; with PYRUN_REQUIRE=all a skip is a failure.
func cannot(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("PYRUN_REQUIRE") == "all" {
		t.Fatalf("PYRUN_REQUIRE=all: "+format, args...)
	}
	t.Skipf(format, args...)
}

func execute(t *testing.T, e *Executor, r Request) *Result {
	t.Helper()
	res, err := e.Execute(t.Context(), r)
	if err != nil {
		t.Fatalf("Execute: %v", err)
	}
	return res
}

func code(s string) Request { return Request{Code: []byte(s)} }

func within(d time.Duration, r Request) Request {
	r.Limits.Wall = d
	return r
}

func TestRuns(t *testing.T) {
	for _, tt := range []struct {
		name    string
		request Request
		verdict Verdict
		exit    int
		stdout  string
		stderr  string // contained
		check   func(t *testing.T, r *Result)
	}{
		{name: "hello", request: code("print('hi')"), verdict: VerdictOK, stdout: "hi\n"},
		{name: "exit code", request: code("import sys; sys.exit(7)"), verdict: VerdictError, exit: 7},
		{name: "message", request: code("raise SystemExit('sorry')"), verdict: VerdictError, exit: 1, stderr: "sorry"},
		{name: "arguments", request: Request{Code: []byte("import sys; print(sys.argv[1:])"), Args: []string{"-x", "a b", "ü"}}, verdict: VerdictOK, stdout: "['-x', 'a b', 'ü']\n"},
		{name: "environment", request: Request{Code: []byte("import os; print(os.environ['MINE'], os.environ['TZ'], 'PYRUN_TEST_SECRET' in os.environ)"), Env: map[string]string{"MINE": "1", "TZ": "CET"}}, verdict: VerdictOK, stdout: "1 CET False\n"},
		{name: "stdin", request: Request{Code: []byte("print(input()[::-1])"), Stdin: strings.NewReader("Ada\n")}, verdict: VerdictOK, stdout: "adA\n"},
		{name: "stdin unread", request: Request{Code: []byte("pass"), Stdin: strings.NewReader(strings.Repeat("x", 1<<20))}, verdict: VerdictOK},
		{name: "no stdin", request: code("input()"), verdict: VerdictError, exit: 1, stderr: "EOFError", check: func(t *testing.T, r *Result) {
			if !strings.Contains(r.Hint, "stdin") {
				t.Errorf("hint %q", r.Hint)
			}
		}},
		{name: "output before a timeout", request: within(1500*time.Millisecond, code("print('before')\nimport time; time.sleep(30)")), verdict: VerdictTimeout, exit: 137, stdout: "before\n", check: func(t *testing.T, r *Result) {
			if !r.TimedOut || r.DurationMS < 1400 || r.DurationMS > 15_000 || r.Signal != "SIGKILL" {
				t.Errorf("timed out %v after %d ms by %q", r.TimedOut, r.DurationMS, r.Signal)
			}
		}},
		{name: "signal", request: code("import os, signal; os.kill(os.getpid(), signal.SIGTERM)"), verdict: VerdictSignal, exit: 143},
		{name: "a name of its own", request: Request{Code: []byte("import code, os; print(os.path.basename(__file__), hasattr(code, 'interact'))"), Name: "code.py"}, verdict: VerdictOK, stdout: "code.py True\n"},
		{name: "byte order mark", request: code("\ufeffprint('bom ok')"), verdict: VerdictOK, stdout: "bom ok\n"},
		{name: "empty", request: code(""), verdict: VerdictOK},
		{name: "inputs", request: Request{
			Code:   []byte("import helper, os\nprint(helper.hi(), open('data.csv').read(), sorted(os.listdir(os.environ['INPUTS_DIR'])), open('sub/deep/x').read())"),
			Inputs: []Input{{Name: "helper.py", Data: []byte("def hi(): return 'hi'")}, {Name: "data.csv", Data: []byte("1,2")}, {Name: "sub/deep/x", Data: []byte("deep")}},
		}, verdict: VerdictOK, stdout: "hi 1,2 ['data.csv', 'helper.py', 'sub'] deep\n"},
		{name: "invalid bytes", request: code(`import sys; sys.stdout.buffer.write(b"a\xffb\xf0\x9f")`), verdict: VerdictOK, stdout: "a\ufffdb\ufffd\ufffd"},
		{name: "artifacts", request: code("import os\nA=os.environ['ARTIFACTS_DIR']\nopen(A+'/b.txt','w').write('b')\nos.mkdir(A+'/d')\nopen(A+'/d/a.bin','w')"), verdict: VerdictOK, check: func(t *testing.T, r *Result) {
			if len(r.Artifacts) != 2 || r.Artifacts[0].Path != "b.txt" || string(r.Artifacts[0].Content) != "b" || r.Artifacts[1].Path != "d/a.bin" || r.Artifacts[1].Content == nil {
				t.Errorf("artifacts %+v", r.Artifacts)
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			kinds(t, func(t *testing.T, e *Executor) {
				if tt.request.Stdin != nil {
					s := tt.request.Stdin.(*strings.Reader)
					_, _ = s.Seek(0, io.SeekStart)
				}
				r := execute(t, e, tt.request)
				if r.Verdict != tt.verdict || r.ExitCode != tt.exit || r.Stdout != tt.stdout && tt.stdout != "" || !strings.Contains(r.Stderr, tt.stderr) {
					t.Fatalf("verdict %s, exit %d, stdout %q, stderr %q", r.Verdict, r.ExitCode, r.Stdout, r.Stderr)
				}
				if tt.check != nil {
					tt.check(t, r)
				}
			})
		})
	}
}

func TestCancelled(t *testing.T) {
	kinds(t, func(t *testing.T, e *Executor) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		seen := &trigger{on: "go\n", do: cancel}
		r := within(30*time.Second, code("print('go')\nwhile True: pass"))
		r.Stdout = seen
		began := time.Now()
		res, err := e.Execute(ctx, r)
		if err != nil {
			t.Fatal(err)
		}
		if res.Verdict != VerdictCancelled || res.Stdout != "go\n" || res.ExitCode != 137 {
			t.Errorf("verdict %s, stdout %q, exit %d", res.Verdict, res.Stdout, res.ExitCode)
		}
		if since := time.Since(began); since > 25*time.Second { // much of it is the start, where little is left of the machine
			t.Errorf("took %v", since)
		}
	})
}

// trigger does something once it has been shown a text.
type trigger struct {
	on   string
	do   func()
	seen bytes.Buffer
}

func (w *trigger) Write(p []byte) (int, error) {
	w.seen.Write(p)
	if w.do != nil && strings.Contains(w.seen.String(), w.on) {
		w.do()
		w.do = nil
	}
	return len(p), nil
}

// broken is a reader that went away.
type broken struct{ after int }

func (w *broken) Write(p []byte) (int, error) {
	if w.after -= len(p); w.after < 0 {
		return 0, io.ErrClosedPipe
	}
	return len(p), nil
}

func TestLiveWriterGone(t *testing.T) {
	kinds(t, func(t *testing.T, e *Executor) {
		r := within(20*time.Second, code("while True: print('y')"))
		r.Stdout = &broken{after: 100}
		res, err := e.Execute(t.Context(), r)
		var gone *WriteError
		if !errors.As(err, &gone) || gone.Stream != "stdout" || !errors.Is(err, io.ErrClosedPipe) {
			t.Fatalf("error %v", err)
		}
		if res == nil || res.Verdict != VerdictCancelled || !strings.HasPrefix(res.Stdout, "y\ny\n") {
			t.Errorf("result %+v", res)
		}
	})
}

func TestStdinThatNeverEnds(t *testing.T) {
	kinds(t, func(t *testing.T, e *Executor) {
		never, hold := io.Pipe()
		defer hold.Close()
		began := time.Now()
		res := execute(t, e, Request{Code: []byte("print('done')"), Stdin: never})
		if res.Stdout != "done\n" || time.Since(began) > 10*time.Second {
			t.Errorf("stdout %q after %v", res.Stdout, time.Since(began))
		}
	})
}

func TestOutputIsBounded(t *testing.T) {
	for _, kind := range []string{"none", "native"} {
		t.Run(kind, func(t *testing.T) {
			e := newExecutor(t, Options{Sandbox: kind, MaxOutputBytes: 4096, MaxOutputTotal: 1 << 20})
			r := execute(t, e, code("for i in range(20000): print(i)"))
			if r.Verdict != VerdictOK || !strings.HasPrefix(r.Stdout, "0\n1\n") || !strings.HasSuffix(r.Stdout, "\n19999\n") || r.Truncated == nil || r.Truncated.StdoutBytes != 108890 {
				t.Errorf("verdict %s, truncated %+v, stdout %q", r.Verdict, r.Truncated, r.Stdout)
			}
			if !strings.Contains(r.Stdout, "\n... [") || len(r.Stdout) > 4200 {
				t.Errorf("no mark in %q", r.Stdout)
			}
			r = execute(t, e, code("while True: print('x' * 65536, end='')"))
			if r.Verdict != VerdictOutput || r.Hint == "" || len(r.Stdout) > 4200 {
				t.Errorf("verdict %s, hint %q, %d bytes", r.Verdict, r.Hint, len(r.Stdout))
			}
		})
	}
}

func TestRejected(t *testing.T) {
	e := newExecutor(t, Options{Sandbox: "none"})
	for _, src := range []string{
		"# /// script\n# dependencies = ['requests']\n# ///\nprint(1)\n",
		"# /// script\n# requires-python = \">=3.99\"\n# ///\nprint(1)\n",
	} {
		r := execute(t, e, code(src))
		if r.Verdict != VerdictRejected || r.ExitCode != 2 || r.Stdout != "" || !strings.HasPrefix(r.Stderr, "pyrun: ") {
			t.Errorf("verdict %s, exit %d, stdout %q, stderr %q", r.Verdict, r.ExitCode, r.Stdout, r.Stderr)
		}
		if r.Artifacts == nil || len(r.RequestID) != 8 || r.Sandbox.Backend != "none" {
			t.Errorf("result %+v", r)
		}
	}
}

func TestQueue(t *testing.T) {
	e := newExecutor(t, Options{Sandbox: "none", MaxWorkers: 1, MaxQueue: 1})
	began, held := make(chan struct{}), make(gate)
	first := make(chan *Result, 1)
	go func() {
		r := code("print('on')\nimport sys; sys.stdin.read()")
		r.Stdin, r.Stdout = held, &trigger{on: "on", do: func() { close(began) }}
		res, _ := e.Execute(context.Background(), r)
		first <- res
	}()
	<-began
	ctx, cancel := context.WithCancel(t.Context())
	waiting := make(chan error, 1)
	go func() {
		_, err := e.Execute(ctx, code("pass"))
		waiting <- err
	}()
	for e.Load().Waiting == 0 {
		time.Sleep(time.Millisecond)
	}
	if _, err := e.Execute(t.Context(), code("pass")); !errors.Is(err, ErrBusy) {
		t.Errorf("a third: %v", err)
	}
	cancel()
	if err := <-waiting; !errors.Is(err, context.Canceled) {
		t.Errorf("the waiting one: %v", err)
	}
	// The time in the queue is no part of the timeout.
	const wall = 2 * time.Second
	go func() {
		for e.Load().Waiting == 0 {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(wall)
		close(held)
	}()
	res := execute(t, e, within(wall, code("print('late')")))
	if res.Verdict != VerdictOK || res.Usage.QueueMS < wall.Milliseconds() {
		t.Errorf("after the queue: %s, queued %d ms", res.Verdict, res.Usage.QueueMS)
	}
	if r := <-first; r == nil || r.Verdict != VerdictOK {
		t.Errorf("the first: %+v", r)
	}
}

func TestClose(t *testing.T) {
	e, err := New(Options{Sandbox: "none"})
	if err != nil {
		t.Fatal(err)
	}
	began := make(chan struct{})
	done := make(chan *Result, 1)
	go func() {
		r := within(30*time.Second, code("print('on')\nimport time; time.sleep(30)"))
		r.Stdout = &trigger{on: "on", do: func() { close(began) }}
		res, _ := e.Execute(context.Background(), r)
		done <- res
	}()
	<-began
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if r := <-done; r == nil || r.Verdict != VerdictCancelled {
		t.Errorf("the run that was closed on: %+v", r)
	}
	if _, err := e.Execute(t.Context(), code("pass")); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

func TestFolder(t *testing.T) {
	t.Parallel()
	e := newExecutor(t, Options{Sandbox: "none", CacheDir: t.TempDir()})
	const src = "import os\nA=os.environ['ARTIFACTS_DIR']\nopen(A+'/a.txt','w').write('new')\nos.mkdir(A+'/d')\nopen(A+'/d/b.txt','w').write('b')\nopen(A+'/.hidden','w').write('h')"
	t.Run("fresh", func(t *testing.T) {
		dir := t.TempDir() + "/out"
		r := execute(t, e, Request{Code: []byte(src), Folder: dir})
		if len(r.Artifacts) != 3 || r.Artifacts[0].File != dir+"/.hidden" || r.Artifacts[0].Content != nil {
			t.Fatalf("artifacts %+v", r.Artifacts)
		}
		if b, err := os.ReadFile(dir + "/d/b.txt"); err != nil || string(b) != "b" {
			t.Errorf("d/b.txt: %q, %v", b, err)
		}
	})
	t.Run("links and hidden names", func(t *testing.T) {
		dir, other := t.TempDir(), t.TempDir()
		if err := os.WriteFile(other+"/precious", []byte("old"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(other+"/precious", dir+"/a.txt"); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(other, dir+"/d"); err != nil {
			t.Fatal(err)
		}
		res, err := e.Execute(t.Context(), Request{Code: []byte(src), Folder: dir})
		var bad *FolderError
		if !errors.As(err, &bad) || res == nil {
			t.Fatalf("error %v", err)
		}
		if b, _ := os.ReadFile(other + "/precious"); string(b) != "old" {
			t.Errorf("a link was followed: %q", b)
		}
		if b, err := os.ReadFile(dir + "/a.txt"); err != nil || string(b) != "new" {
			t.Errorf("a.txt: %q, %v", b, err)
		}
		if _, err := os.Lstat(other + "/b.txt"); err == nil {
			t.Error("written through a linked folder")
		}
		if _, err := os.Lstat(dir + "/.hidden"); err == nil {
			t.Error("a hidden name was written among files")
		}
		if names, _ := os.ReadDir(dir); len(names) != 2 {
			t.Errorf("left behind: %v", names)
		}
	})
	t.Run("a file", func(t *testing.T) {
		file := t.TempDir() + "/f"
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := e.Execute(t.Context(), Request{Code: []byte("print(1)"), Folder: file})
		var bad *RequestError
		if !errors.As(err, &bad) || bad.Field != "folder" {
			t.Errorf("error %v", err)
		}
	})
	t.Run("nothing came", func(t *testing.T) {
		dir := t.TempDir() + "/out"
		execute(t, e, Request{Code: []byte("pass"), Folder: dir})
		if _, err := os.Lstat(dir); err == nil {
			t.Error("an empty folder was left")
		}
	})
	t.Run("kept", func(t *testing.T) {
		r := execute(t, e, Request{Code: []byte(src), Keep: true})
		want := e.options.CacheDir + "/runs/" + r.RequestID + "/a.txt"
		if len(r.Artifacts) != 3 || r.Artifacts[1].File != want {
			t.Errorf("artifacts %+v, want %s", r.Artifacts, want)
		}
	})
}

func TestRunsArePruned(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	for i := range 60 {
		name := dir + "/" + newID()
		if err := os.MkdirAll(name+"/sub", 0o755); err != nil {
			t.Fatal(err)
		}
		when := now.Add(-time.Duration(i) * time.Hour)
		if err := os.Chtimes(name, when, when); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(dir+"/mine", 0o755); err != nil {
		t.Fatal(err)
	}
	pruneRuns(dir, 49)
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 50 {
		t.Fatalf("%d entries, %v", len(entries), err)
	}
	for _, e := range entries {
		if info, _ := e.Info(); e.Name() != "mine" && info.ModTime().Before(now.Add(-49*time.Hour)) {
			t.Errorf("an old one stayed: %s", info.ModTime())
		}
	}
}

func TestOptions(t *testing.T) {
	for _, tt := range []struct {
		o     Options
		field string
	}{
		{Options{Sandbox: "restricted"}, "sandbox"},
		{Options{Sandbox: "bwrap"}, "sandbox"},
		{Options{Network: "host"}, "network"},
		{Options{MaxWorkers: -1}, "max_workers"},
		{Options{DefaultTimeout: time.Hour, MaxTimeout: time.Minute}, "default_timeout"},
		{Options{Limits: sandbox.Limits{Memory: 1}}, "memory"},
		{Options{MaxCodeBytes: -5}, "max_code_bytes"},
	} {
		_, err := New(tt.o)
		var bad *RequestError
		if !errors.As(err, &bad) || bad.Field != tt.field {
			t.Errorf("%+v: %v", tt.o, err)
		}
	}
	if o, err := (Options{MaxTimeout: 5 * time.Second}).withDefaults(); err != nil || o.DefaultTimeout != 5*time.Second || o.Sandbox != "native" {
		t.Errorf("%+v, %v", o, err)
	}
}
