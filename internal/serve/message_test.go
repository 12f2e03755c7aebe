package serve

import (
	"strings"
	"testing"
)

func TestReadMessage(t *testing.T) {
	deep := func(n int) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}}`
	}
	for _, tt := range []struct {
		name, body string
		calls      int
		err        string // contained; empty is none
	}{
		{name: "call", body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`, calls: 1},
		{name: "other", body: ` {"method":"tools/list"} `},
		{name: "method last", body: `{"params":{"method":"tools/list"},"method":"tools/call"}`, calls: 1},
		{name: "method of somebody else", body: `{"params":{"method":"tools/call"},"id":"tools/call","method":"ping"}`},
		{name: "escaped", body: `{"method":"tools\/\u0063all"}`, calls: 1},
		{name: "batch", body: `[{"method":"tools/call"},{"method":"ping"},{"method":"tools/call"}]`, calls: 2},
		{name: "nothing in a batch", body: `[]`},
		{name: "half characters are the tool's", body: `{"method":"tools/call","params":{"arguments":{"code":"\ud800"}}}`, calls: 1},
		{name: "names twice in arguments are the tool's", body: `{"method":"tools/call","params":{"arguments":{"code":"1","code":"2"}}}`, calls: 1},
		{name: "twice", body: `{"method":"ping","method":"tools/call"}`, err: `"method" twice`},
		{name: "twice, one escaped", body: `{"method":"ping","\u006dethod":"tools/call"}`, err: `"method" twice`},
		{name: "twice in params", body: `{"method":"tools/call","params":{"name":"a","x":{"name":1},"name":"b"}}`, err: `params hold "name" twice`},
		{name: "twice in a batch", body: `[{"method":"ping"},{"id":1,"id":2}]`, err: `"id" twice`},
		{name: "once in each of a batch", body: `[{"id":1,"params":{"a":1}},{"id":2,"params":{"a":1}}]`},
		{name: "once in params and in others", body: `{"params":{"a":1},"result":{"a":1,"b":2}}`},
		{name: "deep enough", body: deep(maxDepth - 2), calls: 1},
		{name: "too deep", body: deep(maxDepth - 1), err: "nested deeper than 64"},
		{name: "10,000 deep", body: deep(10000), err: "nested deeper than 64"},
		{name: "more behind", body: `{"method":"ping"} {"method":"tools/call"}`, err: "after the message"},
		{name: "a word behind", body: `{"method":"ping"} x`, err: "not valid JSON"},
		{name: "a number behind", body: `{"method":"ping"}7`, err: "after the message"},
		{name: "many", body: "[" + strings.TrimSuffix(strings.Repeat(`{},`, maxMessages+1), ",") + "]", err: "more than 100"},
		{name: "half", body: `{"method":"tools/call"`, err: "not valid JSON"},
		{name: "nothing", body: ``, err: "not valid JSON"},
		{name: "a number", body: `7`, err: "not a JSON-RPC message"},
		{name: "a string", body: `"tools/call"`, err: "not a JSON-RPC message"},
		{name: "Python", body: `{'method': 'ping'}`, err: "not valid JSON"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, err := readMessage([]byte(tt.body))
			if tt.err == "" && (err != nil || m.calls != tt.calls) {
				t.Errorf("%d calls, %v; want %d", m.calls, err, tt.calls)
			}
			if tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
				t.Errorf("error %v, want %s", err, tt.err)
			}
		})
	}
}

func FuzzReadMessage(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"code":"1"}}}`))
	f.Add([]byte(`[{"id":1},[{}]]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if m, err := readMessage(data); err == nil && m.calls > maxMessages {
			t.Errorf("%d calls", m.calls)
		}
	})
}
