package serve

// One endpoint over two or three of the SDK's: JSON for most calls, an event
// stream where progress was asked for, sessions where they are switched on.

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	jsonType   = "application/json"
	streamType = "text/event-stream"

	// sessionless is the first protocol that knows no sessions.
	sessionless = "2026-07-28"
)

// Handler is the MCP endpoint without anything in front of it: whom to let in
// is for others to decide. It answers at any path.
func (s *Server) Handler() http.Handler { return s.calls.stamp(s.router()) }

func (s *Server) router() *router {
	endpoint := func(o mcp.StreamableHTTPOptions) http.Handler {
		o.Logger = s.sdkLog()
		o.DisableLocalhostProtection = true // the exposure checks Host, against its own list
		o.MaxRequestBodyBytes = s.options.Bounds.bodyBytes()
		o.PropagateRequestCancellation = true
		return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.sdk }, &o)
	}
	r := &router{
		calls:  &s.calls,
		most:   s.options.Bounds.bodyBytes(),
		json:   endpoint(mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: !s.options.EventStream}),
		stream: endpoint(mcp.StreamableHTTPOptions{Stateless: true}),
		tools:  map[string]mcp.MethodHandler{},
	}
	if !s.options.EventStream {
		for _, name := range s.options.Tools {
			r.tools[name] = s.plainly(name)
		}
	}
	if s.options.Sessions {
		r.sessions = newSessions(s, endpoint(mcp.StreamableHTTPOptions{SessionTimeout: s.patience.session}))
	}
	return r
}

type router struct {
	calls                  *calls
	most                   int64
	json, stream, sessions http.Handler                 // sessions may be nil
	tools                  map[string]mcp.MethodHandler // that a plain call is answered by; none where all is streamed
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
	streamOnly := acceptBoth(r.Header)
	if t.sessions != nil && r.Header.Get("MCP-Protocol-Version") < sessionless {
		t.sessions.ServeHTTP(w, r)
		return
	}
	if c, ok := t.plain(r, body); ok && !streamOnly {
		defer t.calls.name(r, envelope{Method: "tools/call", ID: c.idText})()
		t.answerPlain(w, r, c)
		return
	}
	m := open(body)
	if m.Method == opening {
		w.Header().Set(sessionHeader, rand.Text())
	}
	defer t.calls.name(r, m)()
	if streamOnly || m.wantsProgress() {
		t.stream.ServeHTTP(w, r)
		return
	}
	t.json.ServeHTTP(w, r)
}

// plain reads a plain call of a tool that is there. What the gate has not judged
// is judged here: a body must be as it lets them pass.
func (t *router) plain(r *http.Request, data []byte) (plainCall, bool) {
	if len(t.tools) == 0 || !plainHeader(r.Header) {
		return plainCall{}, false
	}
	if m, judged := r.Context().Value(messageKey{}).(message); judged && m.calls != 1 {
		return plainCall{}, false
	} else if !judged {
		if _, err := readMessage(data); err != nil {
			return plainCall{}, false
		}
	}
	c, ok := readPlain(data)
	return c, ok && t.tools[c.tool] != nil
}

// read is the whole body, which the gate may have read already.
func (t *router) read(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if b, ok := r.Body.(body); ok {
		return b.all, nil
	}
	return io.ReadAll(http.MaxBytesReader(w, r.Body, t.most))
}

// acceptBoth completes an Accept header: the protocol demands both types of every
// client, and a person with curl names one or none. It says whether the client
// named the event stream and not JSON.
func acceptBoth(h http.Header) (streamOnly bool) {
	accept := strings.ToLower(strings.Join(h.Values("Accept"), ","))
	h.Set("Accept", jsonType+", "+streamType)
	return strings.Contains(accept, streamType) && !strings.Contains(accept, jsonType) && !strings.Contains(accept, "*/*")
}

// envelope is what the router has to know of a message.
type envelope struct {
	Method string          `json:"method"`
	ID     json.RawMessage `json:"id"`
	Params struct {
		RequestID json.RawMessage `json:"requestId"`
		Meta      struct {
			Token json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	} `json:"params"`
	batch bool
}

// open reads the envelope; what it cannot read is the SDK's to refuse.
func open(body []byte) (m envelope) {
	if err := json.Unmarshal(body, &m); err != nil {
		body = bytes.TrimLeft(body, " \t\r\n")
		return envelope{batch: len(body) > 0 && body[0] == '['}
	}
	return m
}

// wantsProgress says whether a message asks for progress. Several in one may.
func (m envelope) wantsProgress() bool {
	return m.batch || len(m.Params.Meta.Token) > 0 && string(m.Params.Meta.Token) != "null"
}

// bodyBytes is the largest request: all inputs as base64, the code with every
// byte escaped, and room for the rest.
func (b Bounds) bodyBytes() int64 {
	if b.MaxBodyBytes > 0 {
		return b.MaxBodyBytes
	}
	return b.MaxInputsTotal/3*4 + 6*b.MaxCodeBytes + 2<<20
}
