package python

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// folders of one run of the harness.
type folders struct{ job, inputs, artifacts, harness, report, config string }

func newFolders(t testing.TB, i *Interpreter) folders {
	t.Helper()
	root := t.TempDir()
	f := folders{
		filepath.Join(root, "job"), filepath.Join(root, "inputs"), filepath.Join(root, "artifacts"),
		filepath.Join(root, "harness"), filepath.Join(root, "report"), filepath.Join(root, "config"),
	}
	for _, dir := range []string{f.job, f.inputs, f.artifacts, f.harness} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(f.harness, i.HarnessName), string(i.Harness))
	return f
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (f folders) env() []string {
	return []string{
		"PATH=/usr/bin:/bin", "HOME=" + f.job, "LANG=C.UTF-8", "TZ=UTC", "COLUMNS=200", "MPLBACKEND=Agg",
		"MPLCONFIGDIR=" + f.config, "INPUTS_DIR=" + f.inputs, "ARTIFACTS_DIR=" + f.artifacts,
	}
}

// harnessed runs source under the harness and reads its report.
func harnessed(t testing.TB, i *Interpreter, f folders, source string, j Job) (output, Report, error) {
	t.Helper()
	j.Script, j.Report, j.HarnessDir, j.Outside = filepath.Join(f.job, "main.py"), f.report, f.harness, true
	write(t, j.Script, source)
	_ = os.Remove(f.report)
	out := run(t, f.job, f.env(), Command(i, j)...)
	report, err := reported(f.report)
	return out, report, err
}

// reported reads a report; there is none where there is nothing to say.
func reported(path string) (Report, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Report{}, nil
	}
	if err != nil {
		return Report{}, err
	}
	defer file.Close()
	return ReadReport(file)
}

// alike takes out what differs from run to run.
func alike(o output) output {
	address := regexp.MustCompile(`0x[0-9a-f]+`)
	o.stdout = address.ReplaceAllString(o.stdout, "0x")
	o.stderr = address.ReplaceAllString(o.stderr, "0x")
	return o
}

// scripts are testdata's and those whose bytes a checkout could change.
func scripts(t *testing.T) map[string]string {
	t.Helper()
	paths, err := filepath.Glob("testdata/harness/*.py")
	if err != nil || len(paths) < 20 {
		t.Fatalf("%d scripts: %v", len(paths), err)
	}
	all := map[string]string{
		"empty": "", "crlf": "x = 1\r\nprint('a')\r\n\r\n1/0\r\n", "cr": "x = 1\rprint('a')\r1/0\r",
		"bom": "\ufeffprint('bom')\n1/0\n", "latin1": "# coding: latin-1\nprint('\xe9')\n1/0 # \xe9\n",
		"not_utf8": "print(1)\nx = '\xff'\n", "bad_cookie": "# coding: nowhere\nprint(1)\n", "tab_crlf": "if 1:\r\n\tx = 1\r\n        y = 2\r\n",
		"no_newline": "print('x')\nraise ValueError('last')", "huge": strings.Repeat("x = 1  # some padding\n", 60000) + "print('\\d')\n1/0\n",
		"no_name_first": "while True: break\nfor i in (1, 2): print(i)\n(lambda: None)()\n",
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimSuffix(filepath.Base(path), ".py")] = string(data)
	}
	return all
}

// TestLikePlainPython holds that output and exit status are those of `python script.py`, byte for byte.
func TestLikePlainPython(t *testing.T) {
	all := scripts(t)
	for _, i := range interpreters(t) {
		t.Run(i.Version+named2(i), func(t *testing.T) {
			for name, source := range all {
				if least, ok := strings.CutPrefix(source, "# python: "); ok && older(i.Version, strings.SplitN(least, "\n", 2)[0]) {
					continue
				}
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					f := newFolders(t, i)
					script := filepath.Join(f.job, "main.py")
					write(t, script, source)
					want := alike(run(t, f.job, f.env(), i.Source, "-I", "-X", "utf8", "-X", "faulthandler", "-u", "-B", script, "a", "b"))
					for _, j := range []Job{{}, {Value: true, Figures: true}} {
						j.Args = []string{"a", "b"}
						got, report, err := harnessed(t, i, f, source, j)
						if diff := cmp.Diff(want, alike(got), cmp.AllowUnexported(output{})); diff != "" {
							t.Errorf("value %v: plain (-) and under the harness (+):\n%s", j.Value, diff)
						}
						switch {
						case err != nil:
							t.Errorf("report: %v", err)
						case strings.Contains(want.stderr, "Traceback (most recent call last)") && want.code == 1 && report.Error == nil && name != "excepthook_exits":
							t.Errorf("no error in the report, though stderr says\n%s", want.stderr)
						}
					}
				})
			}
		})
	}
}

func named2(i *Interpreter) string {
	if i.Embedded {
		return "-embedded"
	}
	return ""
}

// older compares "3.9.1" with "3.11".
func older(version, than string) bool {
	a, b := strings.Split(version, "."), strings.Split(strings.TrimSpace(than), ".")
	x, _ := strconv.Atoi(a[1])
	y, _ := strconv.Atoi(b[1])
	return x < y
}

func TestReportedErrors(t *testing.T) {
	cases := map[string]struct {
		source string
		want   *ReportedError
	}{
		"builtin":       {"x = 1\n\n1/0  # here\n", &ReportedError{"ZeroDivisionError", "division by zero", 3, "1/0  # here"}},
		"from library":  {"import json\n\ndef f():\n    json.loads('[')\n\nf()\n", &ReportedError{"json.decoder.JSONDecodeError", "Expecting value: line 1 column 2 (char 1)", 4, "    json.loads('[')"}},
		"nested class":  {"class A:\n    class E(Exception): pass\nraise A.E\n", &ReportedError{"A.E", "", 3, "raise A.E"}},
		"syntax":        {"x = 1\nif x\n    pass\n", &ReportedError{"SyntaxError", "expected ':'", 2, "if x"}},
		"eval":          {"x = 1\neval('1 +')\n", &ReportedError{"SyntaxError", "invalid syntax", 2, "eval('1 +')"}},
		"key":           {"{}['a']", &ReportedError{"KeyError", "'a'", 1, "{}['a']"}},
		"str fails":     {"class E(Exception):\n    def __str__(self): 1/0\nraise E\n", &ReportedError{"E", "<exception str() failed>", 3, "raise E"}},
		"surrogate":     {"raise ValueError('\\ud83d')\n", &ReportedError{"ValueError", `\ud83d`, 1, `raise ValueError('\ud83d')`}},
		"long":          {"raise ValueError('x' * 100000)\n", &ReportedError{"ValueError", strings.Repeat("x", 2048), 1, "raise ValueError('x' * 100000)"}},
		"setattr fails": {"class E(Exception):\n    def __setattr__(self, *a): raise OSError\nraise E('m')\n", &ReportedError{"E", "m", 3, "raise E('m')"}},
		"exit":          {"import sys; sys.exit('text')\n", nil},
		"fine":          {"print(1)\n", nil},
	}
	for _, i := range interpreters(t) {
		if older(i.Version, "3.10") {
			continue // other words for a syntax error
		}
		for name, c := range cases {
			t.Run(i.Version+"/"+name, func(t *testing.T) {
				t.Parallel()
				_, report, err := harnessed(t, i, newFolders(t, i), c.source, Job{})
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(c.want, report.Error); diff != "" {
					t.Errorf("want (-) got (+):\n%s", diff)
				}
			})
		}
	}
}

func TestValue(t *testing.T) {
	cases := map[string]struct{ source, value, stdout string }{
		"expression":       {"x = 2\nx * 21\n", "42", ""},
		"none":             {"print('a')\n", "", "a\n"},
		"no expression":    {"x = 1\n", "", ""},
		"inside a block":   {"if True:\n    1\n", "", ""},
		"lone docstring":   {"'doc'\n", "", ""},
		"docstring":        {"'doc'\n__doc__\n", "'doc'", ""},
		"lines":            {"import sys\n(\n  1,\n  sys._getframe().f_lineno,\n)\n", "(1, 4)", ""},
		"future":           {"from __future__ import annotations\n(lambda: [f for f in [1]])()\n", "[1]", ""},
		"walrus":           {"(y := 3)\n", "3", ""},
		"repr fails":       {"class A:\n    def __repr__(self): raise SystemExit\nA()\n", "", ""},
		"repr of no text":  {"class A:\n    def __repr__(self): return 1\nA()\n", "", ""},
		"long":             {"'x' * 10000\n", "'" + strings.Repeat("x", 4095), ""},
		"wide":             {"'\u4e2d' * 10000\n", "'" + strings.Repeat("\u4e2d", 1365), ""},
		"names":            {"sorted(n for n in globals() if n[0] != '_')\n", "[]", ""},
		"repr prints":      {"class A:\n    def __repr__(self): print('r'); return 'A'\nA()\n", "A", "r\n"},
		"semicolon":        {"a = 1; a + 1", "2", ""},
		"comprehension":    {"n = 3\n[n for _ in range(2)]\n", "[3, 3]", ""},
		"exits":            {"exit(0)\n", "", ""},
		"empty":            {"", "", ""},
		"only a comment":   {"# nothing\n", "", ""},
		"annotated":        {"x: int = 3\nx\n", "3", ""},
		"crlf and cookies": {"# coding: utf-8\r\n'\u00e9'\r\n", "", ""},
	}
	for _, i := range interpreters(t) {
		for name, c := range cases {
			t.Run(i.Version+named2(i)+"/"+name, func(t *testing.T) {
				t.Parallel()
				out, report, err := harnessed(t, i, newFolders(t, i), c.source, Job{Value: true})
				if err != nil || out.code != 0 || report.Value != c.value || out.stdout != c.stdout || out.stderr != "" {
					t.Errorf("value %q, want %q; %+v; %v", report.Value, c.value, out, err)
				}
				if strings.HasPrefix(name, "repr fails") && len(report.Notes) != 1 {
					t.Errorf("notes %q", report.Notes)
				}
			})
		}
	}
}

// TestPlaces holds that inputs and the working folder come after the standard
// library, and that nothing of the harness stands open or in the script's way.
func TestPlaces(t *testing.T) {
	for _, i := range interpreters(t) {
		t.Run(i.Version+named2(i), func(t *testing.T) {
			f := newFolders(t, i)
			write(t, filepath.Join(f.inputs, "helper.py"), "def hi(): return 'hi'\n")
			write(t, filepath.Join(f.inputs, "code.py"), "raise SystemExit('shadowed')\n")
			write(t, filepath.Join(f.job, "beside.py"), "x = 'beside'\n")
			source := `
import sys, os, code, helper, beside, warnings
print(helper.hi(), beside.x, code.__file__ != os.path.join(os.environ["INPUTS_DIR"], "code.py"))
print(sys.path[-2:] == [os.environ["INPUTS_DIR"], os.getcwd()])
print(warnings.filters == getattr(sys.modules["_warnings"], "filters", None), sys.getprofile())
warnings.warn("module level", stacklevel=2)
`
			out, _, err := harnessed(t, i, f, source, Job{Figures: true})
			if err != nil || out.stdout != "hi beside True\nTrue\nTrue None\n" || !strings.HasPrefix(out.stderr, "sys:") && !strings.HasPrefix(out.stderr, "<sys>:") {
				t.Errorf("%+v %v", out, err)
			}
		})
	}
}

func TestStdlibOnly(t *testing.T) {
	for _, i := range interpreters(t) {
		out, _, err := harnessed(t, i, newFolders(t, i), "import sys\nprint(sys.flags.no_site, 'exit' in dir(__builtins__), any('-packages' in p for p in sys.path))\n", Job{StdlibOnly: true})
		if err != nil || out.stdout != "1 False False\n" {
			t.Errorf("%s: %+v %v", i.Version, out, err)
		}
	}
}

// TestSourceHarness starts the harness uncompiled, as it is where compiling fails.
func TestSourceHarness(t *testing.T) {
	for _, i := range interpreters(t) {
		plain := *i
		plain.Harness, plain.HarnessName = harness(), harnessSource
		out, report, err := harnessed(t, &plain, newFolders(t, &plain), "import warnings\nwarnings.warn('w', stacklevel=2)\n1/0\n", Job{Value: true})
		if err != nil || report.Error == nil || strings.Contains(out.stderr, "bootstrap") {
			t.Errorf("%s: %+v %+v %v", i.Version, out, report, err)
		}
	}
}

// TestReportIsTheScriptsOwn holds that no forked child writes a report.
func TestReportIsTheScriptsOwn(t *testing.T) {
	for _, i := range interpreters(t) {
		source := "import os\nif os.fork() == 0:\n    raise OSError('child')\nos.wait()\nraise KeyError('parent')\n"
		_, report, err := harnessed(t, i, newFolders(t, i), source, Job{})
		if err != nil || report.Error == nil || report.Error.Type != "KeyError" {
			t.Errorf("%s: %+v %v", i.Version, report, err)
		}
	}
}

// TestLeavesSoon holds that what was there before the script is not taken apart:
// else a file that lies in a module of Python's own would be closed, and what waits in it be written.
func TestLeavesSoon(t *testing.T) {
	source := "import codecs\ncodecs.BOM = open(1, 'w', closefd=False)\ncodecs.BOM.write('taken apart\\n')\n"
	for _, i := range interpreters(t) {
		for _, end := range []string{"print('x')\n", "raise SystemExit(3)\n"} {
			f := newFolders(t, i)
			plain := run(t, f.job, f.env(), i.Source, "-I", "-c", source+end)
			out, _, err := harnessed(t, i, f, source+end, Job{})
			if err != nil || !strings.HasSuffix(plain.stdout, "taken apart\n") || out.stdout != strings.TrimSuffix(plain.stdout, "taken apart\n") || out.code != plain.code {
				t.Errorf("%s, %q: %+v; plain %+v; %v", i.Version, end, out, plain, err)
			}
		}
	}
}

// BenchmarkStart tells bare Python and the harness apart.
func BenchmarkStart(b *testing.B) {
	i := embeddedInterpreter(b)
	f := newFolders(b, i)
	script := filepath.Join(f.job, "main.py")
	write(b, script, "print('hi')\n")
	j := Job{Script: script, Report: f.report, HarnessDir: f.harness, Outside: true}
	value, full := j, *i
	value.Value = true
	full.Embedded = false // keeps the site module
	for _, c := range []struct {
		name string
		argv []string
	}{
		{"bare", []string{i.Source, "-I", script}},
		{"harness", Command(&full, j)},
		{"harness-own-site", Command(i, j)},
		{"harness-own-site-value", Command(i, value)},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if out := run(b, f.job, f.env(), c.argv...); out.code != 0 {
					b.Fatal(fmt.Sprint(out))
				}
			}
		})
	}
}
