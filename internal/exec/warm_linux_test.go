package exec

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pyrun-dev/pyrun/internal/exec/sandbox"
)

//go:embed testdata/warm/state.py
var stateScript string

// TestWarmIsCold: what a script can find out about its Python is the same in a
// warm copy and in a cold start, but for what is named here.
func TestWarmIsCold(t *testing.T) {
	cold := newExecutor(t, Options{Sandbox: "native"})
	warm := warmExecutor(t, Options{Preload: preloaded[:]}) // packages bring loggers and warnings of their own
	for name, r := range map[string]Request{
		"plain":  {},
		"words":  {Args: []string{"a", "ü", ""}, Stdin: strings.NewReader("in\n"), Name: "mine.py"},
		"value":  {Value: true, Inputs: []Input{{Name: "data/x.csv", Data: []byte("1")}}},
		"stdlib": {StdlibOnly: true},
	} {
		t.Run(name, func(t *testing.T) {
			r.Code = []byte(stateScript)
			one := stateOf(t, cold, r)
			if r.Stdin != nil {
				r.Stdin = strings.NewReader("in\n")
			}
			refilled(t, warm)
			two := stateOf(t, warm, r)
			// A uid is of one run.
			for _, s := range []map[string]any{one, two} {
				delete(s, "uid")
				delete(s["limits"].(map[string]any), "RLIMIT_NPROC") // a copy's keeper is one
			}
			if diff := cmp.Diff(one, two); diff != "" {
				t.Errorf("cold and warm differ:\n%s", diff)
			}
		})
	}
	allWarm(t, warm)
}

// allWarm checks that no run but the first, which began the pool, was cold.
func allWarm(t *testing.T, e *Executor) {
	t.Helper()
	if s := e.Pool(); s.Cold > 1 || s.Warm == 0 {
		t.Errorf("not all were warm: %+v", s)
	}
}

func stateOf(t *testing.T, e *Executor, r Request) map[string]any {
	t.Helper()
	res := execute(t, e, r)
	if res.Verdict != VerdictOK {
		t.Fatalf("%s: %s", res.Verdict, res.Stderr)
	}
	var s map[string]any
	if err := json.Unmarshal([]byte(res.Stdout), &s); err != nil {
		t.Fatalf("%v: %s", err, res.Stdout)
	}
	return s
}

// TestCopiesDiffer: what should be different in every run is.
func TestCopiesDiffer(t *testing.T) {
	e := warmExecutor(t, Options{})
	script := `
import ssl, uuid, random, tempfile, secrets, os, threading, time, multiprocessing.process as mp
print("ssl", ssl.RAND_bytes(16).hex())
print("uuid4", uuid.uuid4())
print("uuid1", uuid.uuid1())
print("random", random.random(), random.getrandbits(64))
print("secrets", secrets.token_hex())
print("tempfile", tempfile.mktemp())
print("urandom", os.urandom(16).hex())
print("authkey", bytes(mp.current_process().authkey).hex())
try:
    import numpy
    print("numpy", numpy.random.rand(2), numpy.random.default_rng().random())
except ImportError:
    pass
print("= pid", os.getpid(), os.getppid(), threading.get_native_id(), threading.main_thread().native_id)
`
	seen := map[string][]string{}
	for range 4 {
		r := execute(t, e, code(script))
		if r.Verdict != VerdictOK {
			t.Fatalf("%+v", r)
		}
		for line := range strings.Lines(r.Stdout) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
			if name == "=" {
				if value != "pid 2 1 2 2" {
					t.Errorf("%s", value)
				}
				continue
			}
			if slices.Contains(seen[name], value) {
				t.Errorf("%s is %s again", name, value)
			}
			seen[name] = append(seen[name], value)
		}
	}
	if names := slices.Sorted(maps.Keys(seen)); len(names) < 8 {
		t.Errorf("only %v", names)
	}
}

// TestWarmEnds: a script's end is told as from a cold start, whatever it does.
func TestWarmEnds(t *testing.T) {
	cold := newExecutor(t, Options{Sandbox: "native"})
	warm := warmExecutor(t, Options{Preload: preloaded[:]}) // packages bring loggers and warnings of their own
	for name, script := range map[string]string{
		"plain":             `print("x")`,
		"error":             "def f(): 1/0\nf()",
		"syntax":            "x = (",
		"exit number":       `import sys; sys.exit(3)`,
		"exit big":          `import sys; sys.exit(2**40 + 7)`,
		"exit too big":      `import sys; sys.exit(2**63)`,
		"exit too negative": `import sys; sys.exit(-2**70)`,
		"exit smallest":     `import sys; sys.exit(-2**63)`,
		"exit negative":     `import sys; sys.exit(-1)`,
		"exit word":         `import sys; sys.exit("bye")`,
		"exit none":         `import sys; sys.exit()`,
		"exit bool":         `raise SystemExit(True)`,
		"exit object":       `raise SystemExit([1])`,
		"exit builtin":      `exit(4)`,
		"interrupt":         `raise KeyboardInterrupt`,
		"hook":              "import sys\nsys.excepthook = lambda *a: print('hook', a[0])\n1/0",
		"hook exits":        "import sys\nsys.excepthook = lambda *a: sys.exit(9)\n1/0",
		"atexit":            "import atexit\natexit.register(print, 'one')\natexit.register(print, 'two')\nprint('main')",
		"atexit fails":      "import atexit\natexit.register(lambda: 1/0)",
		"atexit exits":      "import atexit, os\natexit.register(lambda: os._exit(7))",
		"del":               "class D:\n    def __init__(s, n): s.n = n\n    def __del__(s): print('del', s.n)\na, _b, c = D('a'), D('_b'), D('c')\nd = [D('list')]; d.append(d)",
		"del imports":       "class D:\n    def __del__(s):\n        import this\nx = D()",
		"del uses globals":  "y = 5\nclass D:\n    def __del__(s): print(y, len(str(y)))\nx = D()",
		"del fails":         "class D:\n    def __del__(s): 1/0\nx = D()",
		"del after error":   "class D:\n    def __del__(s): print('del')\nx = D()\nraise ValueError('no')",
		"warned":            "import warnings\nwarnings.simplefilter('always')\nasync def c(): pass\nx, f, d = c(), open('/dev/null'), {}\nd[1] = d, c()",
		"thread":            "import threading, time\nthreading.Thread(target=lambda: (time.sleep(.1), print('late'))).start()\nprint('main')",
		"daemon":            "import threading, time\nthreading.Thread(target=lambda: (time.sleep(30), print('never')), daemon=True).start()\nprint('main')",
		"thread fails":      "import threading\nt = threading.Thread(target=lambda: 1/0, name='T'); t.start(); t.join()",
		"closed stdout":     "import sys\nsys.stdout.close()",
		"own stdout":        "import sys\nclass W:\n    def write(s, x): return sys.__stderr__.write('<' + x + '>')\n    def flush(s): print('flush', file=sys.__stderr__)\nsys.stdout = W()\nprint('x')",
		"broken flush":      "import sys\nclass W:\n    def write(s, x): pass\n    def flush(s): raise OSError('no')\nsys.stdout = W()\nprint('x')",
		"buffered":          "import sys, io\nsys.stdout = io.TextIOWrapper(open(1, 'wb', closefd=False))\nprint('kept back')",
		"fork falls off":    "import os\npid = os.fork()\nif pid: os.waitpid(pid, 0)\nprint('end', pid > 0)",
		"fork exits":        "import os, sys\npid = os.fork()\nif not pid: sys.exit(5)\nprint(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))",
		"abort":             "import os\nos.abort()",
		"kill self":         "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)",
		"term self":         "import os, signal\nos.kill(os.getpid(), signal.SIGTERM)",
		"os exit":           "import os\nprint('x')\nos._exit(6)",
		"segfault":          "import ctypes\nctypes.string_at(0)",
		"c buffers":         "import ctypes\nctypes.CDLL(None).printf(b'from c')",
		"unclosed":          "def f(): pass\nout = open(1, 'w', closefd=False)\nout.write('kept back')",
		"unclosed, wrapped": "import io\ndef f(): pass\nout = io.TextIOWrapper(open(1, 'wb', closefd=False))\nout.write('kept back')",
		"unclosed, old":     "import gc\nclass A: pass\na = A(); a.me = a; a.out = open(1, 'w', closefd=False)\na.out.write('kept back')\ngc.collect()",
		"put away":          "import sys, builtins\nclass D:\n    def __del__(s): print('del', s)\n    def __repr__(s): return 'D'\nsys.mine, builtins.mine = D(), [D()]",
		"held by a handler": "import atexit\nclass D:\n    def __del__(s): print('del')\nx = D()\natexit.register(lambda: print(x is None))",
		"module main":       "import sys\nassert sys.modules['__main__'].__dict__ is globals()\nprint(sorted(n for n in globals()))",
		"weakref finalize":  "import weakref\nclass C: pass\nc = C()\nweakref.finalize(c, print, 'finalized')",
		"temporary":         "import tempfile\nt = tempfile.TemporaryDirectory()\nprint('made')",
		"pool":              "from concurrent.futures import ThreadPoolExecutor as P\np = P(2)\nprint(list(p.map(str, range(3))))",
		"processes":         "import multiprocessing as m\nif __name__ == '__main__':\n    with m.get_context('fork').Pool(2) as p: print(p.map(abs, [-1, -2]))",
		"spawn":             "import multiprocessing as m\nif __name__ == '__main__':\n    with m.get_context('spawn').Pool(1) as p: print(p.map(abs, [-1, -2]))",
		"subprocess":        "import subprocess, sys\nprint(subprocess.run([sys.executable, '-c', 'print(6*7)'], capture_output=True, text=True).stdout)",
		"asyncio":           "import asyncio\nasync def f(): await asyncio.sleep(0); return 'done'\nprint(asyncio.run(f()))",
		"recursion":         "def f(): f()\ntry: f()\nexcept RecursionError as e: print(type(e).__name__)",
		"warning":           "import warnings\nwarnings.warn('w')\nwarnings.warn_explicit('x', DeprecationWarning, 'f.py', 3)",
		"traceback hook":    "import traceback\ntry: 1/0\nexcept Exception: traceback.print_exc()",
		"input":             "print(input())",
		"no path":           "import sys\ndel sys.path, sys.path_hooks, sys.meta_path\nprint('x')",
		"no modules":        "import sys\nsys.modules = None\nprint('x')",
		"deep finalization": "import sys\nsys.modules['fake'] = type(sys)('fake')\nsys.modules['fake'].x = type('D', (), {'__del__': lambda s: print('fake gone')})()",
	} {
		t.Run(name, func(t *testing.T) {
			refilled(t, warm)
			r := code(script)
			one, two := execute(t, cold, r), execute(t, warm, r)
			type fate struct {
				Stdout, Stderr, Signal, Hint string
				Code                         int
				Verdict                      Verdict
				Error                        *ScriptError
			}
			of := func(r *Result) fate {
				return fate{r.Stdout, steady(r.Stderr), r.Signal, r.Hint, r.ExitCode, r.Verdict, r.Error}
			}
			if diff := cmp.Diff(of(one), of(two)); diff != "" {
				t.Errorf("cold and warm differ:\n%s", diff)
			}
		})
	}
	allWarm(t, warm)
}

// steady takes addresses, and what faulthandler tells of C, out of a text.
func steady(s string) string {
	var out []string
	for line := range strings.Lines(s) {
		if strings.HasPrefix(line, "Current thread's C stack trace") {
			break
		}
		words := strings.Fields(line)
		for i, w := range words {
			if at := strings.Index(w, "0x"); at >= 0 {
				words[i] = w[:at] + "0x"
			}
		}
		if !strings.HasPrefix(line, "Extension modules:") {
			out = append(out, strings.Join(words, " "))
		}
	}
	return strings.Join(out, "\n")
}

// withoutCopies are walls that cannot be built around copies.
type withoutCopies struct {
	walls
	begun *atomic.Int64
}

func (withoutCopies) copies() error {
	return &sandbox.Error{Step: "make warm copies", Err: sandbox.ErrUnsupported, Why: "their groups"}
}

func (w withoutCopies) zygote(context.Context, sandbox.Policy) (zygote, error) {
	w.begun.Add(1)
	return nil, w.copies()
}

// TestWithoutCopies: where there can be none all runs start cold, nobody tries
// again, and who asked is told once.
func TestWithoutCopies(t *testing.T) {
	newExecutor(t, Options{}) // or it is skipped
	l, err := sandbox.New(sandbox.Options{Backend: sandbox.Native})
	if err != nil {
		t.Fatal(err)
	}
	var begun, told atomic.Int64
	e, err := New(Options{Sandbox: "native", Warm: 2, Python: os.Getenv("PYRUN_TEST_PYTHON"), NoCopies: func(err error) {
		if told.Add(1); !errors.Is(err, ErrNoCopies) {
			t.Errorf("told of %v", err)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	e.walls = withoutCopies{launcher{l}, &begun}
	defer e.Close()
	if err := e.Warmed(t.Context()); !errors.Is(err, ErrNoCopies) {
		t.Errorf("the error is %v", err)
	}
	for range 3 {
		if r := execute(t, e, code("print(1)")); r.Verdict != VerdictOK || r.Stdout != "1\n" {
			t.Errorf("%+v", r)
		}
	}
	if s := e.Pool(); s.Cold != 3 || begun.Load() != 1 || told.Load() != 1 {
		t.Errorf("begun %d times, told %d times, %+v", begun.Load(), told.Load(), s)
	}
}

// TestWarmAfterAll: copies are made when walls can be built, also where they
// could not when the interpreter was found.
func TestWarmAfterAll(t *testing.T) {
	e := warmExecutor(t, Options{})
	late, err := New(e.options)
	if err != nil {
		t.Fatal(err)
	}
	defer late.Close()
	if _, err := late.choose(t.Context(), nil); err != nil { // as check does without walls
		t.Fatal(err)
	}
	if err := late.Warmed(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestWarmed: whoever wants copies can wait for one.
func TestWarmed(t *testing.T) {
	e := warmExecutor(t, Options{})
	if err := e.Warmed(t.Context()); err != nil || e.Pool().Ready == 0 {
		t.Errorf("%v, %+v", err, e.Pool())
	}
	if err := newExecutor(t, Options{}).Warmed(t.Context()); err == nil {
		t.Error("there are copies that nobody wanted")
	}
	if err := newExecutor(t, Options{Sandbox: "none"}).Warmed(t.Context()); !errors.Is(err, ErrNoCopies) {
		t.Errorf("without walls: %v", err)
	}
}
