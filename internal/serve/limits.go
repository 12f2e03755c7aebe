package serve

// What a connection may take: memory while its body is here, and time while its
// answer is fetched.

import (
	"net/http"
	"time"

	"golang.org/x/sync/semaphore"
)

const (
	headerTimeout = 5 * time.Second
	idleTimeout   = time.Minute
	maxHeader     = 16 << 10

	// maxConnections is how many there may be at once; more wait to be accepted.
	maxConnections = 1024

	// An answer is written in pieces. Each has so long, which is 2 kB/s at least:
	// who reads more slowly is not reading.
	piece        = 64 << 10
	pieceTimeout = 30 * time.Second
)

// bodies bounds the memory of all request bodies together.
type bodies struct {
	each int64
	room *semaphore.Weighted
}

func newBodies(each int64) *bodies {
	return &bodies{each: each, room: semaphore.NewWeighted(max(256<<20, 4*each))}
}

// reserve takes room for a body as it was announced; below 0 is not announced.
func (b *bodies) reserve(length int64) (release func(), ok bool) {
	if length < 0 || length > b.each { // the reader stops there
		length = b.each
	}
	if !b.room.TryAcquire(length) {
		return nil, false
	}
	return func() { b.room.Release(length) }, true
}

// patient lets answers take as long as they need, and readers no longer than they should.
func patient(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&pieces{ResponseWriter: w, control: http.NewResponseController(w)}, r)
	})
}

// pieces writes piece by piece, each with a deadline of its own.
type pieces struct {
	http.ResponseWriter
	control *http.ResponseController
}

func (p *pieces) Unwrap() http.ResponseWriter { return p.ResponseWriter }

func (p *pieces) Write(data []byte) (n int, err error) {
	for first := true; first || len(data) > 0; first = false {
		now := data[:min(piece, len(data))]
		_ = p.control.SetWriteDeadline(time.Now().Add(pieceTimeout)) // a test's recorder has none
		m, err := p.ResponseWriter.Write(now)
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
	_ = p.control.SetWriteDeadline(time.Now().Add(pieceTimeout))
	return p.control.Flush()
}
