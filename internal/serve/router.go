package serve

// One endpoint over two or three of the SDK's: JSON for most calls, an event
// stream where progress was asked for, sessions where they are switched on.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	jsonType   = "application/json"
	streamType = "text/event-stream"

	// sessionless is the first protocol that knows no sessions.
	sessionless = "2026-07-28"

	// sessionIdle is how long a session may say nothing before it is forgotten.
	sessionIdle = 30 * time.Minute
)

// Handler is the MCP endpoint without anything in front of it: whom to let in
// is for others to decide. It answers at any path.
func (s *Server) Handler() http.Handler {
	endpoint := func(o mcp.StreamableHTTPOptions) http.Handler {
		o.Logger = s.options.Log
		o.DisableLocalhostProtection = true // the exposure checks Host, against its own list
		o.MaxRequestBodyBytes = s.options.Bounds.bodyBytes()
		o.PropagateRequestCancellation = true
		return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.sdk }, &o)
	}
	r := &router{
		most:   s.options.Bounds.bodyBytes(),
		json:   endpoint(mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: !s.options.EventStream}),
		stream: endpoint(mcp.StreamableHTTPOptions{Stateless: true}),
	}
	if s.options.Sessions {
		r.sessions = endpoint(mcp.StreamableHTTPOptions{SessionTimeout: sessionIdle})
	}
	return s.calls.stamp(r)
}

type router struct {
	most                   int64
	json, stream, sessions http.Handler // sessions may be nil
}

func (t *router) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		if t.sessions != nil {
			t.sessions.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "only POST is answered here: this server keeps no sessions", http.StatusMethodNotAllowed)
		return
	}
	body, err := t.read(w, r)
	if err != nil {
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			http.Error(w, fmt.Sprintf("the request body is over %d bytes", large.Limit), http.StatusRequestEntityTooLarge)
			return
		}
		http.Error(w, "the request body ended early", http.StatusBadRequest)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.ContentLength = int64(len(body))
	acceptBoth(r.Header)
	t.choose(r.Header.Get("MCP-Protocol-Version"), body).ServeHTTP(w, r)
}

// read is the whole body, which the gate may have read already.
func (t *router) read(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if b, ok := r.Body.(body); ok {
		return b.all, nil
	}
	return io.ReadAll(http.MaxBytesReader(w, r.Body, t.most))
}

func (t *router) choose(version string, body []byte) http.Handler {
	switch {
	case t.sessions != nil && version < sessionless:
		return t.sessions
	case wantsProgress(body):
		return t.stream
	}
	return t.json
}

// acceptBoth completes an Accept header: the protocol demands both types of
// every client, and a person with curl names one or none. Whoever refuses one
// by naming only the other gets what they named, because both are understood.
func acceptBoth(h http.Header) {
	h.Set("Accept", jsonType+", "+streamType)
}

// wantsProgress says whether a message asks for progress.
func wantsProgress(body []byte) bool {
	if !bytes.Contains(body, []byte(`"progressToken"`)) {
		return false // the common case, without reading the body as JSON
	}
	var m struct {
		Params struct {
			Meta struct {
				Token json.RawMessage `json:"progressToken"`
			} `json:"_meta"`
		} `json:"params"`
	}
	if json.Unmarshal(body, &m) != nil {
		return strings.HasPrefix(strings.TrimLeft(string(body[:min(len(body), 64)]), " \t\r\n"), "[")
	}
	return len(m.Params.Meta.Token) > 0 && string(m.Params.Meta.Token) != "null"
}

// bodyBytes is the largest request: all inputs as base64, the code with every
// byte escaped, and room for the rest.
func (b Bounds) bodyBytes() int64 {
	if b.MaxBodyBytes > 0 {
		return b.MaxBodyBytes
	}
	return b.MaxInputsTotal/3*4 + 6*b.MaxCodeBytes + 2<<20
}
