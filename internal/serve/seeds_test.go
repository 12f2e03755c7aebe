package serve

// What clients of the first Python runners rely on, and what people reported of
// them, with the real Executor and over both transports.

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

func TestSeeds(t *testing.T) {
	s := newServer(t, core(t), Options{Tools: []string{toolExecute, toolRun}})
	url := listen(t, s)
	p := talk(t, s)
	p.hello("2025-06-18")
	calls := map[string]func(tool, arguments string) (text string, isError bool){
		"http": func(tool, arguments string) (string, bool) {
			a := call(t, url, tool, arguments)
			return a.text(t), a.Result.IsError
		},
		"stdio": func(tool, arguments string) (string, bool) {
			p.send("%s", callBody(tool, arguments))
			var a answer
			if err := json.Unmarshal([]byte(<-p.lines), &a); err != nil {
				t.Fatal(err)
			}
			return a.text(t), a.Result.IsError
		},
	}
	code := func(s string, more ...string) string {
		text, _ := json.Marshal(s)
		return `{"code":` + string(text) + strings.Join(more, "") + `}`
	}
	ok := func(stdout string) func(r exec.Result) bool {
		return func(r exec.Result) bool { return r.Stdout == stdout && r.ExitCode == 0 && r.Stderr == "" }
	}
	refused := func(r exec.Result) bool {
		return r.ExitCode == 2 && r.Verdict == exec.VerdictRejected && r.DurationMS == 0 && r.Stdout == "" && r.Artifacts != nil &&
			(strings.Contains(r.Stderr, "packages are installed at build time") || strings.Contains(r.Stderr, "metadata"))
	}
	told := func(asked, allowed float64) func(r exec.Result) bool {
		return func(r exec.Result) bool {
			return r.Timeout != nil && r.Timeout.Requested == asked && r.Timeout.Effective == allowed
		}
	}
	for name, c := range map[string]struct {
		arguments string
		want      func(r exec.Result) bool
	}{
		"a sum":                    {code("print(sum(range(10)))"), ok("45\n")},
		"a mark at the start":      {code("\ufeffprint('bom ok')"), ok("bom ok\n")},
		"dependencies":             {code("# /// script\n# dependencies = [\"requests\"]\n# ///\nprint(1)\n"), refused},
		"dependencies, CRLF":       {code("# /// script\r\n# dependencies = ['requests']\r\n# ///\r\nprint(1)\r\n"), refused},
		"dependencies, blanks":     {code("# /// script\n# dependencies = ['requests']\n# /// \nprint(1)\n"), refused},
		"dependencies, a mark":     {code("\ufeff# /// script\n# dependencies = ['requests']\n# ///\nprint(1)\n"), refused},
		"dependencies, two blocks": {code("# /// script\n# requires-python = '>=3.9'\n# ///\n\n# /// script\n# dependencies = ['requests']\n# ///\nprint(1)\n"), refused},
		"future, and the lines": {
			code("\"\"\"doc\"\"\"\n# /// script\n# requires-python = \">=3.9\"\n# ///\nfrom __future__ import annotations\ndef f(x: Missing): return x\nprint(__doc__, f(1)); raise RuntimeError('here')\n"),
			func(r exec.Result) bool {
				return r.Stdout == "doc 1\n" && strings.Contains(r.Stderr, "line 7") && r.ExitCode == 1
			},
		},
		"inputs":              {code("import helper, code, os\nprint(helper.hi(), open('data.csv').readline().strip(), os.path.getsize('empty'))", `,"files":[{"path":"helper.py","content":"def hi(): return 'hi'"},{"path":"data.csv","contentBase64":"YSxiCg=="},{"path":"empty","content_base64":""}]`), ok("hi a,b 0\n")},
		"inputs as a string":  {code("print(open('a').read())", `,"files":"[{\"path\":\"a\",\"content\":\"x\"}]"`), ok("x\n")},
		"stdin is not ours":   {code("import sys; print(repr(sys.stdin.read(50)))"), ok("''\n")},
		"stdin":               {code("print('hi', input('name? '))", `,"stdin":"Ada\n"`), ok("name? hi Ada\n")},
		"no more descriptors": {code("import os; print([f for f in os.listdir('/proc/self/fd') if int(f) > 2 and os.path.exists('/proc/self/fd/' + f)])"), ok("[]\n")},
		"timeout 0":           {code("pass", `,"timeout":0`), told(0, 1)},
		"timeout 1000":        {code("pass", `,"timeout":1000`), told(1000, 300)},
		"timeout huge":        {code("pass", `,"timeout":1e300`), told(1e300, 300)},
		"timeout in range":    {code("pass", `,"timeout":5`), func(r exec.Result) bool { return r.Timeout == nil }},
		"what was said before": {code("print('before'); import time; time.sleep(30)", `,"timeout":2`), func(r exec.Result) bool {
			return r.TimedOut && r.Stdout == "before\n" && r.Verdict == exec.VerdictTimeout
		}},
		"a signal": {code("import os; os.abort()"), func(r exec.Result) bool { return r.ExitCode == 134 && r.Signal == "SIGABRT" }},
		"an odd name": {code("import os; a = os.fsencode(os.environ['ARTIFACTS_DIR'])\nopen(a + b'/\\xc3.txt', 'w').write('x'); open(a + b'/ok.txt', 'w').write('ok')"), func(r exec.Result) bool {
			return len(r.Artifacts) == 1 && r.Artifacts[0].Path == "ok.txt" && len(r.Skipped) == 1
		}},
		"a daemon": {code("import os, sys, time\nprint('leader done', flush=True)\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0: time.sleep(120)\n    os._exit(0)\nsys.exit(0)"), func(r exec.Result) bool {
			return r.Stdout == "leader done\n" && r.ExitCode == 0 && r.DurationMS < 10_000
		}},
		"a value":       {code("x = 6\nx * 7"), func(r exec.Result) bool { return r.Value == "42" && r.Stdout == "" }},
		"a hint":        {code("input()"), func(r exec.Result) bool { return strings.Contains(r.Hint, "stdin") && !strings.Contains(r.Hint, "--") }},
		"a fence":       {code("```python\nprint(1)\n```"), func(r exec.Result) bool { return strings.Contains(r.Hint, "fence") }},
		"half an emoji": {code("print('\\ud83d')"), func(r exec.Result) bool { return r.ExitCode == 1 && strings.Contains(r.Stderr, "UnicodeEncodeError") }},
	} {
		for over, send := range calls {
			text, isError := send(toolExecute, c.arguments)
			var r exec.Result
			if err := json.Unmarshal([]byte(text), &r); err != nil || isError || !c.want(r) {
				t.Errorf("%s over %s: isError %v (%v)\n%s", name, over, isError, err, text)
			}
		}
	}
	for arguments, want := range map[string]string{
		code("x\x00y"): "code has a NUL byte in line 1",
		code("pass", `,"files":[{"path":"../x","content":""}]`):                              "files[0].path",
		code("pass", `,"files":[{"path":"a","content":""},{"path":"A","content":""}]`):       "files[1].path is the name of files[0] too",
		code("pass", `,"files":[{"path":"/etc/passwd","content":""}]`):                       "files[0].path",
		code("pass", `,"files":[{"path":".","content":""}]`):                                 "files[0].path",
		code("pass", `,"files":[{"path":"`+strings.Repeat("n", 300)+`","content":""}]`):      "files[0].path",
		code("pass", `,"files":[{"path":"a","content":""},{"path":"a/b","content":""}]`):     "files[1].path would lie in files[0]",
		code(strings.Repeat("#", 1<<20+1)):                                                   "code is 1048577 bytes long, at most 1048576",
		code("pass", `,"args":["`+strings.Repeat("x", 200<<10)+`"]`):                         "args[0] is over 128 KiB",
		code("pass", `,"files":[{"path":"a","content":""},{"path":"b\u202e","content":""}]`): "files[1].path",
	} {
		for over, send := range calls {
			if text, isError := send(toolExecute, arguments); !isError || !strings.Contains(text, want) || !strings.HasSuffix(text, "nothing was run") {
				t.Errorf("over %s: isError %v, %q, want %q", over, isError, text, want)
			}
		}
	}
	for over, send := range calls {
		text, isError := send(toolRun, `{"code":"import sys; print(sum(range(10))); print('site' in sys.modules)"}`)
		var id string
		var seconds float64
		n, err := fmt.Sscanf(text, "[request_id=%8s]\n--- stdout ---\n45\nFalse\n\n--- exit_code: 0 | duration: %fs ---", &id, &seconds)
		if isError || n != 2 || err != nil || len(id) != 8 {
			t.Errorf("run_python over %s: %q (%v)", over, text, err)
		}
	}
}

// The first keys of the text are the seed's, in the seed's order, whatever came of the run.
func TestKeysInOrder(t *testing.T) {
	c := connect(t, listen(t, newServer(t, core(t), Options{})), "2025-06-18")
	for _, code := range []string{"print(1)", "1/0", "# /// script\n# dependencies = ['x']\n# ///"} {
		a, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: toolExecute, Arguments: map[string]any{"code": code}})
		if err != nil {
			t.Fatal(err)
		}
		var keys []string
		d := json.NewDecoder(strings.NewReader(a.Content[0].(*mcp.TextContent).Text))
		for depth := 0; ; {
			token, err := d.Token()
			if err != nil {
				break
			}
			if delim, ok := token.(json.Delim); ok {
				if depth++; delim == '}' || delim == ']' {
					depth -= 2
				}
				continue
			}
			if key, ok := token.(string); ok && depth == 1 {
				keys = append(keys, key)
				var value json.RawMessage
				if err := d.Decode(&value); err != nil {
					t.Fatal(err)
				}
			}
		}
		want := []string{"stdout", "stderr", "exit_code", "duration_ms", "timed_out", "artifacts", "verdict", "request_id", "sandbox", "usage"}
		if d := cmp.Diff(want, keys[:min(len(keys), len(want))]); d != "" {
			t.Errorf("%q: %s", code, d)
		}
		rest := keys[len(want):]
		order := []string{"value", "error", "signal", "hint", "truncated", "skipped", "timeout"}
		if !slices.IsSortedFunc(rest, func(a, b string) int { return slices.Index(order, a) - slices.Index(order, b) }) {
			t.Errorf("%q: %q", code, rest)
		}
	}
}
