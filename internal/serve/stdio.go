package serve

// The protocol over two pipes: one client, one line a message.

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type stdioKey struct{}

// overStdio is the context of the Stdio that a call came over, or nil. The SDK
// hands on its values, and not its end.
func overStdio(ctx context.Context) context.Context {
	life, _ := ctx.Value(stdioKey{}).(context.Context)
	return life
}

// Stdio answers one client until in ends or ctx does; either ends every run.
// It writes nothing to out but the protocol. The end of in is no error.
func (s *Server) Stdio(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ctx = context.WithValue(ctx, stdioKey{}, ctx)
	s.facts.begun.Store(true)
	go newReadiness(s, &drain{}).run(ctx)
	most := int(s.options.Bounds.bodyBytes())
	w := &lockedWriter{w: out}
	lines := newLines(in, w, most)
	session, err := s.sdk.Connect(ctx, &quietTransport{lines: lines, w: w, most: most}, nil)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = session.Close() })()
	err = session.Wait()
	if errors.Is(err, io.EOF) || ctx.Err() != nil { // asked to end, by one side or the other
		return nil
	}
	return err
}

// lockedWriter writes each message whole.
type lockedWriter struct {
	mu sync.Mutex
	w  io.WriteCloser
}

func (w *lockedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.w.Write(p)
}

func (w *lockedWriter) Close() error { return w.w.Close() }

// quietTransport does not answer what was cancelled: the protocol asks for
// silence, and clients that have forgotten a call complain of its answer.
type quietTransport struct {
	lines *lines
	w     *lockedWriter
	most  int
}

func (t *quietTransport) Connect(ctx context.Context) (mcp.Connection, error) {
	inner := &mcp.IOTransport{Reader: t.lines, Writer: t.w, MaxLineLength: t.most + 2}
	c, err := inner.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &quietConn{Connection: c, lines: t.lines, cancelled: map[jsonrpc.ID]bool{}, pending: map[jsonrpc.ID]bool{}}, nil
}

type quietConn struct {
	mcp.Connection
	lines *lines

	mu        sync.Mutex
	pending   map[jsonrpc.ID]bool // calls that have no answer yet
	cancelled map[jsonrpc.ID]bool // those of them that nobody waits for
}

func (c *quietConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	if err != nil {
		return m, err
	}
	r, ok := m.(*jsonrpc.Request)
	if !ok {
		return m, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.IsCall() {
		c.pending[r.ID] = true
	}
	if r.Method == "notifications/cancelled" && !c.lines.batched() { // a batch waits for all of its answers
		if id, ok := cancelledID(r.Params); ok && c.pending[id] {
			c.cancelled[id] = true
		}
	}
	return m, nil
}

func (c *quietConn) Write(ctx context.Context, m jsonrpc.Message) error {
	if r, ok := m.(*jsonrpc.Response); ok {
		c.mu.Lock()
		quiet := c.cancelled[r.ID]
		delete(c.pending, r.ID)
		delete(c.cancelled, r.ID)
		c.mu.Unlock()
		if quiet {
			return nil
		}
	}
	return c.Connection.Write(ctx, m)
}
