package serve

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

// twoWays answers the same request by itself where it is plain, and by the SDK.
func twoWays(t testing.TB, x Executor) (ask func(t testing.TB, header http.Header, body string) (own, sdk string)) {
	t.Helper()
	way := func(plain bool) http.Handler {
		s := newServer(t, x, Options{})
		r := s.router()
		if !plain {
			r.tools = nil
		}
		return s.calls.stamp(r)
	}
	handlers := [2]http.Handler{way(true), way(false)}
	return func(t testing.TB, header http.Header, body string) (own, sdk string) {
		var told [2]string
		for i, h := range handlers {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", strings.NewReader(body))
			r.Header = header.Clone()
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			told[i] = fmt.Sprint(w.Code, w.Header(), w.Body.String())
		}
		return told[0], told[1]
	}
}

func plainly() http.Header {
	return http.Header{"Content-Type": {jsonType}, "Accept": {jsonType + ", " + streamType}}
}

const plainBody = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute_python","arguments":{"code":"x"}}}`

// plainBodies are messages that somebody could read in another way than the SDK;
// true are those that are answered without it.
var plainBodies = map[string]bool{
	plainBody:       true,
	" " + plainBody: true,
	strings.ReplaceAll(plainBody, ",", "\n , "):                                                                          true,
	strings.Replace(plainBody, `"id":1`, `"id":0`, 1):                                                                    true,
	strings.Replace(plainBody, `"id":1`, `"id":-7`, 1):                                                                   true,
	strings.Replace(plainBody, `"id":1`, `"id":"a b"`, 1):                                                                true,
	strings.Replace(plainBody, `"id":1`, `"id":"<&>"`, 1):                                                                true,
	strings.Replace(plainBody, `{"code":"x"}`, `{}`, 1):                                                                  true,
	strings.Replace(plainBody, `{"code":"x"}`, `{"code":1}`, 1):                                                          true,
	strings.Replace(plainBody, `{"code":"x"}`, `{"code":"\u2028<é>"}`, 1):                                                true,
	strings.Replace(plainBody, `{"code":"x"}`, `{"code":"x","timeout":1e9}`, 1):                                          true,
	strings.Replace(plainBody, `{"code":"x"}`, `{"no":[{"a":{}}]}`, 1):                                                   true,
	strings.Replace(plainBody, `execute_python`, `validate_code`, 1):                                                     true,
	strings.Replace(plainBody, `{"jsonrpc":"2.0",`, `{`, 1):                                                              false,
	strings.Replace(plainBody, `"2.0"`, `"1.0"`, 1):                                                                      false,
	strings.Replace(plainBody, `"2.0"`, `2.0`, 1):                                                                        false,
	strings.Replace(plainBody, `"2.0"`, `"\u0032.0"`, 1):                                                                 false,
	strings.Replace(plainBody, `"jsonrpc"`, `"JSONRPC"`, 1):                                                              false,
	strings.Replace(plainBody, `"id":1,`, ``, 1):                                                                         false,
	strings.Replace(plainBody, `"id":1`, `"id":null`, 1):                                                                 false,
	strings.Replace(plainBody, `"id":1`, `"id":true`, 1):                                                                 false,
	strings.Replace(plainBody, `"id":1`, `"id":[1]`, 1):                                                                  false,
	strings.Replace(plainBody, `"id":1`, `"id":-0`, 1):                                                                   false,
	strings.Replace(plainBody, `"id":1`, `"id":1.0`, 1):                                                                  false,
	strings.Replace(plainBody, `"id":1`, `"id":1.5`, 1):                                                                  false,
	strings.Replace(plainBody, `"id":1`, `"id":1e3`, 1):                                                                  false,
	strings.Replace(plainBody, `"id":1`, `"id":9007199254740993`, 1):                                                     false,
	strings.Replace(plainBody, `"id":1`, `"id":""`, 1):                                                                   false,
	strings.Replace(plainBody, `"id":1`, `"id":"é"`, 1):                                                                  false,
	strings.Replace(plainBody, `"id":1`, `"id":"\u0061"`, 1):                                                             false,
	strings.Replace(plainBody, `"id":1`, "\"id\":\"\xff\"", 1):                                                           false,
	strings.Replace(plainBody, `"id":1`, `"id":1,"id":2`, 1):                                                             false,
	strings.Replace(plainBody, `"id":1`, `"id":1,"result":{}`, 1):                                                        false,
	strings.Replace(plainBody, `tools/call`, `tools\/call`, 1):                                                           false,
	strings.Replace(plainBody, `tools/call`, `tools/list`, 1):                                                            false,
	strings.Replace(plainBody, `tools/call`, ``, 1):                                                                      false,
	strings.Replace(plainBody, `"method"`, `"Method"`, 1):                                                                false,
	strings.Replace(plainBody, `execute_python`, `no_such_tool`, 1):                                                      false,
	strings.Replace(plainBody, `execute_python`, `run_python`, 1):                                                        false,
	strings.Replace(plainBody, `"name":"execute_python",`, ``, 1):                                                        false,
	strings.Replace(plainBody, `"name":`, `"Name":`, 1):                                                                  false,
	strings.Replace(plainBody, `"name":`, `"name":"validate_code","name":`, 1):                                           false,
	strings.Replace(plainBody, `{"code":"x"}`, `null`, 1):                                                                false,
	strings.Replace(plainBody, `{"code":"x"}`, `[]`, 1):                                                                  false,
	strings.Replace(plainBody, `{"code":"x"}`, `"{}"`, 1):                                                                false,
	strings.Replace(plainBody, `{"code":"x"}`, `{"code":"x","code":"y"}`, 1):                                             false,
	strings.Replace(plainBody, `{"code":"x"}`, "{\"code\":\"\xff\"}", 1):                                                 false,
	strings.Replace(plainBody, `{"code":"x"}`, `{"code":"\ud800"}`, 1):                                                   false,
	strings.Replace(plainBody, `{"code":"x"}`, strings.Repeat(`{"a":`, 80)+`1`+strings.Repeat(`}`, 80), 1):               false,
	strings.Replace(plainBody, `,"arguments":{"code":"x"}`, ``, 1):                                                       false,
	strings.Replace(plainBody, `"name":`, `"_meta":{},"name":`, 1):                                                       false,
	strings.Replace(plainBody, `"name":`, `"_meta":{"progressToken":1},"name":`, 1):                                      false,
	strings.Replace(plainBody, `"name":`, `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"},"name":`, 1): false,
	strings.Replace(plainBody, `"name":`, `"requestState":"x","name":`, 1):                                               false,
	"[" + plainBody + "]":        false,
	plainBody + "x":              false,
	plainBody + plainBody:        false,
	"\ufeff" + plainBody:         false,
	plainBody[:len(plainBody)-1]: false,
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":null}`: false,
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}`:   false,
	`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`:               false,
	`{}`: false, `null`: false, ``: false,
}

// An answer is to the byte the one that the SDK gives, whoever gives it.
func TestPlainIsTheSame(t *testing.T) {
	rich := result()
	rich.Stdout, rich.Stderr = "<b>&\u2028\u202e\x7f é\n", strings.Repeat("long\n", 900)
	for name, x := range map[string]*fake{
		"a result":      {},
		"a rich result": {execute: func(context.Context, exec.Request) (*exec.Result, error) { return rich, nil }},
		"nothing run":   {execute: func(context.Context, exec.Request) (*exec.Result, error) { return nil, exec.ErrBusy }},
		"a fault":       {execute: func(context.Context, exec.Request) (*exec.Result, error) { panic("no") }},
	} {
		t.Run(name, func(t *testing.T) {
			ask := twoWays(t, x)
			for body, plain := range plainBodies {
				if _, ok := readPlain([]byte(body)); plain && !ok {
					t.Errorf("%s: is not plain", body)
				}
				if own, sdk := ask(t, plainly(), body); own != sdk && !strings.Contains(own, streamType) { // a stream tells the time
					t.Errorf("%.200s:\n%s", body, cmp.Diff(sdk, own))
				}
			}
			for _, h := range [][]string{
				{"MCP-Protocol-Version", ""},
				{"MCP-Protocol-Version", "2024-11-05"},
				{"MCP-Protocol-Version", "2025-03-26"},
				{"MCP-Protocol-Version", "2025-06-18"},
				{"MCP-Protocol-Version", "2025-11-25"},
				{"MCP-Protocol-Version", "2026-07-28"},
				{"MCP-Protocol-Version", "2025-01-01"},
				{"MCP-Protocol-Version", "2099-01-01"},
				{"MCP-Protocol-Version", "x"},
				{"Content-Type", "application/json; charset=utf-8"},
				{"Content-Type", "text/plain"},
				{"Content-Type", ""},
				{"Last-Event-ID", "a_1"},
				{"Mcp-Session-Id", "abc"},
				{"Mcp-Method", "tools/list"},
				{"Mcp-Name", "x"},
			} {
				header := plainly()
				header.Set(h[0], h[1])
				if own, sdk := ask(t, header, plainBody); own != sdk {
					t.Errorf("%s:\n%s", h, cmp.Diff(sdk, own))
				}
			}
		})
	}
}

// What is not plain to the letter is the SDK's.
func TestPlainOrNot(t *testing.T) {
	r := newServer(t, &fake{}, Options{}).router()
	for body, plain := range plainBodies {
		req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", nil)
		req.Header = plainly()
		if _, ok := r.plain(req, []byte(body)); ok != plain {
			t.Errorf("%.200s: plain %v", body, ok)
		}
	}
	streams := newServer(t, &fake{}, Options{EventStream: true})
	if _, kind, _ := post(t, listen(t, streams), plainBody); kind != streamType {
		t.Errorf("a server that streams all answers gave %s", kind)
	}
}

// A plain call passes what stands before every method of the SDK's.
func TestPlainPassesTheMiddleware(t *testing.T) {
	s := newServer(t, &fake{}, Options{})
	for _, h := range s.router().tools {
		req := &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Name: toolExecute, Arguments: []byte(`{"code":"x"}`)}, Extra: &mcp.RequestExtra{Header: http.Header{callHeader: {"9"}}}}
		if _, err := h(t.Context(), "prompts/list", req); err == nil {
			t.Error("a method that was not declared was answered")
		}
	}
}

func FuzzPlain(f *testing.F) {
	for body := range plainBodies {
		f.Add(body)
	}
	ask := twoWays(f, &fake{})
	f.Fuzz(func(t *testing.T, body string) {
		if _, ok := readPlain([]byte(body)); !ok {
			return
		}
		if own, sdk := ask(t, plainly(), body); own != sdk {
			t.Errorf("%q:\n%s", body, cmp.Diff(sdk, own))
		}
	})
}
