package serve

// What a connection may take: time while it is silent, and while its answer is
// fetched.

import (
	"net/http"
	"time"
)

const (
	maxHeader = 16 << 10

	// piece is how much of an answer is written at once.
	piece = 64 << 10
)

// patience is how long the server waits for others.
type patience struct {
	header  time.Duration // for a request's headers
	body    time.Duration // for headers and body
	idle    time.Duration // for the next request of a connection
	piece   time.Duration // for a piece of an answer to be taken; 2 kB/s is not reading
	answer  time.Duration // for all pieces of one together, not counting what pyrun itself takes
	session time.Duration // for the next message of a session
	run     time.Duration // for a run, beyond the longest, when the server stops
	close   time.Duration // for answers on their way, and runs that are ended
}

func patient() patience {
	return patience{
		header: 5 * time.Second, body: 30 * time.Second, idle: time.Minute,
		piece: 30 * time.Second, answer: 2 * time.Minute, session: 30 * time.Minute, run: 5 * time.Second, close: 5 * time.Second,
	}
}

// inPieces lets answers take as long as they need, and readers no longer than they should.
func (p patience) inPieces(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&pieces{ResponseWriter: w, control: http.NewResponseController(w), each: p.piece, left: p.answer}, r)
	})
}

// pieces writes piece by piece, each with a deadline of its own, as long as
// there is time left for the whole. What a call takes between two pieces, as
// progress has it, is not the reader's.
type pieces struct {
	http.ResponseWriter
	control *http.ResponseController
	each    time.Duration
	left    time.Duration
}

func (p *pieces) Unwrap() http.ResponseWriter { return p.ResponseWriter }

func (p *pieces) Write(data []byte) (n int, err error) {
	for first := true; first || len(data) > 0; first = false {
		now := data[:min(piece, len(data))]
		taken := p.wait()
		m, err := p.ResponseWriter.Write(now)
		taken()
		n += m
		if err != nil {
			return n, err
		}
		data = data[len(now):]
	}
	return n, nil
}

// FlushError is Flush for a ResponseController, with a deadline too.
func (p *pieces) FlushError() error {
	defer p.wait()()
	return p.control.Flush()
}

// wait begins to wait for the reader.
func (p *pieces) wait() (taken func()) {
	began := time.Now()
	_ = p.control.SetWriteDeadline(began.Add(min(p.each, p.left))) // a test's recorder has none
	return func() { p.left -= time.Since(began) }
}
