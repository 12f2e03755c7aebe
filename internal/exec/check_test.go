package exec

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pyrun-dev/pyrun/internal/exec/sandbox"
)

func defaults(t testing.TB, o Options) Options {
	t.Helper()
	o, err := o.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestCheck(t *testing.T) {
	o := defaults(t, Options{MaxCodeBytes: 1000, MaxInputBytes: 10, MaxInputsTotal: 15, MaxInputs: 3})
	in := func(names ...string) Request {
		r := code("pass")
		for _, n := range names {
			r.Inputs = append(r.Inputs, Input{Name: n})
		}
		return r
	}
	long := strings.Repeat("x", 128<<10)
	for _, tt := range []struct {
		name  string
		r     Request
		field string // of the error; empty for none
		msg   string // contained
	}{
		{"fine", code("print(1)"), "", ""},
		{"nothing", code(""), "", ""},
		{"too long", code(strings.Repeat("#", 1001)), "code", "1001 bytes long, at most 1000"},
		{"NUL", code("a\r\nb\rc\nd\x00"), "code", "NUL byte in line 4"},
		{"UTF-16", code("\xff\xfea\x00"), "code", "UTF-16"},
		{"surrogate", code("x = 1\ny = '\xed\xa0\xbd'"), "code", "lone surrogate in line 2"},
		{"latin-1 with a cookie", code("# -*- coding: latin-1 -*-\nx = '\xe9 \xed\xa0\xbd'"), "", ""},
		{"cookie in the second line", code("#!/usr/bin/python\n# vim: set fileencoding=latin-1 :\nx='\xed\xa0\xbd'"), "", ""},
		{"cookie after code", code("x=1\n# coding: latin-1\ny='\xed\xa0\xbd'"), "code", "surrogate"},
		{"not UTF-8, for Python to judge", code("x = '\xe9'"), "", ""},
		{"name", Request{Name: "a/b.py"}, "name", "plain name"},
		{"name with NUL", Request{Name: "a\x00.py"}, "name", "plain name"},
		{"name of dots", Request{Name: ".."}, "name", "plain name"},
		{"long name", Request{Name: strings.Repeat("n", 256)}, "name", "255"},
		{"argument", Request{Args: []string{"a", "b\x00"}}, "args[1]", "NUL"},
		{"long argument", Request{Args: []string{long}}, "args[0]", "128 KiB"},
		{"many arguments", Request{Args: strings.Split(strings.Repeat(strings.Repeat("y", 1000)+",", 1100), ",")}, "args", "1 MiB"},
		{"variable", Request{Env: map[string]string{"A B": "1"}}, "env", "A B"},
		{"variable with =", Request{Env: map[string]string{"A=B": "1"}}, "env", "A=B"},
		{"no variable", Request{Env: map[string]string{"": "1"}}, "env", "name of a variable"},
		{"digit first", Request{Env: map[string]string{"1A": ""}}, "env", "1A"},
		{"NUL in a variable", Request{Env: map[string]string{"A": "\x00"}}, "env.A", "NUL"},
		{"ours", Request{Env: map[string]string{"INPUTS_DIR": "/"}}, "env.INPUTS_DIR", "cannot be changed"},
		{"theirs", Request{Env: map[string]string{"LD_PRELOAD": "x", "_a1": ""}}, "", ""},
		{"inputs", in("a", "b/c"), "", ""},
		{"too many inputs", in("a", "b", "c", "d"), "inputs", "4, at most 3"},
		{"bad name", in("a", "../b"), "inputs[1].name", `part ".."`},
		{"same name", in("a", "a"), "inputs[1].name", "name of inputs[0]"},
		{"same name in capitals", in("Data.csv", "data.CSV"), "inputs[1].name", "name of inputs[0]"},
		{"file and folder", in("a", "a/b"), "inputs[1].name", "would lie in inputs[0]"},
		{"folder and file", in("a/b/c", "A"), "inputs[1].name", "also a folder of inputs[0]"},
		{"shared folder", in("a/b", "a/c", "a/d/e"), "", ""},
		{"large", Request{Inputs: []Input{{Name: "a", Data: make([]byte, 11)}}}, "inputs[0]", "11 bytes long, at most 10"},
		{"large together", Request{Inputs: []Input{{Name: "a", Data: make([]byte, 8)}, {Name: "b", Data: make([]byte, 8)}}}, "inputs", "15 bytes in all"},
		{"both", Request{Inputs: []Input{{Name: "a", Data: []byte{1}, Path: "/x"}}}, "inputs[0]", "both"},
		{"negative timeout", Request{Limits: sandbox.Limits{Wall: -1}}, "timeout", "negative"},
		{"negative memory", Request{Limits: sandbox.Limits{Memory: -1}}, "memory", "negative"},
		{"tiny memory", Request{Limits: sandbox.Limits{Memory: 1000}}, "memory", "16 MiB"},
		{"few descriptors", Request{Limits: sandbox.Limits{OpenFiles: 2}}, "open_files", "16"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := o.check(tt.r)
			var bad *RequestError
			switch {
			case tt.field == "" && err != nil:
				t.Fatalf("refused: %v", err)
			case tt.field == "":
			case !errors.As(err, &bad) || bad.Field != tt.field || !strings.Contains(bad.Msg, tt.msg):
				t.Fatalf("error %v, want %s: ...%s...", err, tt.field, tt.msg)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	o := defaults(t, Options{DefaultTimeout: 10 * time.Second, MaxTimeout: 60 * time.Second})
	cpus := time.Duration(numCPU())
	for _, tt := range []struct {
		wall, cpu         time.Duration
		wantWall, wantCPU time.Duration
		clamped           *Timeout
	}{
		{0, 0, 10 * time.Second, 10*cpus*time.Second + time.Second, nil},
		{time.Second, 0, time.Second, cpus*time.Second + time.Second, nil},
		{300 * time.Millisecond, 0, 300 * time.Millisecond, cpus*time.Second + time.Second, nil},
		{60 * time.Second, 1500 * time.Millisecond, 60 * time.Second, 2 * time.Second, nil},
		{61 * time.Second, time.Second, 60 * time.Second, time.Second, &Timeout{61, 60}},
		{1e9 * time.Second, time.Second, 60 * time.Second, time.Second, &Timeout{1e9, 60}},
	} {
		l, clamped, err := o.limits(sandbox.Limits{Wall: tt.wall, CPU: tt.cpu})
		if err != nil || l.Wall != tt.wantWall || l.CPU != tt.wantCPU {
			t.Errorf("%v, %v: wall %v, cpu %v, %v", tt.wall, tt.cpu, l.Wall, l.CPU, err)
		}
		if (clamped == nil) != (tt.clamped == nil) || clamped != nil && *clamped != *tt.clamped {
			t.Errorf("%v: clamped %+v", tt.wall, clamped)
		}
		if l.Memory != defaultMemory || l.Processes != defaultProcesses || l.OpenFiles != defaultOpenFiles || l.Disk != defaultDisk || l.FileSize != defaultFileSize || l.Inodes != defaultInodes {
			t.Errorf("defaults %+v", l)
		}
	}
	for _, wall := range []time.Duration{math.MaxInt64, 1e9 * time.Second, math.MaxInt64 / 2} {
		for _, n := range []int{0, 1, 2, 1024} {
			if cpu := defaultCPU(wall, n); cpu < time.Second || cpu%time.Second != 0 {
				t.Errorf("cpu %v of %v on %d", cpu, wall, n)
			}
		}
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(name string, n int, mode os.FileMode) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, make([]byte, n), mode); err != nil {
			t.Fatal(err)
		}
		return p
	}
	small, big := write("small", 5, 0o644), write("big", 50, 0o644)
	secret := write("secret", 50, 0o600)
	link := filepath.Join(dir, "link")
	if err := os.Symlink("small", link); err != nil {
		t.Fatal(err)
	}
	o := defaults(t, Options{Sandbox: "none", MaxInputBytes: 10, MaxInputsTotal: 12})
	for _, tt := range []struct {
		name   string
		path   string
		data   int
		source string
		msg    string
	}{
		{"small is copied", small, 5, "", ""},
		{"a link is followed", link, 5, "", ""},
		{"big is shown", big, 0, big, ""},
		{"a folder is shown", dir, 0, dir, ""},
		{"missing", filepath.Join(dir, "no"), 0, "", "no such file"},
		{"a device", os.DevNull, 0, "", "is a device"},
		{"the kernel", "/proc", 0, "", "kernel and devices"},
		{"everything", "/", 0, "", "kernel and devices"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := load([]Input{{Name: "x", Path: tt.path}}, o)
			var bad *RequestError
			if tt.msg != "" {
				if !errors.As(err, &bad) || bad.Field != "inputs[0]" || !strings.Contains(bad.Msg, tt.msg) {
					t.Fatalf("error %v", err)
				}
				return
			}
			if err != nil || len(got) != 1 || len(got[0].data) != tt.data || got[0].source != tt.source {
				t.Fatalf("%+v, %v", got, err)
			}
		})
	}
	t.Run("the total decides too", func(t *testing.T) {
		got, err := load([]Input{{Name: "d", Data: make([]byte, 8)}, {Name: "x", Path: small}}, o)
		if err != nil || len(got) != 2 || got[1].source != small {
			t.Fatalf("%+v, %v", got, err)
		}
	})
	t.Run("another user", func(t *testing.T) {
		if os.Geteuid() != 0 {
			t.Skip("only root runs scripts as another user")
		}
		walled := o
		walled.Sandbox = "native"
		_, err := load([]Input{{Name: "x", Path: secret}}, walled)
		var bad *RequestError
		if !errors.As(err, &bad) || !strings.Contains(bad.Hint, "chmod") {
			t.Fatalf("error %v", err)
		}
	})
}

func TestScriptName(t *testing.T) {
	for in, want := range map[string]string{
		"": "main.py", "plot.py": "plot.py", "code.py": "code.py", "inputs": "main.py", "artifacts": "main.py",
		"no ending": "no ending", "-x.py": "-x.py", "bad\xff.py": "main.py", "日本.py": "日本.py",
	} {
		if got, err := scriptName(in); err != nil || got != want {
			t.Errorf("%q: %q, %v", in, got, err)
		}
	}
}
