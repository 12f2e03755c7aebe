package serve

// The message in a request's body, before anybody else reads it: whole, not too
// deep, and with one meaning.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	// maxDepth is how deep a message may be nested.
	maxDepth = 64

	// maxMessages is how many messages one body may hold.
	maxMessages = 100
)

// message is what is known of a body before it is answered.
type message struct {
	calls    int // of tools
	sessions int // that it wants opened
}

type messageKey struct{}

func messageOf(ctx context.Context) message {
	m, _ := ctx.Value(messageKey{}).(message)
	return m
}

// body is one that was read already.
type body struct {
	*bytes.Reader
	all []byte
}

func (body) Close() error { return nil }

// readMessage reads the body for those behind it. From then on the connection
// may be silent for as long as a run takes.
func (g *gate) readMessage(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			next.ServeHTTP(w, r)
			return
		}
		if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != jsonType {
			g.refuse(w, r, refusal{status: http.StatusUnsupportedMediaType, reason: ReasonBody, text: "the body's Content-Type must be application/json"})
			return
		}
		if r.ContentLength > g.bodies.each {
			g.refuse(w, r, bodyTooLarge(g.bodies.each))
			return
		}
		all, release, err := g.bodies.read(CallerOf(r.Context()), http.MaxBytesReader(w, r.Body, g.bodies.each))
		defer release()
		if err != nil {
			g.refuse(w, r, g.unread(err))
			return
		}
		_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
		m, err := readMessage(all)
		if err != nil {
			g.refuse(w, r, refusal{status: http.StatusBadRequest, reason: ReasonBody, text: err.Error()})
			return
		}
		if m.sessions > 0 && len(all) > maxInitial {
			g.refuse(w, r, refusal{status: http.StatusRequestEntityTooLarge, reason: ReasonBody, text: fmt.Sprintf("an initialize is over %d bytes", maxInitial)})
			return
		}
		r = r.WithContext(context.WithValue(r.Context(), messageKey{}, m))
		r.Body, r.ContentLength = body{bytes.NewReader(all), all}, int64(len(all))
		next.ServeHTTP(w, r)
	})
}

// unread is why a body was not read to its end.
func (g *gate) unread(err error) refusal {
	switch {
	case errors.Is(err, errNoRoom):
		return refusal{status: http.StatusServiceUnavailable, reason: ReasonMemory, text: err.Error(), retry: 2}
	case errors.Is(err, errShare):
		return refusal{status: http.StatusTooManyRequests, reason: ReasonMemory, text: err.Error(), retry: 2}
	case errors.As(err, new(*http.MaxBytesError)):
		return bodyTooLarge(g.bodies.each)
	}
	return refusal{status: http.StatusBadRequest, reason: ReasonBody, text: "the request body ended early"}
}

func bodyTooLarge(most int64) refusal {
	return refusal{status: http.StatusRequestEntityTooLarge, reason: ReasonBody, text: fmt.Sprintf("the request body is over %d bytes", most)}
}

// readMessage checks depth everywhere, and names that stand twice in the message
// and in its params: two readers could take it for two messages. What is in the
// arguments of a tool is for the tool to judge.
func readMessage(data []byte) (message, error) {
	d := jsontext.NewDecoder(bytes.NewReader(data),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	var (
		m        message
		messages int
		base     = 1 // the depth of a message's members
		seen     = map[string]bool{}
		params   = map[string]bool{}
		last     string // the member of the message that is being read
		whole    bool   // nothing may follow
	)
	for first := true; ; first = false {
		t, err := d.ReadToken()
		if errors.Is(err, io.EOF) && whole {
			return m, nil
		}
		if err != nil {
			return m, errors.New("the request body is not valid JSON")
		}
		depth := d.StackDepth()
		kind := t.Kind()
		switch {
		case whole:
			return m, errors.New("the request body holds something after the message")
		case depth > maxDepth:
			return m, fmt.Errorf("the request body is nested deeper than %d", maxDepth)
		case first && kind == '[':
			base = 2
			continue
		case first && kind != '{':
			return m, errors.New("the request body is not a JSON-RPC message")
		}
		whole = depth == 0
		if kind == '{' && depth == base {
			if messages++; messages > maxMessages {
				return m, fmt.Errorf("the request body holds more than %d messages", maxMessages)
			}
			clear(seen)
		}
		if kind == '{' && depth == base+1 {
			clear(params)
		}
		if depth != base && depth != base+1 || kind != '"' {
			continue
		}
		in, n := d.StackIndex(depth)
		if in != '{' {
			continue
		}
		text := t.String()
		switch isName := n%2 == 1; {
		case isName && depth == base:
			if last = text; seen[text] {
				return m, fmt.Errorf("the message holds %q twice", plain(text))
			}
			seen[text] = true
		case isName && last == "params":
			if params[text] {
				return m, fmt.Errorf("the message's params hold %q twice", plain(text))
			}
			params[text] = true
		case !isName && depth == base && last == "method" && text == "tools/call":
			m.calls++
		case !isName && depth == base && last == "method" && text == opening:
			m.sessions++
		}
	}
}
