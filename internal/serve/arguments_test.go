package serve

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

// What a caller may send, and what becomes of it.
func TestArguments(t *testing.T) {
	x := &fake{}
	url := listen(t, newServer(t, x, Options{}))
	for name, c := range map[string]struct {
		arguments string
		want      func(r exec.Request) any
		is        any
	}{
		"code as it stands":     {`{"code":"\ufeffprint('bom')\r\n"}`, func(r exec.Request) any { return string(r.Code) }, "\ufeffprint('bom')\r\n"},
		"null is left out":      {`{"code":"","timeout":null,"files":null,"stdin":null,"args":null,"artifacts":null}`, func(r exec.Request) any { return len(r.Inputs) + len(r.Args) }, 0},
		"files":                 {`{"code":"","files":[{"path":"a.bin","content_base64":"AAE="},{"path":"b.txt","content":"é"}]}`, inputs, []string{"a.bin=\x00\x01", "b.txt=é"}},
		"files, the alias":      {`{"code":"","files":[{"path":"a","contentBase64":"eA=="}]}`, inputs, []string{"a=x"}},
		"files as a string":     {`{"code":"","files":"[{\"path\":\"a\",\"content\":\"x\"}]"}`, inputs, []string{"a=x"}},
		"files as an empty one": {`{"code":"","files":""}`, inputs, []string(nil)},
		"an empty file":         {`{"code":"","files":[{"path":"a","content_base64":""}]}`, inputs, []string{"a="}},
		"base64 with newlines":  {`{"code":"","files":[{"path":"a","content_base64":"eHh4\neHh4\r\n"}]}`, inputs, []string{"a=xxxxxx"}},
		"args":                  {`{"code":"","args":["a","-b"]}`, func(r exec.Request) any { return r.Args }, []string{"a", "-b"}},
		"args as a string":      {`{"code":"","args":"[\"a\"]"}`, func(r exec.Request) any { return r.Args }, []string{"a"}},
		"no stdin":              {`{"code":""}`, func(r exec.Request) any { return r.Stdin == nil }, true},
		"an empty stdin":        {`{"code":"","stdin":""}`, func(r exec.Request) any { return r.Stdin == nil }, false},
		"a timeout":             {`{"code":"","timeout":2.5}`, func(r exec.Request) any { return r.Limits.Wall.Seconds() }, 2.5},
		"a timeout in a string": {`{"code":"","timeout":"7"}`, func(r exec.Request) any { return r.Limits.Wall.Seconds() }, 7.0},
		"a timeout too long":    {`{"code":"","timeout":1e999}`, func(r exec.Request) any { return r.Limits.Wall.Seconds() }, 300.0},
		"a timeout below none":  {`{"code":"","timeout":-5}`, func(r exec.Request) any { return r.Limits.Wall.Seconds() }, 1.0},
		"an emoji in halves":    {`{"code":"print('\ud83d\ude00')"}`, func(r exec.Request) any { return string(r.Code) }, "print('😀')"},
	} {
		t.Run(name, func(t *testing.T) {
			before := x.runs
			a := call(t, url, toolExecute, c.arguments)
			if a.Result.IsError || x.runs != before+1 {
				t.Fatalf("refused: %+v", a)
			}
			if d := cmp.Diff(c.is, c.want(x.asked())); d != "" {
				t.Error(d)
			}
		})
	}
}

func inputs(r exec.Request) any {
	var list []string
	for _, in := range r.Inputs {
		list = append(list, in.Name+"="+string(in.Data))
	}
	return list
}

// What is refused names the field, and nothing runs.
func TestArgumentsRefused(t *testing.T) {
	x := &fake{}
	url := listen(t, newServer(t, x, Options{Tools: []string{toolExecute, toolValidate, toolCheck, toolRun}}))
	for name, c := range map[string]struct{ tool, arguments, want string }{
		"no code":               {toolExecute, `{}`, "code is missing"},
		"code null":             {toolExecute, `{"code":null}`, "code is not a string"},
		"code a number":         {toolExecute, `{"code":5}`, "code is not a string"},
		"an old name":           {toolExecute, `{"script":"print(1)"}`, "script is not an argument\nhint: execute_python takes code, timeout, files, stdin, args, artifacts"},
		"another old name":      {toolExecute, `{"code":"","dependencies":[]}`, "dependencies is not an argument"},
		"case counts":           {toolExecute, `{"Code":""}`, "Code is not an argument"},
		"a name twice":          {toolExecute, `{"code":"a","code":"b"}`, "arguments has a name twice: code"},
		"twice, deep":           {toolExecute, `{"code":"","files":[{"path":"a","path":"b","content":""}]}`, "has a name twice"},
		"a lone surrogate":      {toolExecute, `{"code":"print('\ud83d')"}`, "code has half a character"},
		"surrogates swapped":    {toolExecute, `{"code":"\ude00\ud83d"}`, "code has half a character"},
		"bytes that are none":   {toolExecute, "{\"code\":\"\xff\"}", "not UTF-8"},
		"a list":                {toolExecute, `[]`, "arguments is not an object"},
		"a string":              {toolExecute, `"code"`, "arguments is not an object"},
		"timeout true":          {toolExecute, `{"code":"","timeout":true}`, "timeout is not a number"},
		"timeout in words":      {toolExecute, `{"code":"","timeout":"soon"}`, "timeout is not a number"},
		"timeout inf":           {toolExecute, `{"code":"","timeout":"inf"}`, "timeout is not a number"},
		"artifacts":             {toolExecute, `{"code":"","artifacts":"all"}`, "artifacts is neither auto nor inline"},
		"args of numbers":       {toolExecute, `{"code":"","args":[1]}`, "args[0] is not a string"},
		"files as an object":    {toolExecute, `{"code":"","files":{"path":"a"}}`, "files is not an array"},
		"files in a bad string": {toolExecute, `{"code":"","files":"[{"}`, "files[0] is not valid JSON"},
		"a string with more":    {toolExecute, `{"code":"","files":"[] []"}`, "files has something after its end"},
		"no path":               {toolExecute, `{"code":"","files":[{"content":"x"}]}`, "files[0].path is missing"},
		"no content":            {toolExecute, `{"code":"","files":[{"path":"a"}]}`, "files[0] has neither content nor content_base64"},
		"two contents":          {toolExecute, `{"code":"","files":[{"path":"a","content":"x","content_base64":"eA=="}]}`, "files[0] has both content and content_base64"},
		"a file's unknown name": {toolExecute, `{"code":"","files":[{"path":"a","content":"x","mode":"600"}]}`, "files[0].mode is not an argument\nhint: a file takes path, content, content_base64"},
		"not base64":            {toolExecute, `{"code":"","files":[{"path":"a","content_base64":"!!!!"}]}`, "files[0].content_base64 is not base64"},
		"base64 without pad":    {toolExecute, `{"code":"","files":[{"path":"a","content_base64":"eA"}]}`, "files[0].content_base64 is not base64"},
		"base64, loose bits":    {toolExecute, `{"code":"","files":[{"path":"a","content_base64":"eB=="}]}`, "files[0].content_base64 is not base64"},
		"a data URL":            {toolExecute, `{"code":"","files":[{"path":"a","content_base64":"data:text/plain;base64,eA=="}]}`, "is a data: URL"},
		"too many files":        {toolExecute, `{"code":"","files":[` + strings.Repeat(`{"path":"a","content":""},`, 16) + `{"path":"a","content":""}]}`, "files are more than 16"},
		"a large file":          {toolExecute, `{"code":"","files":[{"path":"a","content_base64":"` + strings.Repeat("AAAA", 2<<20) + `"}]}`, "files[0].content_base64 is over 5242880 bytes"},
		"hidden characters":     {toolExecute, `{"\u202ecode":""}`, `\u202ecode is not an argument`},
		"no argument at all":    {toolCheck, `{"deep":true}`, "deep is not an argument\nhint: check_environment takes no arguments"},
		"validate":              {toolValidate, `{"code":"","timeout":1}`, "timeout is not an argument"},
		"run_python":            {toolRun, `{"code":"","files":[]}`, "files is not an argument"},
	} {
		t.Run(name, func(t *testing.T) {
			a := call(t, url, c.tool, c.arguments)
			if got := a.text(t); !a.Result.IsError || !strings.Contains(got, c.want) {
				t.Errorf("isError %v, text %q, want %q", a.Result.IsError, got, c.want)
			}
		})
	}
	if x.runs != 0 {
		t.Errorf("%d runs", x.runs)
	}
}

// No input makes the reader of arguments panic or take what is not JSON.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{`{"code":"x"}`, `{"code":"x","files":[{"path":"a","content":"b"}],"args":["a"]}`, `{"code":"\ud800"}`, `[[[[`, `{"files":"[]"}`} {
		f.Add(seed)
	}
	s := newServer(f, &fake{}, Options{})
	f.Fuzz(func(t *testing.T, raw string) {
		a, err := s.readArguments(toolExecute, []byte(raw))
		if err == nil && !a.hasCode {
			t.Errorf("%q: no code and no error", raw)
		}
	})
}
