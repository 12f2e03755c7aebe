package ui

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clipperhouse/displaywidth"
	"github.com/google/go-cmp/cmp"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// terminal is a UI on a pretended terminal; what goes to either stream lands in out.
func terminal(out *bytes.Buffer, width int, color Color, env map[string]string) *UI {
	vars := map[string]string{"HOME": "/home/ada", "LANG": "C.UTF-8"}
	for k, v := range env {
		vars[k] = v
	}
	return New(Options{
		Out: out, Err: out, OutTTY: true, ErrTTY: true, Width: width, Color: color,
		Getenv: func(k string) string { return vars[k] },
	})
}

func outcomes() map[string]Outcome {
	run := func(v exec.Verdict, code int, ms int64, peak int64) *exec.Result {
		return &exec.Result{Verdict: v, ExitCode: code, DurationMS: ms, Usage: exec.Usage{PeakMemoryBytes: peak}, Artifacts: []exec.Artifact{}}
	}
	artifacts := run(exec.VerdictOK, 0, 412, 96e6)
	artifacts.Artifacts = []exec.Artifact{
		{Path: "figure-1.png", Size: 18230, File: "/home/ada/.cache/pyrun/runs/3f9c2a71/figure-1.png"},
		{Path: "tables/summary of everything that was found.csv", Size: 1100, File: "/home/ada/.cache/pyrun/runs/3f9c2a71/tables/summary of everything that was found.csv"},
		{Path: "big.bin", Size: 6 << 20, Error: "too large: 6291456 bytes, at most 5242880 (max_artifact_bytes)"},
	}
	artifacts.Skipped = []exec.Skipped{{Path: "passwd", Reason: "a symbolic link"}, {Path: "a\\x1b[31m", Reason: "its name has a control character"}}

	many := run(exec.VerdictOK, 0, 90, 9e6)
	for i := range 64 {
		name := fmt.Sprintf("frame-%02d.png", i)
		many.Artifacts = append(many.Artifacts, exec.Artifact{Path: name, Size: int64(i) * 1000, File: "/home/ada/out/" + name})
	}

	module := run(exec.VerdictError, 1, 11, 9e6)
	module.Error = &exec.ScriptError{Type: "ModuleNotFoundError", Message: "No module named 'requests'", Line: 3}
	module.Hint = "requests is not among the 11 allowed packages, and there is no network here.\nPass data in with --in FILE, or add it to packages.txt and build the environment anew"

	hostile := run(exec.VerdictError, 1, 11, 9e6)
	hostile.Error = &exec.ScriptError{Type: "Evil\x1b[2JError\npyrun: all is well", Line: 1}
	hostile.Hint = "say \x1b]0;x\x07 \u202e"
	hostile.Value = "'\x1b[31m'\n'b'"

	memory := run(exec.VerdictMemory, 137, 2310, 512<<20)
	memory.Hint = "raise it with --memory 1G (this machine has 24 GiB)"
	timeout := run(exec.VerdictTimeout, 137, 10000, 9e6)
	timeout.Hint = "raise it with --timeout 60s"
	segv := run(exec.VerdictSignal, 139, 31, 9e6)
	segv.Signal = "SIGSEGV"
	rejected := run(exec.VerdictRejected, 2, 0, 0)
	rejected.Stderr = "pyrun: old.py:1: inline dependencies are refused: requests, rich>=13\npackages are installed at build time from packages.txt, never by a script; remove the dependencies line\n"
	silent := run(exec.VerdictOK, 0, 14, 9e6)
	silent.Hint = "nothing was printed, and the last line is an expression: print(total), or run with --value"

	return map[string]Outcome{
		"ok":        {Result: run(exec.VerdictOK, 0, 14, 9e6), Script: "hello.py"},
		"artifacts": {Result: artifacts, Script: "plot.py"},
		"many":      {Result: many, Script: "film.py", Folder: "/home/ada/out"},
		"module":    {Result: module, Script: "report.py"},
		"exit":      {Result: run(exec.VerdictError, 3, 11, 9e6), Script: "x.py"},
		"hostile":   {Result: hostile, Script: "x\x1b.py"},
		"memory":    {Result: memory, Memory: 512 << 20},
		"timeout":   {Result: timeout, Lines: 41, Wall: 10 * time.Second},
		"cpu":       {Result: run(exec.VerdictCPU, 152, 3100, 9e6), CPU: 3 * time.Second},
		"output":    {Result: run(exec.VerdictOutput, 137, 800, 9e6), Output: 64 << 20},
		"signal":    {Result: segv},
		"rejected":  {Result: rejected},
		"silent":    {Result: silent},
		"cancelled": {Result: run(exec.VerdictCancelled, 137, 62000, 9e6)},
	}
}

func failures() map[string]Failure {
	return map[string]Failure{
		"usage": {What: "--memry is not a flag of pyrun run; did you mean --memory?"},
		"walls": {
			What:  "the sandbox cannot be built here: user namespace: operation not permitted",
			Why:   "AppArmor restricts unprivileged user namespaces (Ubuntu 23.10 and newer)",
			Fix:   []string{"sudo apt install ./pyrun.deb   (brings a profile), or", "pyrun run --sandbox none script.py"},
			NoRun: true,
		},
		"warning": {What: "no sandbox: this script can read, change and send whatever you can", Warning: true},
	}
}

// showAll compares a message at four widths, without colour and with, and in a pipe.
func showAll(t *testing.T, name string, draw func(u *UI)) {
	t.Helper()
	var all strings.Builder
	for _, width := range []int{20, 40, 80, 200} {
		for _, color := range []Color{ColorNever, ColorAlways} {
			var out bytes.Buffer
			draw(terminal(&out, width, color, nil))
			if color == ColorNever {
				checkWidth(t, out.String(), width)
			}
			fmt.Fprintf(&all, "=== %d columns, colour %s\n%s", width, color, strings.ReplaceAll(out.String(), "\x1b", "␛"))
		}
	}
	var pipe bytes.Buffer
	draw(New(Options{Out: &pipe, Err: &pipe, Getenv: func(string) string { return "" }}))
	fmt.Fprintf(&all, "=== a pipe\n%s", pipe.String())
	compare(t, name, all.String())
}

// TestGolden shows every kind of message at four widths, without colour and with.
func TestGolden(t *testing.T) {
	for name, o := range outcomes() {
		t.Run("run_"+name, func(t *testing.T) {
			showAll(t, "run_"+name, func(u *UI) { u.Summary(o, false) })
		})
	}
	for name, f := range failures() {
		t.Run("fail_"+name, func(t *testing.T) {
			showAll(t, "fail_"+name, func(u *UI) { u.Fail(f) })
		})
	}
	for name, r := range reports() {
		t.Run("validate_"+name, func(t *testing.T) {
			showAll(t, "validate_"+name, func(u *UI) {
				_ = u.Diagnostics(r)
				u.Validated(r)
			})
		})
	}
	t.Run("settings", func(t *testing.T) {
		showAll(t, "settings", func(u *UI) {
			_ = u.Settings(Settings{
				File: "./pyrun.yaml",
				Rows: []SettingRow{
					{Key: "service.port", Value: "8000", Source: "default", Stands: true},
					{Key: "runner.memory", Value: "1 GiB", Source: "PYRUN_MEMORY", Stands: true},
					{Key: "runner.runtime_python", Value: "CODE_TOOLS_PYTHON, /opt/code-tools-env/bin/python, the embedded interpreter", Source: "default"},
					{Key: "runner.cpu_seconds", Value: "timeout x CPUs + 1 s", Source: "default"},
				},
				Notes:    []string{"runner.warm_cache does nothing"},
				Warnings: []string{"PYRUN_MEMROY is not a setting and does nothing; did you mean PYRUN_MEMORY?"},
			})
		})
	})
}

func compare(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; make it with: go test ./internal/ui -update", err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (go test ./internal/ui -update rewrites it):\n%s", file, d)
	}
}

// checkWidth: no line is wider than the terminal, but for what must not be
// broken: a fix to paste, and a single word.
func checkWidth(t *testing.T, out string, width int) {
	t.Helper()
	fix := false
	for line := range strings.SplitSeq(out, "\n") {
		fix = strings.HasPrefix(strings.TrimSpace(line), "fix:") || fix && strings.HasPrefix(line, "        ")
		if n := displaywidth.String(line); n > width && !fix && len(strings.Fields(line)) > 2 {
			t.Errorf("%d columns on a terminal of %d: %q", n, width, line)
		}
	}
}

func TestQuiet(t *testing.T) {
	for name, o := range outcomes() {
		var out bytes.Buffer
		terminal(&out, 80, ColorNever, nil).Summary(o, true)
		told := out.Len() > 0
		v := o.Result.Verdict
		if want := v != exec.VerdictOK && v != exec.VerdictError; told != want {
			t.Errorf("%s: quiet said %q", name, out.String())
		}
		if strings.Contains(out.String(), "hint") {
			t.Errorf("%s: quiet gave a hint: %q", name, out.String())
		}
	}
}

// TestOwnLine: pyrun's words never stand behind the script's on one line.
func TestOwnLine(t *testing.T) {
	var out bytes.Buffer
	u := terminal(&out, 80, ColorNever, nil)
	stdout, stderr := u.Live(false)
	fmt.Fprint(stdout, "no newline")
	fmt.Fprint(stderr, "")
	if err := u.Finish(); err != nil {
		t.Fatal(err)
	}
	u.Summary(outcomes()["exit"], false)
	if want := "no newline\n\n✗ exit 3 after 11 ms\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

func TestLivePassesBytesToAPipe(t *testing.T) {
	var out, err bytes.Buffer
	u := New(Options{Out: &out, Err: &err})
	stdout, stderr := u.Live(false)
	const wild = "\x1b]0;t\x07\xff\r\n\x00"
	fmt.Fprint(stdout, wild)
	fmt.Fprint(stderr, wild)
	if ferr := u.Finish(); ferr != nil {
		t.Fatal(ferr)
	}
	if out.String() != wild || err.String() != wild {
		t.Errorf("changed: %q, %q", out.String(), err.String())
	}
	if stdout.Lines() != 1 {
		t.Errorf("Lines = %d, want 1", stdout.Lines())
	}
}

func TestRawTerminal(t *testing.T) {
	var out bytes.Buffer
	stdout, _ := terminal(&out, 80, ColorNever, nil).Live(true)
	fmt.Fprint(stdout, "\x1b[2J")
	if out.String() != "\x1b[2J" {
		t.Errorf("raw changed %q", out.String())
	}
}

func TestColor(t *testing.T) {
	tests := []struct {
		mode Color
		tty  bool
		env  map[string]string
		want bool
	}{
		{"", true, nil, true},
		{ColorAuto, false, nil, false},
		{ColorAuto, true, map[string]string{"NO_COLOR": "1"}, false},
		{ColorAuto, true, map[string]string{"NO_COLOR": ""}, true},
		{ColorAuto, true, map[string]string{"TERM": "dumb"}, false},
		{ColorAuto, false, map[string]string{"CLICOLOR_FORCE": "1"}, true},
		{ColorAuto, true, map[string]string{"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, false},
		{ColorAlways, false, map[string]string{"NO_COLOR": "1", "TERM": "dumb"}, true},
		{ColorNever, true, map[string]string{"CLICOLOR_FORCE": "1"}, false},
	}
	for _, tt := range tests {
		if got := colored(tt.mode, tt.tty, func(k string) string { return tt.env[k] }); got != tt.want {
			t.Errorf("%q, terminal %v, %v: %v", tt.mode, tt.tty, tt.env, got)
		}
	}
}

func TestASCII(t *testing.T) {
	var out bytes.Buffer
	u := terminal(&out, 40, ColorNever, map[string]string{"LANG": "C"})
	for _, o := range outcomes() {
		u.Summary(o, false)
	}
	for _, r := range out.String() {
		if r > 0x7e {
			t.Fatalf("%q in a locale without UTF-8:\n%s", r, out.String())
		}
	}
}

func TestWidth(t *testing.T) {
	for _, tt := range []struct {
		asked   int
		columns string
		want    int
	}{{0, "", 80}, {120, "", 120}, {120, "40", 40}, {120, "x", 120}, {120, "-3", 120}, {5, "", 20}, {0, "999999", 1000}} {
		if got := width(tt.asked, tt.columns); got != tt.want {
			t.Errorf("width(%d, %q) = %d, want %d", tt.asked, tt.columns, got, tt.want)
		}
	}
}

func TestUnits(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-1: "0 ms", 14 * time.Millisecond: "14 ms", 999 * time.Millisecond: "999 ms", 2310 * time.Millisecond: "2.31 s",
		9999 * time.Millisecond: "10.0 s", 59 * time.Second: "59.0 s", 59970 * time.Millisecond: "1 min",
		125 * time.Second: "2 min 5 s",
	} {
		if got := Duration(d); got != want {
			t.Errorf("Duration(%d) = %q, want %q", d, got, want)
		}
	}
	for n, want := range map[int64]string{
		-1: "0 B", 0: "0 B", 999: "999 B", 1000: "1.0 kB", 1100: "1.1 kB", 18230: "18.2 kB", 999999: "1.0 MB", 6 << 20: "6.3 MB", 1 << 62: "4.6 EB",
	} {
		if got := Size(n); got != want {
			t.Errorf("Size(%d) = %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int64]string{512 << 20: "512 MiB", 1 << 30: "1 GiB", 3 << 29: "1.5 GiB", 1000: "1000 B"} {
		if got := Limit(n); got != want {
			t.Errorf("Limit(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestShorten(t *testing.T) {
	u := terminal(&bytes.Buffer{}, 80, ColorNever, nil)
	for _, tt := range []struct {
		path  string
		width int
		want  string
	}{
		{"short.txt", 20, "short.txt"},
		{"~/.cache/pyrun/runs/3f9c2a71/figure-1.png", 24, "~/.cache/…1/figure-1.png"},
		{"中文中文中文中文", 9, "中…文中文"},
	} {
		got := u.shorten(tt.path, tt.width)
		if got != tt.want {
			t.Errorf("shorten(%q, %d) = %q, want %q", tt.path, tt.width, got, tt.want)
		}
	}
}

func TestProgress(t *testing.T) {
	var out bytes.Buffer
	u := terminal(&out, 80, ColorNever, nil)
	p := u.Progress()
	now := time.Unix(0, 0)
	p.now = func() time.Time { return now }
	p.Show(exec.Progress{What: "unpacking CPython 3.14.6 (once)", Done: 0, Total: 100})
	p.Show(exec.Progress{What: "unpacking CPython 3.14.6 (once)", Done: 1, Total: 100}) // too soon to be drawn
	now = now.Add(time.Second)
	p.Show(exec.Progress{What: "unpacking CPython 3.14.6 (once)", Done: 64, Total: 100})
	now = now.Add(time.Second)
	p.Show(exec.Progress{What: "unpacking CPython 3.14.6 (once)", Done: 64, Total: 100}) // is there already
	p.Show(exec.Progress{What: "unpacking CPython 3.14.6 (once)", Done: 100, Total: 100})
	p.Erase()
	want := "\runpacking CPython 3.14.6 (once)  ────────────────────    0 %\x1b[K" +
		"\runpacking CPython 3.14.6 (once)  ━━━━━━━━━━━━────────   64 %\x1b[K" +
		"\r\x1b[K"
	if out.String() != want {
		t.Errorf("got %q\nwant %q", out.String(), want)
	}

	for _, width := range []int{20, 40} {
		u := terminal(&bytes.Buffer{}, width, ColorNever, nil)
		line := u.Progress().line(exec.Progress{What: "unpacking CPython 3.14.6 (once)", Done: 64, Total: 100})
		if n := len([]rune(line)); n >= width {
			t.Errorf("%d columns at a width of %d: %q", n, width, line)
		}
	}

	var pipe bytes.Buffer
	New(Options{Out: &pipe, Err: &pipe}).Progress().Show(exec.Progress{What: "x", Total: 5})
	if pipe.Len() > 0 {
		t.Errorf("a pipe got %q", pipe.String())
	}
}
