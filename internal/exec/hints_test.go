package exec

import (
	"strings"
	"testing"
	"time"

	"github.com/pyrun-dev/pyrun/internal/exec/sandbox"
)

func TestHints(t *testing.T) {
	limits := sandbox.Limits{
		Wall: 10 * time.Second, CPU: 21 * time.Second, Memory: 512 << 20, Disk: 256 << 20, Inodes: 8192,
		FileSize: 64 << 20, Processes: 64, OpenFiles: 256,
	}
	packages := []pkg{
		{"numpy", []string{"numpy"}, true, true},
		{"pandas", []string{"pandas"}, true, true},
		{"scikit-learn", []string{"sklearn"}, true, true},
		{"pillow", []string{"PIL"}, true, true},
		{"polars", nil, false, true},
		{"extra", []string{"extra"}, true, false},
	}
	fails := func(kind, message string) clue {
		return clue{verdict: VerdictError, err: &ScriptError{Type: kind, Message: message}, allowed: packages}
	}
	with := func(c clue, change func(*clue)) clue { change(&c); return c }
	for _, tt := range []struct {
		name string
		c    clue
		want string // every part, separated by |; empty for no hint
		term string // more of it at the terminal
	}{
		{"timeout", clue{verdict: VerdictTimeout}, "time limit of 10s|up to 300s", "--timeout 60s"},
		{"longest timeout", clue{verdict: VerdictTimeout, limits: sandbox.Limits{Wall: 300 * time.Second}}, "300s|longest allowed", ""},
		{"cpu", clue{verdict: VerdictCPU}, "processor time limit of 21s", "--cpu-time 42s"},
		{"memory", clue{verdict: VerdictMemory}, "memory limit of 512 MiB", "--memory 1G"},
		{"output", clue{verdict: VerdictOutput}, "more than 64 MiB|ARTIFACTS_DIR", ""},
		{"segfault", clue{verdict: VerdictSignal, signal: "SIGSEGV"}, "native code crashed|SIGSEGV", ""},
		{"abort", clue{verdict: VerdictSignal, signal: "SIGABRT"}, "abort()", ""},
		{"bad call", clue{verdict: VerdictSignal, signal: "SIGSYS"}, "system call", ""},
		{"terminated", clue{verdict: VerdictSignal, signal: "SIGTERM"}, "SIGTERM|itself", ""},

		{"no module", fails("ModuleNotFoundError", "No module named 'requests'"), "requests is not among|cannot be installed here|numpy, pandas", "add requests to packages.txt and run: pyrun packages install"},
		{"near module", fails("ModuleNotFoundError", "No module named 'pandsa'"), "pandsa|did you mean pandas?", ""},
		{"submodule", fails("ModuleNotFoundError", "No module named 'requests.adapters'"), "requests is not among", ""},
		{"package for import", fails("ModuleNotFoundError", "No module named 'scikit_learn'"), "scikit-learn is imported as sklearn", ""},
		{"other case", fails("ModuleNotFoundError", "No module named 'pillow'"), "pillow is imported as PIL", ""},
		{"not installed", fails("ModuleNotFoundError", "No module named 'polars'"), "polars is an allowed package, but it is not installed", "run: pyrun packages install"},
		{"nothing installed", with(fails("ModuleNotFoundError", "No module named 'requests'"), func(c *clue) { c.allowed = nil }), "standard library|cannot be installed", "add requests to packages.txt and run: pyrun packages install"},
		{"module with odd name", fails("ModuleNotFoundError", "No module named 'a\x1b[0m'"), "", ""},
		{"module error in a child", clue{verdict: VerdictError, tail: "ModuleNotFoundError: No module named 'zzz'\n", allowed: packages}, "zzz is not among", ""},

		{"pip as a module", clue{verdict: VerdictError, tail: "/usr/bin/python: No module named pip\n"}, "nothing can be installed", ""},
		{"pip as a program", with(fails("FileNotFoundError", "[Errno 2] No such file or directory: 'pip'"), func(c *clue) { c.code = "subprocess.run(['pip'])" }), "nothing can be installed", ""},

		{"input", fails("EOFError", "EOF when reading a line"), "stdin empty", "pyrun run"},
		{"input with stdin", with(fails("EOFError", "EOF when reading a line"), func(c *clue) { c.stdin = true }), "", ""},

		{"threads", fails("RuntimeError", "can't start new thread"), "limit of 64 processes and threads", "--processes 128"},
		{"threads until the timeout", with(fails("RuntimeError", "can't start new thread"), func(c *clue) { c.verdict = VerdictTimeout }), "limit of 64 processes", "--processes 128"},
		{"fork", fails("BlockingIOError", "[Errno 11] Resource temporarily unavailable"), "64 processes", "--processes 128"},
		{"disk", fails("OSError", "[Errno 28] No space left on device"), "disk limit of 256 MiB", "--disk 512M"},
		{"file size", fails("OSError", "[Errno 27] File too large"), "64 MiB for one file", "--file-size 128M"},
		{"open files", fails("OSError", "[Errno 24] Too many open files: 'x'"), "256 open files", ""},
		{"read-only", fails("OSError", "[Errno 30] Read-only file system: '/x'"), "ARTIFACTS_DIR", ""},

		{"no network", fails("OSError", "[Errno 101] Network is unreachable"), "no network|by design|retrying will not help", "--in FILE"},
		{"no names", fails("urllib.error.URLError", "<urlopen error [Errno -2] Name or service not known>"), "no network", "--in FILE"},
		{"no network, but fine", clue{verdict: VerdictOK, stdout: "x", tail: "Network is unreachable"}, "", ""},

		{"no file", fails("FileNotFoundError", "[Errno 2] No such file or directory: 'data.csv'"), "", "bring files in with --in FILE"},
		{"no file, some inputs", with(fails("FileNotFoundError", "[Errno 2] No such file or directory: 'dta.csv'"), func(c *clue) { c.inputs = []string{"data.csv", "b"} }), "data.csv, b", "--in FILE"},
		{"beside", with(fails("FileNotFoundError", "[Errno 2] No such file or directory: 'beside.csv'"), func(c *clue) { c.script = "clean.py" }), "", "beside.csv lies beside clean.py|pyrun run clean.py --in beside.csv"},
		{"no program", with(fails("FileNotFoundError", "[Errno 2] No such file or directory: 'ffmpeg'"), func(c *clue) {
			c.tail = "  File \"/usr/lib/python3.14/subprocess.py\", line 1, in _execute_child\nFileNotFoundError"
		}), "no program ffmpeg", ""},
		{"a hostile file name", fails("FileNotFoundError", "[Errno 2] No such file or directory: 'a\u202eb'"), "", ""},

		{"fence", with(fails("SyntaxError", "invalid syntax"), func(c *clue) { c.code = "\n```python\nprint(1)\n```" }), "Markdown fence", ""},
		{"written out", with(fails("SyntaxError", "unexpected character after line continuation character"), func(c *clue) { c.code = `import os\nprint(1)` }), "real line breaks", ""},
		{"await", with(fails("SyntaxError", "'await' outside function"), func(c *clue) { c.code = "await x" }), "asyncio.run(main())", ""},
		{"another syntax error", with(fails("SyntaxError", "invalid syntax"), func(c *clue) { c.code = "x = = 1" }), "", ""},

		{"silence", clue{verdict: VerdictOK, code: "x = 1\nx + 1\n"}, "nothing was printed|print() it", "--value"},
		{"silence, value asked", clue{verdict: VerdictOK, code: "x + 1", value: true}, "", ""},
		{"silence, but files", clue{verdict: VerdictOK, code: "df.head()", hasFiles: true}, "", ""},
		{"silence of a call", clue{verdict: VerdictOK, code: "main()"}, "", ""},
		{"plain error", fails("ValueError", "x"), "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.c.limits == (sandbox.Limits{}) {
				tt.c.limits = limits
			}
			tt.c.most, tt.c.output = 300*time.Second, 64<<20
			for _, terminal := range []bool{false, true} {
				c := tt.c
				c.terminal = terminal
				c.beside = func(base string) bool { return base == "beside.csv" }
				got := hintFor(c)
				want := tt.want
				if terminal && tt.term != "" {
					want = strings.Trim(want+"|"+tt.term, "|")
				}
				if tt.name == "no file" || tt.name == "beside" {
					if !terminal {
						want = "there were none"
					}
				}
				if tt.name == "a hostile file name" && got != "" {
					t.Errorf("hint %q", got)
				}
				if want == "" && got != "" {
					t.Errorf("terminal %v: hint %q, want none", terminal, got)
				}
				for _, part := range strings.Split(want, "|") {
					if !strings.Contains(got, part) {
						t.Errorf("terminal %v: hint %q lacks %q", terminal, got, part)
					}
				}
				if !terminal && strings.Contains(got, "--") {
					t.Errorf("a flag without a terminal: %q", got)
				}
				if strings.Contains(got, "\n") || strings.HasSuffix(got, ".") {
					t.Errorf("not one plain sentence: %q", got)
				}
			}
		})
	}
}

func TestEndsInExpression(t *testing.T) {
	for src, want := range map[string]bool{
		"x":                         true,
		"x = 1\nx\n":                true,
		"df.head()":                 true,
		"[i for i in range(3)]":     true,
		"f(x=1)[0]":                 true,
		"a == b":                    true,
		"a <= b  # why":             true,
		"x\n\n# the end\n":          true,
		"x\r\ny\r\n":                true,
		"":                          false,
		"# only\n":                  false,
		"main()":                    false,
		"print(1)":                  false,
		"x = 1":                     false,
		"x += 1":                    false,
		"x: int":                    false,
		"import os":                 false,
		"for x in y:\n    x":        false,
		"f(\n1,\n)":                 false,
		"'''doc\n'''":               false,
		"del x":                     false,
		"a; b":                      false,
		"x = {\n 'a': 1\n}":         false,
		"with open('x') as f: f":    false,
		"\"unterminated":            false,
		"if __name__ == 'x': main":  false,
		"async def f(): pass":       false,
		"lambda: 0":                 false,
		"exit()":                    false,
		"a.b.c":                     true,
		"(1 +\n 2)":                 false,
		"d['k'] = 2":                false,
		"@decorator\ndef f(): pass": false,
	} {
		if got := endsInExpression(src); got != want {
			t.Errorf("%q: %v", src, got)
		}
	}
}
