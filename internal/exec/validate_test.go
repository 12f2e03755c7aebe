package exec

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	osexec "os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	interp "github.com/pyrun-dev/pyrun/internal/exec/python"
)

// validate has one source validated.
func validate(t *testing.T, e *Executor, s Source) []Diagnostic {
	t.Helper()
	r, err := e.Validate(t.Context(), Validation{Sources: one(s)})
	if err != nil {
		t.Fatal(err)
	}
	if r.Files != 1 || r.Python == "" || r.Diagnostics == nil {
		t.Fatalf("report %+v", r)
	}
	return r.Diagnostics
}

func one(s ...Source) iter.Seq[Source] { return slices.Values(s) }

// brief is a diagnostic on one line: 3:8 PYR301 message -> fix.
func brief(list []Diagnostic) string {
	var b strings.Builder
	for _, d := range list {
		code := d.Code
		if d.Severity == SeverityNote {
			code += "n"
		}
		fmt.Fprintf(&b, "%d:%d-%d:%d %s %s", d.Line, d.Column, d.EndLine, d.EndColumn, code, d.Message)
		if d.Fix != "" {
			b.WriteString(" -> " + d.Fix)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// The faults of the first seed's handling of inline metadata, one a row.
func TestValidateMetadata(t *testing.T) {
	e := newExecutor(t, Options{})
	const block = "# /// script\n# dependencies = ['requests']\n# ///\n"
	refused := "PYR201 inline dependencies are refused: requests -> " + fixDependencies
	for _, tt := range []struct{ name, code, want string }{
		{"plain", block, "1:1-1:13 " + refused},
		{"CRLF", strings.ReplaceAll(block, "\n", "\r\n") + "print(1)\r\n", "1:1-1:13 " + refused},
		{"CR", strings.ReplaceAll(block, "\n", "\r"), "1:1-1:13 " + refused},
		{"blanks after the close", strings.TrimSuffix(block, "\n") + " \nprint(1)\n", "1:1-1:13 " + refused},
		{"two blocks", "# /// script\n# ///\n\n" + block, "4:1-4:13 PYR203 the inline script metadata cannot be read: a second block of type script; the first is in line 1, and only one is allowed -> keep one block, or give the other another type"},
		{"in a string", "x = '''\n" + block + "'''\n", "2:1-2:13 " + refused},
		{"byte order mark", "\ufeff" + block, "1:1-1:13 " + refused},
		{"another version", "# /// script\n# requires-python = '>=3.99'\n# ///\n", "2:1-2:29 PYR202 the script requires Python >=3.99, but this is 3."},
		{"not a list", "# /// script\n# dependencies = 'requests'\n# ///\n", "2:1-2:28 PYR205 the inline script metadata cannot be read: dependencies must be a list of strings, not a string"},
		{"not a version", "# /// script\n# requires-python = 'new'\n# ///\n", `2:1-2:26 PYR206 the inline script metadata cannot be read: requires-python "new" is no version specifier`},
		{"not TOML", "# /// script\n# dependencies = [\n# ///\n", "2:1-2:19 PYR204 the inline script metadata cannot be read: not valid TOML"},
		{"tool", "# /// script\n# [tool.x]\n# y = 1\n# ///\n", ""},
		{"unknown key", "# /// script\n# requires_python = '3'\n# ///\n", "2:1-2:24 PYR207n unknown key in the inline metadata: requires_python -> did you mean requires-python?"},
		{"lines stay", block + "\n\nx = (\n", "6:5-6:6 PYR101 '(' was never closed"},
		{"none", "print(1)\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := brief(validate(t, e, Source{Name: "x.py", Code: []byte(tt.code)}))
			if !strings.Contains(got, tt.want) || (tt.want == "") != (got == "") {
				t.Errorf("%swant %s", got, tt.want)
			}
			if tt.want == "" || strings.Contains(tt.want, "PYR207") || strings.Contains(tt.want, "PYR101") {
				return
			}
			// What validate finds as policy, run refuses, in the same words.
			res := execute(t, e, Request{Name: "x.py", Code: []byte(tt.code)})
			_, message, _ := strings.Cut(strings.SplitN(tt.want, " -> ", 2)[0], " ")
			if res.Verdict != VerdictRejected || res.ExitCode != 2 || !strings.Contains(res.Stderr, message[len("PYR200 "):]) {
				t.Errorf("run: %s %q", res.Verdict, res.Stderr)
			}
		})
	}
}

func TestValidateSource(t *testing.T) {
	e := newExecutor(t, Options{BuiltinPackages: "numpy\npandas\nscikit-learn\npyyaml\n"})
	for _, tt := range []struct{ name, code, want string }{
		{"empty", "", ""},
		{"blank", "\n\n", ""},
		{"warnings are none", "x = '\\d' is 3\n", ""},
		{"form feed", "\x0cx = 1\n", ""},
		{"no last newline", "if 1:\n  pass", ""},
		{"syntax", "x = (\n", "1:5-1:6 PYR101 '(' was never closed"},
		{"wide characters", "s = '日本'; x = = 1\n", "1:15-1:16 PYR101 invalid syntax"},
		{"the compiler's columns", "s = '日本'; return 1\n", "1:11-1:19 PYR101 'return' outside function"},
		{"indentation", "if 1:\npass\n", "2:1-2:5 PYR101 expected an indented block after 'if' statement on line 1"},
		{"tabs", "if 1:\n\tif 1:\n        pass\n", "PYR101 inconsistent use of tabs"},
		{"future", "from __future__ import nonsense\n", "PYR101 future feature nonsense is not defined"},
		{"await", "import asyncio\nawait asyncio.sleep(1)\n", "2:1-2:23 PYR102 await stands outside of a function -> " + fixAwait},
		{"await in a comprehension", "x = [i async for i in y]\n", "PYR102"},
		{"await in a plain function", "def f():\n  await x\n", "2:3-2:10 PYR101 'await' outside async function"},
		{"fence", "\n```python\nprint(1)\n```\n", "2:1-2:4 PYR103 the code is inside a Markdown fence -> " + fixFence},
		{"fence after words", "Here is the code:\n\n```\nprint(1)\n```\n", "3:1-3:4 PYR103"},
		{"fence at the end", "print(1)\n```\n", "2:1-2:4 PYR103"},
		{"fence in a text", "x = '''\n```\n'''\ny = (\n", "4:5-4:6 PYR101"},
		{"line breaks", `import os\nprint(os.name)\n`, `1:1-1:2 PYR104 the code is one line with \n written out -> ` + fixNewlines},
		{"NUL", "x = 1\ny\x00 = 2\n", "2:2-2:3 PYR106 the source has a NUL byte in line 2"},
		{"surrogate", "x = 'a\xed\xa0\xbd'\n", "1:7-1:8 PYR107 the source has a lone surrogate in line 1"},
		{"UTF-16", "\xff\xfex\x00", "0:0-0:0 PYR105 the source is UTF-16"},
		{"not UTF-8", "x = 1\ny = 'ä\xe4'\n", "2:7-2:8 PYR105 the source is not UTF-8: byte 0xe4 in line 2"},
		{"latin-1", "# coding: latin-1\ny = '\xe4'; import pandsa\n", "2:17-2:23 PYR301"},
		{"cookie", "#!x\n# -*- coding: klingon -*-\n", "2:1-2:2 PYR105 unknown encoding: klingon"},
		{"cookie that lies", "# coding: utf-8\ny = '\xe4'\n", "2:6-2:7 PYR105"},
		{"mark and cookie", "\ufeff# coding: latin-1\n", "PYR105 encoding problem"},
		{"a bad escape is no encoding", `x = '\N{nonsense}'`, "PYR101 (unicode error) 'unicodeescape'"},
		{"too large", "# " + strings.Repeat("x", defaultMaxCodeBytes), "0:0-0:0 PYR108"},
		{"too deep", "x = " + strings.Repeat("-", 100_000) + "1\n", "0:0-0:0 PYR11"},
		{"deep but fine", "if x: pass\n" + strings.Repeat("elif x: import json\n", 800), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := brief(validate(t, e, Source{Name: "x.py", Code: []byte(tt.code)}))
			if !strings.Contains(got, tt.want) || (tt.want == "") != (got == "") {
				t.Errorf("%.300s\nwant %s", got, tt.want)
			}
		})
	}
	t.Run("unread", func(t *testing.T) {
		got := brief(validate(t, e, Source{Name: "x.py", Err: &os.PathError{Op: "open", Path: "x.py", Err: os.ErrPermission}}))
		if want := "0:0-0:0 PYR109 cannot be read: permission denied\n"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	})
}

// Seed fault: validate_code never looked at imports.
func TestValidateImports(t *testing.T) {
	e := newExecutor(t, Options{BuiltinPackages: "numpy\npandas\nscikit-learn\npyyaml\n"})
	add := func(name string) string {
		return "add " + name + " to packages.txt and run: pyrun packages install; there is the standard library only"
	}
	for _, tt := range []struct {
		name, code, want string
		local            []string
		module           bool
		file             string
	}{
		{name: "standard", code: "import os, sys, json.decoder, tkinter, winreg, msvcrt, _thread, ctypes\nfrom subprocess import run\n"},
		{name: "unknown", code: "import requests\n", want: "1:8-1:16 PYR301 import of requests, which is not an allowed package -> " + add("requests")},
		{name: "a slip", code: "from pandsa.core import x\n", want: "1:6-1:17 PYR301 import of pandsa, which is not an allowed package -> did you mean pandas?"},
		{name: "a slip in a standard name", code: "import jsn\n", want: "-> did you mean json, of the standard library?"},
		{name: "not installed", code: "import numpy as np\n", want: "1:8-1:13 PYR302 import of numpy, an allowed package that is not installed here"},
		{name: "not installed, other name", code: "import sklearn.svm, yaml\n", want: "1:8-1:19 PYR302 import of sklearn, from the allowed package scikit-learn, which is not installed here"},
		{name: "cv2", code: "import cv2\n", want: "import of cv2, of the package opencv-python, which is not allowed -> " + add("opencv-python")},
		{name: "PIL", code: "from PIL import Image\n", want: "of the package pillow,"},
		{name: "bs4", code: "import bs4\n", want: "of the package beautifulsoup4,"},
		{name: "dateutil", code: "import dateutil.parser\n", want: "of the package python-dateutil,"},
		{name: "in a function", code: "def f():\n  import requests\n", want: "2:10-2:18 PYR301"},
		{name: "second of two", code: "import os, requests as r\n", want: "1:12-1:20 PYR301"},
		{name: "no prefix", code: "import requests_x, requests\n", want: "1:20-1:28 PYR301 import of requests,"},
		{name: "beside", code: "import helper, os\nfrom data.x import y\n", local: []string{"data", "helper"}},
		{name: "a slip beside", code: "import helpr\n", local: []string{"helper"}, want: "did you mean helper?"},
		{name: "caught", code: "try:\n  import ujson\nexcept ImportError:\n  ujson = None\n", want: "2:10-2:15 PYR301n import of ujson, which is not an allowed package; the script is ready for that"},
		{name: "caught by another name", code: "try:\n  import ujson\nexcept (KeyError, ModuleNotFoundError):\n  pass\n", want: "PYR301n"},
		{name: "caught by all", code: "try:\n  import ujson\nexcept:\n  pass\n", want: "PYR301n"},
		{name: "caught by Exception", code: "try:\n  import ujson\nexcept Exception:\n  pass\n", want: "PYR301n"},
		{name: "not caught", code: "try:\n  import ujson\nexcept KeyError:\n  pass\n", want: "2:10-2:15 PYR301 "},
		{name: "not caught in finally", code: "try:\n  import json\nexcept ImportError:\n  pass\nfinally:\n  import ujson\n", want: "6:10-6:15 PYR301 "},
		{name: "suppressed", code: "import contextlib\nwith contextlib.suppress(ImportError):\n  import ujson\n", want: "PYR301n"},
		{name: "fallback of what is there", code: "try:\n  import json\nexcept ImportError:\n  import simplejson\n", want: "4:10-4:20 PYR301n import of simplejson, which is not an allowed package; another import decides"},
		{name: "fallback of what is not", code: "try:\n  import ujson\nexcept ImportError:\n  import simplejson\n", want: "4:10-4:20 PYR301 import of simplejson"},
		{name: "else of what is not", code: "try:\n  import ujson\nexcept ImportError:\n  pass\nelse:\n  import simplejson\n", want: "6:10-6:20 PYR301n"},
		{name: "type checking", code: "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n  import pandera\n", want: "3:10-3:17 PYR301n import of pandera, which is not an allowed package; only type checkers look there"},
		{name: "not type checking", code: "import typing\nif not typing.TYPE_CHECKING:\n  import pandera\n", want: "3:10-3:17 PYR301 "},
		{name: "platform", code: "import sys\nif sys.platform == 'win32':\n  import win32api\n", want: "PYR301n"},
		{name: "version", code: "import sys\nif sys.version_info >= (3, 11):\n  import tomllib\nelse:\n  import tomli\n", want: "5:10-5:15 PYR301n"},
		{name: "os.name", code: "import os\nif 1 and os.name == 'nt':\n  import win32api\n", want: "PYR301n"},
		{name: "never reached", code: "if 0:\n  import ujson\ndef f():\n  return\n  import ujson\n"},
		{name: "relative", code: "from .a import b\n", want: "1:6-1:8 PYR304 relative import in a script"},
		{name: "relative, of the folder", code: "from . import json\n", want: "1:6-1:7 PYR304"},
		{name: "relative in a package", code: "from .a import b\nfrom . import c\nfrom .. import d\n", module: true},
		{name: "dynamic", code: "import importlib\nm = importlib.import_module('requests.api')\n", want: "2:30-2:42 PYR301 import of requests,"},
		{name: "dynamic, plain", code: "print(__import__('requests'), __import__('os'), __import__(x))\n", want: "1:19-1:27 PYR301"},
		{name: "gone", code: "import imp\n", want: "PYR305 import of imp, which left the standard library in 3.12 (this is 3."},
		{name: "Python 2", code: "import urllib2\n", want: "PYR305 import of urllib2, which is of Python 2 (this is 3."},
		{name: "hidden", code: "import random, random\n", local: []string{"random"}, want: "1:8-1:14 PYR306n import of the standard module random, which hides the random beside the script"},
		{name: "named as a module", code: "x = 1\n", file: "app/random.py", want: "0:0-0:0 PYR307n the file is named as the standard module random"},
		{name: "named as a module in a package", code: "x = 1\n", file: "app/random.py", module: true},
		{name: "many constants", code: manyConstants() + "import os, requests\n", want: "401:12-401:20 PYR301"},
		{name: "on a later line", code: "from requests import (\n  get,\n)\nimport os, \\\n  httpx\n", want: "5:3-5:8 PYR301 import of httpx"},
		{name: "in match", code: "match x:\n  case 1:\n    import httpx\n", want: "3:12-3:17 PYR301"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.file == "" {
				tt.file = "x.py"
			}
			got := brief(validate(t, e, Source{Name: tt.file, Code: []byte(tt.code), Local: tt.local, Package: tt.module}))
			if !strings.Contains(got, tt.want) || (tt.want == "") != (got == "") {
				t.Errorf("%.300s\nwant %s", got, tt.want)
			}
		})
	}
}

func manyConstants() string {
	var b strings.Builder
	for i := range 400 {
		fmt.Fprintf(&b, "x%d = %d.5\n", i, i)
	}
	return b.String()
}

// One source that breaks its parser costs the others nothing, wherever it stands.
func TestValidateSurvives(t *testing.T) {
	e := newExecutor(t, Options{DefaultTimeout: 20 * time.Second})
	bad := "x = " + strings.Repeat("-", 100_000) + "1\n" // MemoryError, RecursionError or SIGSEGV, by version
	var sources []Source
	for i := range 70 {
		code := fmt.Sprintf("import missing%d\n", i)
		if i%23 == 5 || i == 69 {
			code = bad
		}
		sources = append(sources, Source{Name: fmt.Sprint(i), Code: []byte(code)})
	}
	var told []string
	r, err := e.Validate(t.Context(), Validation{Sources: one(sources...), Done: func(name string) { told = append(told, name) }})
	if err != nil {
		t.Fatal(err)
	}
	if r.Files != 70 || r.Problems != 70 || len(told) != 70 {
		t.Fatalf("%d files, %d problems, %d told", r.Files, r.Problems, len(told))
	}
	for i, d := range r.Diagnostics {
		want := "PYR301"
		if i%23 == 5 || i == 69 {
			want = "PYR11"
		}
		if d.File != fmt.Sprint(i) || told[i] != d.File || !strings.HasPrefix(d.Code, want) {
			t.Errorf("%d: %+v", i, d)
		}
	}
}

// A parser that is killed says so of the source it was at: here by the limits.
func TestValidateLimits(t *testing.T) {
	source := func(n int) []byte { return []byte("x = [" + strings.Repeat("'a', (1, 2), {},", n) + "]\n") }
	bounded := func(o Options, memory int64) Options { o.Limits.Memory = memory; return o }
	for name, tt := range map[string]struct {
		o    Options
		slow []byte
		want string
	}{
		// Seconds to compile, and time enough for an interpreter to start on a busy machine.
		"time":   {bounded(Options{DefaultTimeout: 2 * time.Second, MaxCodeBytes: 8 << 20}, 3<<30), source(480_000), "PYR112 the source was not compiled within the time of a run"},
		"memory": {bounded(Options{}, 48<<20), source(60_000), "PYR110 the source "},
	} {
		t.Run(name, func(t *testing.T) {
			e := newExecutor(t, tt.o)
			r, err := e.Validate(t.Context(), Validation{Sources: one(Source{Name: "slow.py", Code: tt.slow}, Source{Name: "x.py", Code: []byte("x = 1")})})
			if err != nil {
				t.Fatal(err)
			}
			if got := brief(r.Diagnostics); !strings.Contains(got, tt.want) || len(r.Diagnostics) != 1 {
				t.Errorf("%s", got)
			}
		})
	}
}

func TestValidateEnds(t *testing.T) {
	e := newExecutor(t, Options{})
	if r, err := e.Validate(t.Context(), Validation{}); err != nil || r.Files != 0 {
		t.Errorf("nothing: %v, %+v", err, r)
	}
	ctx, cancel := context.WithCancel(t.Context())
	endless := func(yield func(Source) bool) {
		for yield(Source{Code: []byte("import os\n")}) {
		}
	}
	n := 0
	_, err := e.Validate(ctx, Validation{Sources: endless, Done: func(string) {
		if n++; n == 100 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || n < 100 {
		t.Errorf("cancelled after %d: %v", n, err)
	}
	closed := make(chan error)
	_, err = e.Validate(t.Context(), Validation{Sources: endless, Done: func(string) {
		if n++; n == 200 {
			go func() { closed <- e.Close() }()
		}
	}})
	if !errors.Is(err, ErrClosed) || <-closed != nil {
		t.Errorf("closed: %v", err)
	}
	if _, err := e.Validate(t.Context(), Validation{Sources: one(Source{})}); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// TestValidateLibrary holds every interpreter's own library against it: a file
// that py_compile takes has no syntax finding. Those of pyenv, which bring CPython's
// tests along and take half a minute each, share it: of each another fifth, or with
// PYRUN_TEST_PYTHONS=all the whole.
func TestValidateLibrary(t *testing.T) {
	t.Parallel()
	home, _ := os.UserHomeDir()
	pythons, _ := filepath.Glob(filepath.Join(home, ".pyenv/versions/3.*/bin/python"))
	for n, python := range append(pythons, "", "/usr/bin/python3") {
		t.Run(python, func(t *testing.T) {
			if python != "" {
				if os.Getenv("PYRUN_REQUIRE") != "all" {
					t.Skip("hundreds of files take a while: PYRUN_REQUIRE=all looks at the libraries of other interpreters too")
				}
				if _, err := os.Stat(python); err != nil {
					t.Skip(err)
				}
			}
			e, err := New(Options{Python: python})
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			in, err := e.prepare(t.Context(), nil)
			if errors.Is(err, interp.ErrTooOld) {
				t.Skip(err)
			}
			if err != nil {
				cannot(t, "%v", err)
			}
			wide := Source{Code: []byte("s = '日本'; x = = 1\n")} // before 3.13 CPython counts bytes
			r, err := e.Validate(t.Context(), Validation{Sources: one(wide)})
			if err != nil {
				cannot(t, "%v", err)
			}
			if got := brief(r.Diagnostics); got != "1:15-1:16 PYR101 invalid syntax\n" {
				t.Error(got)
			}
			sources := librarySources(t, in.Source, 5000)
			if n < len(pythons) && os.Getenv("PYRUN_TEST_PYTHONS") != "all" {
				sources = share(sources, n, 5)
			}
			r, err = e.Validate(t.Context(), Validation{Sources: one(sources...)})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("CPython %s: %d files, %d problems, %d diagnostics, %d ms", r.Python, r.Files, r.Problems, len(r.Diagnostics), r.DurationMS)
			if r.Files != len(sources) {
				t.Errorf("%d of %d files", r.Files, len(sources))
			}
			for _, d := range r.Diagnostics {
				switch {
				case d.Severity == SeverityNote:
				case strings.HasPrefix(d.Code, "PYR1"):
					out, err := osexec.Command(in.Source, "-I", "-W", "ignore", "-c", "import sys\nwith open(sys.argv[1], 'rb') as f: compile(f.read(), sys.argv[1], 'exec')", d.File).CombinedOutput()
					if err == nil {
						t.Errorf("Python takes it: %s: %s", d.File, brief([]Diagnostic{d}))
					} else if want := lastLine(string(out)); d.Code == ruleSyntax && !strings.Contains(want, d.Message) {
						t.Errorf("Python says %q of %s: %s", want, d.File, brief([]Diagnostic{d}))
					}
				}
			}
		})
	}
}

// share is every of-th source, from the n-th on.
func share(all []Source, n, of int) (some []Source) {
	for i := n % of; i < len(all); i += of {
		some = append(some, all[i])
	}
	return some
}
