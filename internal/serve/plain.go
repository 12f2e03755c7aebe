package serve

// The plain call: one message that calls one tool and asks for nothing else. Most
// calls of scripts and gateways are such, and for each of them the SDK makes a
// session, four goroutines and ten buffers of 32 KiB, which takes a third of a
// millisecond. Here it is answered to the byte as the SDK does it; what is not
// plain to the letter is the SDK's to judge.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// plainCall is what such a message says.
type plainCall struct {
	id        jsonrpc.ID
	idText    []byte // as the client wrote it
	tool      string
	arguments []byte
}

// plainHeader tells whether the SDK would make no more of r's headers than a call.
// No version is the first that HTTP had; later ones than these say more in headers
// and in each message.
func plainHeader(h http.Header) bool {
	switch h.Get("MCP-Protocol-Version") {
	case "", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25":
		return h.Get("Content-Type") == jsonType && len(h.Values("Last-Event-ID")) == 0
	}
	return false
}

// readPlain reads a message that readMessage lets pass; ok is false for one that
// is not plain, or that two readers might not read alike.
func readPlain(data []byte) (c plainCall, ok bool) {
	var version, method string
	seen := 0
	err := object("message", data, func(name string, v jsontext.Value) error {
		seen++
		switch {
		case name == "jsonrpc":
			version = ascii(v)
		case name == "method":
			method = ascii(v)
		case name == "id":
			c.idText = bytes.Clone(v)
		case name == "params" && v.Kind() == '{':
			return object(name, v, c.param)
		default:
			return errNotPlain
		}
		return nil
	})
	if err != nil || seen != 4 || version != "2.0" || method != "tools/call" || c.tool == "" || c.arguments == nil {
		return c, false
	}
	c.id, ok = plainID(c.idText)
	return c, ok
}

var errNotPlain = errors.New("the message is not plain")

func (c *plainCall) param(name string, v jsontext.Value) error {
	switch {
	case name == "name":
		c.tool = ascii(v)
	case name == "arguments" && v.Kind() == '{':
		c.arguments = bytes.Clone(v)
	default: // what is asked besides, as progress is
		return errNotPlain
	}
	return nil
}

// ascii is a string that nobody can read in two ways, or else "".
func ascii(v jsontext.Value) string {
	if v.Kind() != '"' {
		return ""
	}
	text := v[1 : len(v)-1]
	for _, c := range text {
		if c < ' ' || c > '~' || c == '\\' {
			return ""
		}
	}
	return string(text)
}

// plainID is a short whole number or a string of plain letters.
func plainID(v jsontext.Value) (jsonrpc.ID, bool) {
	var id any = ascii(v)
	if id == "" {
		n, err := strconv.ParseInt(string(v), 10, 64)
		if err != nil || len(v) > 15 || strconv.FormatInt(n, 10) != string(v) {
			return jsonrpc.ID{}, false
		}
		id = float64(n)
	}
	made, err := jsonrpc.MakeID(id)
	return made, err == nil
}

// plainly is a tool behind all that the SDK has before it.
func (s *Server) plainly(name string) mcp.MethodHandler {
	tool := s.handler(name)
	handle := func(ctx context.Context, _ string, req mcp.Request) (mcp.Result, error) {
		return tool(ctx, req.(*mcp.CallToolRequest))
	}
	for _, m := range s.middleware() {
		handle = m(handle)
	}
	return handle
}

// answerPlain answers as the SDK does: of a request that has ended, the call
// learns from the bridge.
func (t *router) answerPlain(w http.ResponseWriter, r *http.Request, c plainCall) {
	ctx := context.WithoutCancel(r.Context())
	res, err := t.tools[c.tool](ctx, "tools/call", &mcp.CallToolRequest{
		Params: &mcp.CallToolParamsRaw{Name: c.tool, Arguments: c.arguments},
		Extra:  &mcp.RequestExtra{TokenInfo: auth.TokenInfoFromContext(r.Context()), Header: r.Header},
	})
	told := &jsonrpc.Response{ID: c.id, Error: err}
	if err == nil {
		told.Result, err = res.(json.Marshaler).MarshalJSON()
	}
	var data []byte
	if err == nil || told.Error != nil {
		data, err = jsonrpc.EncodeMessage(told)
	}
	if err != nil {
		http.Error(w, "the answer cannot be written as JSON", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Cache-Control", "no-cache, no-transform")
	w.Header().Set("Content-Type", jsonType)
	_, _ = w.Write(data)
}
