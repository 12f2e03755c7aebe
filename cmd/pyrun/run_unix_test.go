//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

// fake is an executor that runs nothing.
type fake struct {
	options exec.Options
	request exec.Request
	stdin   string
	closed  bool
	do      func(ctx context.Context, r exec.Request) (*exec.Result, error)
}

func (f *fake) Execute(ctx context.Context, r exec.Request) (*exec.Result, error) {
	f.request = r
	if r.Stdin != nil {
		b, _ := io.ReadAll(r.Stdin)
		f.stdin = string(b)
	}
	if f.do != nil {
		return f.do(ctx, r)
	}
	return result(exec.VerdictOK, 0), nil
}

func (f *fake) Validate(context.Context, exec.Validation) (*exec.Report, error) {
	return nil, errors.New("nobody asked for this")
}

func (f *fake) Check(context.Context, exec.Inspection) (*exec.Environment, error) {
	return nil, errors.New("a fake looks at nothing")
}

func (f *fake) Close() error { f.closed = true; return nil }

func result(v exec.Verdict, code int) *exec.Result {
	return &exec.Result{Verdict: v, ExitCode: code, DurationMS: 14, RequestID: "3f9c2a71", Artifacts: []exec.Artifact{}}
}

// told is what came of one command line.
type told struct {
	code           int
	stdout, stderr string
}

// try runs a command line in an empty folder with the given files, and f for an executor.
func try(t *testing.T, f *fake, stdin string, files map[string]string, environ []string, args ...string) told {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	streams := t.TempDir()
	open := func(name string) *os.File {
		file, err := os.OpenFile(filepath.Join(streams, name), os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { file.Close() })
		return file
	}
	in, out, errs := open("in"), open("out"), open("err")
	if _, err := in.WriteString(stdin); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	w := world{stdin: in, stdout: out, stderr: errs, environ: environ, dir: dir, open: func(o exec.Options) (executor, error) {
		f.options = o
		return f, nil
	}}
	got := told{code: w.main(context.Background(), append([]string{"pyrun"}, args...))}
	read := func(file *os.File) string {
		b, err := os.ReadFile(file.Name())
		if err != nil {
			t.Fatal(err)
		}
		return strings.ReplaceAll(string(b), dir, "$DIR")
	}
	got.stdout, got.stderr = read(out), read(errs)
	return got
}

func TestRunMakesTheRequest(t *testing.T) {
	f := &fake{}
	got := try(t, f, "from stdin", map[string]string{"my app.py": "print(1)", "data.csv": "x", "a=b.txt": "y", "sub/c.txt": "z"},
		[]string{"TOKEN=secret", "HOME=/h"},
		"run", "my app.py", "-i", "data.csv", "--in", "sub=s", "-i", "a=b.txt", "--env", "A=1=2", "--env", "TOKEN",
		"--timeout", "1m", "--memory", "1G", "--value", "--", "-v", "two words")
	if got.code != 0 || got.stderr != "" || got.stdout != "" {
		t.Fatalf("%+v", got)
	}
	r := f.request
	if string(r.Code) != "print(1)" || r.Name != "my app.py" || f.stdin != "from stdin" || !r.Value || !r.Terminal || !r.Keep || r.Folder != "" {
		t.Errorf("request %+v, stdin %q", r, f.stdin)
	}
	if d := cmp.Diff([]string{"-v", "two words"}, r.Args); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(map[string]string{"A": "1=2", "TOKEN": "secret"}, r.Env); d != "" {
		t.Error(d)
	}
	var inputs []string
	for _, in := range r.Inputs {
		inputs = append(inputs, in.Name+" "+filepath.Base(in.Path))
	}
	if d := cmp.Diff([]string{"data.csv data.csv", "s sub", "a=b.txt a=b.txt"}, inputs); d != "" {
		t.Error(d)
	}
	if r.Limits.Wall.String() != "1m0s" || f.options.Limits.Memory != 1<<30 || f.options.BuiltinPackages == "" {
		t.Errorf("limits %v, options %+v", r.Limits, f.options)
	}
	if !f.closed {
		t.Error("the executor was left open")
	}
}

func TestRunSources(t *testing.T) {
	f := &fake{}
	if got := try(t, f, "print('in')", nil, nil, "run", "-"); got.code != 0 || string(f.request.Code) != "print('in')" || f.request.Stdin != nil || f.request.Name != "" {
		t.Errorf("-: %+v, %+v", got, f.request)
	}
	f = &fake{}
	if got := try(t, f, "in", nil, nil, "run", "-c", "print(2)", "--", "a"); got.code != 0 || string(f.request.Code) != "print(2)" || f.stdin != "in" || f.request.Args[0] != "a" {
		t.Errorf("-c: %+v, %+v", got, f.request)
	}
	f = &fake{}
	if got := try(t, f, "", map[string]string{"-odd.py": "3"}, nil, "run", "--", "-odd.py", "-x"); got.code != 0 || string(f.request.Code) != "3" || f.request.Args[0] != "-x" {
		t.Errorf("-- -odd.py: %+v, %+v", got, f.request)
	}
	f = &fake{}
	if got := try(t, f, "", map[string]string{"empty.py": ""}, nil, "run", "empty.py"); got.code != 0 || len(f.request.Code) != 0 {
		t.Errorf("empty: %+v", got)
	}
	f = &fake{}
	if got := try(t, f, "", map[string]string{"x.py": ""}, nil, "run", "x.py", "--json", "--no-figures", "--out", "o"); got.code != 0 || f.request.Keep || !strings.HasSuffix(f.request.Folder, "/o") || !f.options.NoFigures {
		t.Errorf("json: %+v, %+v", got, f.request)
	}
}

func TestRunTells(t *testing.T) {
	live := func(r exec.Request, out, errs string) {
		if r.Stdout != nil {
			_, _ = io.WriteString(r.Stdout, out)
			_, _ = io.WriteString(r.Stderr, errs)
		}
	}
	pipe := &exec.WriteError{Stream: "stdout", Err: syscall.EPIPE}
	tests := []struct {
		name string
		do   func(context.Context, exec.Request) (*exec.Result, error)
		args []string
		want told
	}{
		{"bytes pass to a file", func(_ context.Context, r exec.Request) (*exec.Result, error) {
			live(r, "\x1b[2J\xff\r\n", "e\x07")
			return result(exec.VerdictOK, 0), nil
		}, nil, told{0, "\x1b[2J\xff\r\n", "e\x07"}},
		{"the script's own code", func(context.Context, exec.Request) (*exec.Result, error) { return result(exec.VerdictError, 7), nil }, nil, told{7, "", ""}},
		{"timeout", func(_ context.Context, r exec.Request) (*exec.Result, error) {
			live(r, "a\nb\n", "")
			return result(exec.VerdictTimeout, 137), nil
		}, nil, told{124, "a\nb\n", "pyrun: stopped after 14 ms: time limit; 2 lines were printed before\n"}},
		{
			"memory", func(context.Context, exec.Request) (*exec.Result, error) { return result(exec.VerdictMemory, 137), nil }, nil,
			told{137, "", "pyrun: killed after 14 ms: memory limit, 512 MiB reached\n"},
		},
		{"request error names the flag", func(context.Context, exec.Request) (*exec.Result, error) {
			return nil, &exec.RequestError{Field: "memory", Msg: "is below 16 MiB"}
		}, nil, told{2, "", "pyrun: --memory: is below 16 MiB\n  nothing was run.\n"}},
		{"request error names the file", func(context.Context, exec.Request) (*exec.Result, error) {
			return nil, &exec.RequestError{Field: "code", Msg: "has a NUL byte in line 3"}
		}, nil, told{2, "", "pyrun: x.py: has a NUL byte in line 3\n  nothing was run.\n"}},
		{"pyrun's own failure", func(context.Context, exec.Request) (*exec.Result, error) {
			return nil, errors.New("sandbox: mount /proc: operation not permitted")
		}, nil, told{125, "", "pyrun: sandbox: mount /proc: operation not permitted\n  nothing was run.\n"}},
		{"cache", func(context.Context, exec.Request) (*exec.Result, error) {
			return nil, &exec.CacheError{Err: errors.New("HOME is not set"), Remedy: "set HOME"}
		}, nil, told{125, "", "pyrun: prepare the cache folder: HOME is not set\n  fix:  set HOME\n  nothing was run.\n"}},
		{"reader went away", func(context.Context, exec.Request) (*exec.Result, error) {
			return result(exec.VerdictCancelled, 137), pipe
		}, nil, told{141, "", ""}},
		{"folder filled up", func(context.Context, exec.Request) (*exec.Result, error) {
			return result(exec.VerdictOK, 0), &exec.FolderError{Folder: "o", Err: syscall.ENOSPC}
		}, nil, told{125, "", "pyrun: write artifacts to o: no space left on device\n  fix:  write them elsewhere with --out DIR\n"}},
		{"value", func(context.Context, exec.Request) (*exec.Result, error) {
			r := result(exec.VerdictOK, 0)
			r.Value = "42"
			return r, nil
		}, nil, told{0, "", "pyrun: value: 42\n"}},
		{"quiet", func(_ context.Context, r exec.Request) (*exec.Result, error) {
			live(r, "out\n", "trace\n")
			res := result(exec.VerdictError, 1)
			res.Hint = "a hint"
			res.Artifacts = []exec.Artifact{{Path: "a"}}
			return res, nil
		}, []string{"--quiet"}, told{1, "out\n", "trace\n"}},
		{"none is loud, also when quiet", nil, []string{"--sandbox", "none", "--quiet"}, told{
			0, "",
			"pyrun: warning: no sandbox: this script can read, change and send whatever you can\n  why:  the sandbox is set to none (flag --sandbox)\n",
		}},
		{"timeout over the maximum", nil, []string{"--timeout", "10m"}, told{
			0, "",
			"pyrun: warning: --timeout 10m is over runner.max_timeout: the run gets 5m\n",
		}},
		{"words end up on lines of their own", func(_ context.Context, r exec.Request) (*exec.Result, error) {
			live(r, "", "no newline")
			res := result(exec.VerdictError, 1)
			res.Hint = "h"
			return res, nil
		}, nil, told{1, "", "no newline\npyrun: exit 1 after 14 ms\n  hint: h\n"}},
		{"colour on a file when asked for", func(context.Context, exec.Request) (*exec.Result, error) {
			res := result(exec.VerdictError, 1)
			res.Hint = "h"
			return res, nil
		}, []string{"--color", "always"}, told{1, "", "pyrun: exit 1 after 14 ms\n  \x1b[33mhint:\x1b[0m h\n"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := try(t, &fake{do: tt.do}, "", map[string]string{"x.py": "pass"}, nil, append([]string{"run", "x.py"}, tt.args...)...)
			if d := cmp.Diff(tt.want, got, cmp.AllowUnexported(told{})); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestRunJSON(t *testing.T) {
	f := &fake{do: func(_ context.Context, r exec.Request) (*exec.Result, error) {
		if r.Stdout != nil || r.Stderr != nil {
			t.Error("live writers beside --json")
		}
		res := result(exec.VerdictError, 1)
		res.Stdout, res.Hint = "<b>&\n", "a hint"
		return res, nil
	}}
	got := try(t, f, "", map[string]string{"x.py": ""}, nil, "run", "x.py", "--json")
	var back map[string]any
	if err := json.Unmarshal([]byte(got.stdout), &back); err != nil {
		t.Fatal(err)
	}
	if got.code != 1 || got.stderr != "" || back["stdout"] != "<b>&\n" || !strings.Contains(got.stdout, `"stdout": "<b>&\n"`) {
		t.Errorf("%+v", got)
	}
}

// TestRunRefuses: each mistake is one line that names the thing, and the way out.
func TestRunRefuses(t *testing.T) {
	files := map[string]string{"hello.py": "print(1)", "data.csv": "x", "app/__main__.py": "", "lib/x.py": "", "bad.yaml": "runner:\n  memry: 1G\n"}
	tests := []struct {
		args string
		want string
	}{
		{"run", "pyrun: no script was given\n  fix:  pyrun run hello.py, pyrun run - to read stdin, or pyrun run -c 'print(1)'\n"},
		{"run helo.py", "pyrun: helo.py does not exist; did you mean hello.py?\n"},
		{"run hello.txt", "pyrun: hello.txt does not exist; did you mean hello.py?\n"},
		{"run nothing-like-it", "pyrun: nothing-like-it does not exist\n"},
		{"run app", "pyrun: app is a folder\n  fix:  pyrun run app/__main__.py --in app\n"},
		{"run lib", "pyrun: lib is a folder\n  fix:  name the file to start; the rest comes in with --in lib\n"},
		{"run hello.py a b", "pyrun: a is one word too many; words for the script stand after --\n  fix:  pyrun run hello.py -- a b\n"},
		{"run -c 1 hello.py", "pyrun: -c and hello.py: give code or a file, not both\n  fix:  words for the script stand after --\n"},
		{"run hello.py --in dta.csv", "pyrun: --in dta.csv does not exist; did you mean data.csv?\n"},
		{"run hello.py --in data.csv=", "pyrun: --in data.csv=: the name after = is empty\n"},
		{"run hello.py --in /", "pyrun: --in /: is the whole machine\n  fix:  name the folder that the script needs\n"},
		{"run hello.py --env NOPE", "pyrun: --env NOPE: is not set here, so there is nothing to pass on\n  fix:  --env NOPE=VALUE\n"},
		{"run hello.py --timeout 0", "pyrun: --timeout: \"0\" is no time at all; write 10s, 2m or a number of seconds\n"},
		{"run hello.py --timeout soon", "pyrun: --timeout: \"soon\" is not a time; write 10s, 2m or a number of seconds\n"},
		{"run hello.py --timeout -5", "pyrun: --timeout: \"-5\" is not a time; write 10s, 2m or a number of seconds\n"},
		{"run hello.py --memory 12X", "pyrun: --memory: \"12X\" is not a size; write 512M, 1G or a number of bytes\n"},
		{"run hello.py --memory 1K", "pyrun: --memory: "},
		{"run hello.py --sandbox box", "pyrun: --sandbox: "},
		{"run hello.py --color red", "pyrun: --color red: is none of auto, always, never\n"},
		{"run hello.py --config bad.yaml", "pyrun: bad.yaml:2: "},
		{"run hello.py --config none.yaml", "pyrun: none.yaml"},
		{"run hello.py --out=", "pyrun: --out: the name of the folder is empty\n"},
		{"config x", "pyrun: config takes no words: x\n  fix:  pyrun config\n"},
		{"help nope", "pyrun: there is no help on nope\n"},
		{"help sandbx", "pyrun: there is no help on sandbx; did you mean sandbox?\n"},
		{"completion bsh", "pyrun: there is no completion for bsh; did you mean bash?\n"},
	}
	for _, tt := range tests {
		t.Run(tt.args, func(t *testing.T) {
			f := &fake{do: func(context.Context, exec.Request) (*exec.Result, error) {
				t.Error("something was run")
				return nil, nil
			}}
			got := try(t, f, "", files, nil, strings.Fields(tt.args)...)
			if got.code != 2 || got.stdout != "" || !strings.HasPrefix(got.stderr, tt.want) {
				t.Errorf("%+v\nwant %q", got, tt.want)
			}
		})
	}
}

func TestInterrupted(t *testing.T) {
	f := &fake{do: func(ctx context.Context, r exec.Request) (*exec.Result, error) {
		if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		<-ctx.Done()
		return result(exec.VerdictCancelled, 137), nil
	}}
	got := try(t, f, "", map[string]string{"x.py": ""}, nil, "run", "x.py")
	if got.code != 143 || got.stderr != "pyrun: interrupted after 14 ms\n" {
		t.Errorf("%+v", got)
	}
}

// TestInterruptedWhileReading: a script that never ends to come does not keep
// a signal waiting, and nothing is run.
func TestInterruptedWhileReading(t *testing.T) {
	mine := make(chan os.Signal, 1)
	signal.Notify(mine, syscall.SIGTERM) // one that comes too early must not end the test
	defer signal.Stop(mine)
	r, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer out.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	w := world{
		stdin: r, stdout: null, stderr: null, dir: t.TempDir(),
		open: func(exec.Options) (executor, error) { return nil, errors.New("a run was begun") },
	}
	code := make(chan int)
	go func() { code <- w.main(context.Background(), []string{"pyrun", "run", "-"}) }()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for range 3000 {
		select {
		case got := <-code:
			if got != 143 {
				t.Errorf("exit code %d", got)
			}
			return
		case <-again.C:
			if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			<-mine // it has come: one on its way would end the program that listens no more
		}
	}
	t.Fatal("it goes on reading")
}
