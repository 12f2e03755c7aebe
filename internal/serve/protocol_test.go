package serve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

// versions that a client may speak through initialize.
var versions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}

// modern are the headers and the _meta of protocol 2026-07-28.
func modern(method, name, params string) (body string, header []string) {
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}}`
	if params != "" {
		meta = params + "," + meta
	}
	header = []string{"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", method}
	if name != "" {
		header = append(header, "Mcp-Name", name)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s}}`, method, meta), header
}

// A run that lasts until its context ends; started and ended tell of it.
func lasting() (x *fake, started, ended chan struct{}) {
	started, ended = make(chan struct{}, 10), make(chan struct{}, 10)
	return &fake{execute: func(ctx context.Context, r exec.Request) (*exec.Result, error) {
		started <- struct{}{}
		<-ctx.Done()
		ended <- struct{}{}
		return nil, ctx.Err()
	}}, started, ended
}

func wait(t *testing.T, c <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(late):
		t.Fatalf("%s: not within %v", what, late)
	}
}

// Every version, over both transports, lists and calls.
func TestVersions(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			url := listen(t, newServer(t, &fake{}, Options{}))
			status, kind, body := post(t, url, callBody(toolExecute, `{"code":"x"}`), "MCP-Protocol-Version", version)
			if status != 200 || kind != "application/json" || !strings.Contains(body, "a1b2c3d4") {
				t.Errorf("http: %d %s %s", status, kind, body)
			}
			p := talk(t, newServer(t, &fake{}, Options{}))
			p.hello(version)
			p.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
			if m := p.next(late); m == nil || m["result"] == nil {
				t.Errorf("stdio list: %v", m)
			}
			p.send("%s", callBody(toolExecute, `{"code":"x"}`))
			if m := p.next(late); m == nil || !strings.Contains(fmt.Sprint(m["result"]), "a1b2c3d4") {
				t.Errorf("stdio call: %v", m)
			}
		})
	}
	t.Run("2026-07-28", func(t *testing.T) {
		for _, sessions := range []bool{false, true} {
			url := listen(t, newServer(t, &fake{}, Options{Sessions: sessions}))
			body, header := modern("tools/call", toolExecute, `"name":"execute_python","arguments":{"code":"x"}`)
			status, kind, body := post(t, url, body, header...)
			if status != 200 || kind != "application/json" || !strings.Contains(body, "a1b2c3d4") {
				t.Errorf("sessions %v: %d %s %s", sessions, status, kind, body)
			}
			body, header = modern("server/discover", "", "")
			if status, _, body := post(t, url, body, header...); status != 200 || !strings.Contains(body, `"2026-07-28"`) || strings.Contains(body, `"prompts"`) {
				t.Errorf("discover: %d %s", status, body)
			}
		}
		p := talk(t, newServer(t, &fake{}, Options{}))
		body, _ := modern("tools/call", toolExecute, `"name":"execute_python","arguments":{"code":"x"}`)
		p.send("%s", body)
		if m := p.next(late); m == nil || !strings.Contains(fmt.Sprint(m["result"]), "a1b2c3d4") {
			t.Errorf("stdio: %v", m)
		}
	})
}

// What a person with curl sends is answered, and what no client asks for is refused.
func TestHTTPKindness(t *testing.T) {
	url := listen(t, newServer(t, &fake{}, Options{}))
	for accept, want := range map[string]string{"": jsonType, "*/*": jsonType, "application/json": jsonType, "text/event-stream": streamType, "text/html": jsonType, "application/json, text/event-stream": jsonType} {
		if status, kind, body := post(t, url, callBody(toolExecute, `{"code":"x"}`), "Accept", accept); status != 200 || kind != want {
			t.Errorf("Accept %q: %d %s %s", accept, status, kind, body)
		}
	}
	for _, method := range []string{"prompts/list", "prompts/get", "resources/list", "resources/templates/list", "completion/complete", "logging/setLevel"} {
		_, _, body := post(t, url, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{"name":"x","level":"info","ref":{"type":"ref/prompt","name":"x"},"argument":{"name":"a","value":"b"}}}`, method))
		if !strings.Contains(body, "-32601") {
			t.Errorf("%s: %s", method, body)
		}
	}
	for _, method := range []string{"GET", "DELETE", "PUT"} {
		r, _ := http.NewRequestWithContext(t.Context(), method, url, nil)
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != http.StatusMethodNotAllowed || res.Header.Get("Allow") != "POST" {
			t.Errorf("%s: %d, allow %q", method, res.StatusCode, res.Header.Get("Allow"))
		}
	}
	a := call(t, url, "no_such_tool", "{}")
	if a.Error == nil || a.Error.Code != -32602 {
		t.Errorf("unknown tool: %+v", a)
	}
	if status, _, _ := post(t, url, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute_python","arguments":{"code":"`+strings.Repeat("x", 30<<20)+`"}}}`); status != http.StatusRequestEntityTooLarge {
		t.Errorf("30 MiB: %d", status)
	}
	// The seed's 10 MiB of inputs fit, as base64.
	files := `{"path":"a","content_base64":"` + strings.Repeat("AAAA", 5<<20/3) + `"},{"path":"b","content_base64":"` + strings.Repeat("AAAA", 5<<20/3) + `"}`
	if a := call(t, url, toolExecute, `{"code":"","files":[`+files+`]}`); a.Result.IsError {
		t.Errorf("10 MiB of inputs: %s", a.text(t))
	}
}

// A caller who goes away ends the run, in every version and framing.
func TestDisconnectEndsTheRun(t *testing.T) {
	legacy := callBody(toolExecute, `{"code":"x"}`)
	withProgress := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute_python","arguments":{"code":"x"},"_meta":{"progressToken":"p"}}}`
	newest, newestHeader := modern("tools/call", toolExecute, `"name":"execute_python","arguments":{"code":"x"}`)
	for name, c := range map[string]struct {
		body   string
		header []string
	}{
		"no version":           {legacy, nil},
		"2025-03-26":           {legacy, []string{"MCP-Protocol-Version", "2025-03-26"}},
		"2025-11-25":           {legacy, []string{"MCP-Protocol-Version", "2025-11-25"}},
		"2025-11-25, progress": {withProgress, []string{"MCP-Protocol-Version", "2025-11-25"}},
		"2026-07-28":           {newest, newestHeader},
	} {
		t.Run(name, func(t *testing.T) {
			x, started, ended := lasting()
			s := newServer(t, x, Options{})
			url := listen(t, s)
			ctx, cancel := context.WithCancel(t.Context())
			r, _ := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(c.body))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Pyrun-Call", "1") // nobody can name another's request
			for i := 0; i < len(c.header); i += 2 {
				r.Header.Set(c.header[i], c.header[i+1])
			}
			done := make(chan struct{})
			go func() {
				defer close(done)
				if res, err := http.DefaultClient.Do(r); err == nil {
					bufio.NewReader(res.Body).WriteTo(discard{})
					res.Body.Close()
				}
			}()
			wait(t, started, "the run")
			cancel()
			wait(t, ended, "its end")
			wait(t, done, "the request's end")
		})
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// With sessions a notification ends the run that it names.
func TestSessionCancel(t *testing.T) {
	x, started, ended := lasting()
	c := connect(t, listen(t, newServer(t, x, Options{Sessions: true})), "2025-11-25")
	if c.ID() == "" {
		t.Fatal("no session")
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		_, _ = c.CallTool(ctx, &mcp.CallToolParams{Name: toolExecute, Arguments: map[string]any{"code": "x"}})
	}()
	wait(t, started, "the run")
	cancel()
	wait(t, ended, "its end")
	if _, err := c.ListTools(t.Context(), nil); err != nil {
		t.Errorf("after it: %v", err)
	}
}

// Without sessions too: the word given at initialize tells whose call is meant.
func TestStatelessCancel(t *testing.T) {
	x, started, ended := lasting()
	url := listen(t, newServer(t, x, Options{}))
	hello := func() string {
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`))
		r.Header.Set("Content-Type", "application/json")
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		return res.Header.Get("Mcp-Session-Id")
	}
	mine, other := hello(), hello()
	if mine == "" || mine == other {
		t.Fatalf("words %q and %q", mine, other)
	}
	answered := make(chan string, 1)
	go func() {
		_, _, body := post(t, url, callBody(toolExecute, `{"code":"x"}`), "Mcp-Session-Id", mine)
		answered <- body
	}()
	wait(t, started, "the run")
	cancel := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`
	for _, c := range []struct{ word, id string }{{other, "1"}, {"", "1"}, {mine, "2"}, {mine, `"1"`}, {mine, "null"}} {
		if status, _, body := post(t, url, fmt.Sprintf(cancel, c.id), "Mcp-Session-Id", c.word); status != http.StatusAccepted {
			t.Errorf("%+v: %d %s", c, status, body)
		}
	}
	select {
	case <-ended:
		t.Fatal("somebody else's word ended the run")
	case <-time.After(100 * time.Millisecond):
	}
	post(t, url, fmt.Sprintf(cancel, "1"), "Mcp-Session-Id", mine)
	wait(t, ended, "its end")
	if body := <-answered; !strings.Contains(body, "the call was cancelled") {
		t.Errorf("%s", body)
	}
	// A word that this server never gave, as after a restart, does no harm.
	if status, _, _ := post(t, url, callBody(toolCheck, `{}`), "Mcp-Session-Id", "from before"); status != 200 {
		t.Errorf("an old word: %d", status)
	}
}

// Over stdio a cancelled call ends its run and is not answered; the next one is.
func TestStdioCancel(t *testing.T) {
	x, started, ended := lasting()
	p := talk(t, newServer(t, x, Options{}))
	p.hello("2025-06-18")
	p.send(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"execute_python","arguments":{"code":"x"}}}`)
	wait(t, started, "the run")
	p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,"reason":"changed my mind"}}`)
	wait(t, ended, "its end")
	p.send(`{"jsonrpc":"2.0","id":8,"method":"ping"}`)
	if m := p.next(late); m == nil || m["id"] != 8.0 {
		t.Errorf("after it: %v", m)
	}
	if m := p.next(200 * time.Millisecond); m != nil {
		t.Errorf("the cancelled call was answered: %v", m)
	}
	// A cancellation of what is not there, or is no id, hurts nobody.
	p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}`)
	p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}`)
	p.send(`{"jsonrpc":"2.0","id":99,"method":"ping"}`)
	if m := p.next(late); m == nil || m["id"] != 99.0 {
		t.Errorf("a later call of the same id: %v", m)
	}
}

// The end of stdin ends every run, and the server.
func TestStdioEnd(t *testing.T) {
	x, started, ended := lasting()
	p := talk(t, newServer(t, x, Options{}))
	p.hello("2025-06-18")
	p.send(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"execute_python","arguments":{"code":"x"}}}`)
	p.send(`{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"execute_python","arguments":{"code":"x"}}}`)
	wait(t, started, "the first run")
	wait(t, started, "the second run")
	p.in.Close()
	wait(t, ended, "the first end")
	wait(t, ended, "the second end")
	select {
	case err := <-p.ended:
		if err != nil {
			t.Errorf("Stdio: %v", err)
		}
	case <-time.After(late):
		t.Fatal("Stdio did not return")
	}
}

// A line that is no message is answered and forgotten; the connection lives.
func TestStdioGarbage(t *testing.T) {
	p := talk(t, newServer(t, &fake{}, Options{Bounds: Bounds{MaxBodyBytes: 100 << 10}}))
	p.hello("2025-06-18")
	for _, line := range []string{"hello?", `{"jsonrpc":"2.0","id":1,`, `{} {}`, `{"method":"a","method":"b"}`, strings.Repeat("[", 1000), strings.Repeat("x", 200<<10), `{"a":"` + strings.Repeat("y", 200<<10) + `"}`} {
		p.send("%s", line)
		m := p.next(late)
		if m == nil || fmt.Sprint(m["error"]) == "<nil>" || m["id"] != nil {
			t.Errorf("%.40q: %v", line, m)
		}
	}
	p.send("")
	p.send("\r")
	p.send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r")
	if m := p.next(late); m == nil || m["id"] != 1.0 {
		t.Errorf("after it: %v", m)
	}
}

// The answer to initialize does not wait for an interpreter, nor a list for ever.
func TestInitializeDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := make(chan struct{})
		x := &fake{check: func(ctx context.Context, _ exec.Inspection) (*exec.Environment, error) {
			select {
			case <-slow:
				return environment(), nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}}
		p := talk(t, newServer(t, x, Options{}))
		began := time.Now()
		p.hello("2025-06-18")
		if d := time.Since(began); d != 0 {
			t.Errorf("initialize took %s", d)
		}
		p.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
		m := p.next(10 * time.Second)
		if d := time.Since(began); m == nil || d != listWait {
			t.Errorf("the list took %s: %v", d, m)
		}
		if !strings.Contains(fmt.Sprint(m), "see check_environment") {
			t.Errorf("%v", m)
		}
		close(slow)
		time.Sleep(time.Millisecond)
		p.send(`{"jsonrpc":"2.0","id":3,"method":"tools/list"}`)
		if m := p.next(time.Second); !strings.Contains(fmt.Sprint(m), "Python 3.14.6 with numpy, scikit-learn (import sklearn); nothing can be installed.") {
			t.Errorf("%v", m)
		}
		p.in.Close()
		<-p.ended
	})
}

// Progress at once and every five seconds, rising, and none after the answer.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := &fake{execute: func(ctx context.Context, r exec.Request) (*exec.Result, error) {
			r.Progress(exec.Progress{What: "unpacking CPython 3.14.6 (once)"})
			time.Sleep(12 * time.Second)
			return result(), nil
		}}
		p := talk(t, newServer(t, x, Options{}))
		p.hello("2025-06-18")
		p.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"execute_python","arguments":{"code":"x","timeout":8},"_meta":{"progressToken":"abc"}}}`)
		began, last := time.Now(), -1.0
		for _, want := range []struct {
			after   time.Duration
			message string
			total   any
		}{{0, "started", 8.0}, {5 * time.Second, "unpacking CPython 3.14.6 (once)", 8.0}, {10 * time.Second, "unpacking CPython 3.14.6 (once)", nil}} {
			m := p.next(20 * time.Second)
			params, _ := m["params"].(map[string]any)
			progress, _ := params["progress"].(float64)
			if time.Since(began) != want.after || params["message"] != want.message || params["total"] != want.total || params["progressToken"] != "abc" || progress <= last {
				t.Errorf("after %s: %v, want %+v", time.Since(began), m, want)
			}
			last = progress
		}
		if m := p.next(20 * time.Second); m["result"] == nil || time.Since(began) != 12*time.Second {
			t.Errorf("after %s: %v", time.Since(began), m)
		}
		if m := p.next(time.Minute); m != nil {
			t.Errorf("after the answer: %v", m)
		}
		p.in.Close()
		<-p.ended
	})
}

// Over HTTP progress comes in an event stream, to those who ask for it alone.
func TestProgressOverHTTP(t *testing.T) {
	url := listen(t, newServer(t, &fake{}, Options{}))
	for body, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute_python","arguments":{"code":"x"},"_meta":{"progressToken":0}}}`:                streamType,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute_python","arguments":{"code":"print('\"progressToken\"')"}}}`:                   jsonType,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute_python","arguments":{"code":"x"},"_meta":{"progressToken":null}}}`:             jsonType,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute_python","arguments":{"code":"{\"_meta\":{\"progressToken\":1}}"},"_meta":{}}}`: jsonType,
	} {
		status, kind, got := post(t, url, body)
		if status != 200 || kind != want {
			t.Errorf("%s: %d %s", body, status, kind)
		}
		if want == streamType && !strings.Contains(got, "notifications/progress") {
			t.Errorf("no progress in %s", got)
		}
	}
	c := connect(t, url, "")
	params := &mcp.CallToolParams{Name: toolExecute, Arguments: map[string]any{"code": "x"}}
	params.SetProgressToken("p")
	if res, err := c.CallTool(t.Context(), params); err != nil || res.IsError {
		t.Errorf("%v %v", res, err)
	}
}

// The caller that the exposure named reaches the Executor and the Observer.
func TestCallerIsToldOn(t *testing.T) {
	for _, sessions := range []bool{false, true} {
		x, o := &fake{}, &watcher{}
		s := newServer(t, x, Options{Sessions: sessions, Observer: o})
		h := s.Handler()
		srv := listenHandler(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			h.ServeHTTP(w, r.WithContext(WithCaller(r.Context(), r.Header.Get("X-Who"))))
		}))
		c := connectAs(t, srv, "ada")
		if _, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: toolExecute, Arguments: map[string]any{"code": "abc"}}); err != nil {
			t.Fatal(err)
		}
		if got := x.asked().Caller; got != "ada" {
			t.Errorf("sessions %v: the Executor heard of %q", sessions, got)
		}
		if len(o.began) != 1 || o.began[0].Caller != "ada" || o.began[0].CodeBytes != 3 || len(o.ended) != 1 {
			t.Errorf("sessions %v: the observer heard %+v", sessions, o)
		}
	}
}

// Nothing is left behind by calls that came, went away and were cancelled.
func TestNothingStays(t *testing.T) {
	s := newServer(t, &fake{}, Options{})
	url := listen(t, s)
	for range 50 {
		call(t, url, toolExecute, `{"code":"x"}`)
	}
	http.DefaultClient.CloseIdleConnections()
	before := runtime.NumGoroutine()
	for range 200 {
		post(t, url, callBody(toolExecute, `{"code":"x"}`), "Mcp-Session-Id", "w")
	}
	http.DefaultClient.CloseIdleConnections()
	deadline := time.Now().Add(late)
	for runtime.NumGoroutine() > before+5 && time.Now().Before(deadline) {
		time.Sleep(10 * time.Millisecond)
	}
	if n := runtime.NumGoroutine(); n > before+5 {
		t.Errorf("%d goroutines, %d before", n, before)
	}
	left := 0
	count := func(any, any) bool { left++; return true }
	s.calls.open.Range(count)
	s.calls.named.Range(count)
	if left > 0 {
		t.Errorf("%d requests are still noted", left)
	}
}

// An error of the stair is an answer that can be read, and names the way out.
func TestFailures(t *testing.T) {
	for want, err := range map[string]error{
		"files[1].path is a folder: x\nhint: name a file\nnothing was run":                             &exec.RequestError{Field: "inputs[1].name", Msg: "is a folder: x", Hint: "name a file"},
		exec.ErrBusy.Error() + "\nnothing was run":                                                     exec.ErrBusy,
		"sandbox: build the root: denied\nbecause of a profile\nremedy: take it away\nnothing was run": wall{},
		"the call was cancelled\nnothing was run":                                                      fmt.Errorf("wait: %w", context.Canceled),
		"pyrun failed and does not know why\nnothing was run":                                          nil,
	} {
		x := &fake{execute: func(context.Context, exec.Request) (*exec.Result, error) { return nil, err }}
		a := call(t, listen(t, newServer(t, x, Options{})), toolExecute, `{"code":"x"}`)
		if got := a.text(t); !a.Result.IsError || got != want {
			t.Errorf("%v: isError %v, %q, want %q", err, a.Result.IsError, got, want)
		}
	}
}

type wall struct{}

func (wall) Error() string          { return "sandbox: build the root: denied" }
func (wall) Explain() (w, r string) { return "of a profile", "take it away" }

// A panic in one call is that call's answer, not the end of the server.
func TestPanicIsAnAnswer(t *testing.T) {
	x := &fake{execute: func(context.Context, exec.Request) (*exec.Result, error) { panic("boom") }}
	o := &watcher{}
	url := listen(t, newServer(t, x, Options{Observer: o}))
	_, _, body := post(t, url, callBody(toolExecute, `{"code":"x"}`))
	if len(o.began) != 1 || len(o.ended) != 1 {
		t.Errorf("the observer heard %+v", o)
	}
	if !json.Valid([]byte(body)) || strings.Contains(body, "goroutine") {
		t.Errorf("%s", body)
	}
	if _, _, body := post(t, url, callBody(toolCheck, `{}`)); !strings.Contains(body, "Python version") {
		t.Errorf("after it: %s", body)
	}
}

// The end of the context ends every run too, and is no error.
func TestStdioContextEnd(t *testing.T) {
	x, started, ended := lasting()
	ctx, cancel := context.WithCancel(t.Context())
	in, send := io.Pipe()
	defer send.Close()
	done := make(chan error, 1)
	go func() { done <- newServer(t, x, Options{}).Stdio(ctx, in, nopCloser{io.Discard}) }()
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		callBody(toolExecute, `{"code":"x"}`),
	} {
		if _, err := io.WriteString(send, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	wait(t, started, "the run")
	cancel()
	wait(t, ended, "its end")
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("Stdio: %v", err)
		}
	case <-time.After(late):
		t.Fatal("Stdio did not return")
	}
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// The log has one line a call, and what the SDK does is not in it.
func TestLogIsQuiet(t *testing.T) {
	var log bytes.Buffer
	s := newServer(t, &fake{}, Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	url := listen(t, s)
	call(t, url, toolExecute, `{"code":"x"}`)
	call(t, url, toolCheck, `{}`)
	if n := strings.Count(log.String(), "\n"); n != 2 {
		t.Errorf("%d lines:\n%s", n, log.String())
	}
}
