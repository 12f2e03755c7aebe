package serve

// The log goes to a pipe whose reader may be slow, stuck or gone. A server that
// waits for its log does no work, so lines wait in memory, and are dropped and
// counted when there are too many.

import (
	"io"
	"log/slog"
	"sync/atomic"
	"time"
)

const (
	logLines = 4096            // that may wait
	logFlush = 2 * time.Second // the longest that the end waits for a reader
)

// LogOptions says how the log looks.
type LogOptions struct {
	JSON  bool
	Level slog.Leveler
}

// NewLog gives a log that never blocks and never fails. Close writes what waits.
func NewLog(w io.Writer, o LogOptions) (log *slog.Logger, closeLog func()) {
	handler := func(w io.Writer) slog.Handler {
		options := &slog.HandlerOptions{Level: o.Level}
		if o.JSON {
			return slog.NewJSONHandler(w, options)
		}
		return slog.NewTextHandler(w, options)
	}
	s := newSpool(w, logLines, func(n int64) {
		slog.New(handler(w)).Warn("log lines were dropped: they were not read fast enough", "lines", n)
	})
	return slog.New(handler(s)), s.close
}

// spool is a writer of whole lines that are written later, by one goroutine.
type spool struct {
	to      io.Writer
	queue   chan []byte
	dropped atomic.Int64
	tell    func(dropped int64) // writes to to
	end     chan struct{}       // closed by close
	ended   chan struct{}       // closed when everything is written
}

func newSpool(w io.Writer, most int, tell func(int64)) *spool {
	l := &spool{to: w, queue: make(chan []byte, most), tell: tell, end: make(chan struct{}), ended: make(chan struct{})}
	go l.run()
	return l
}

// Write takes one line; a Handler of slog calls it once for each.
func (l *spool) Write(line []byte) (int, error) {
	select {
	case l.queue <- append([]byte(nil), line...):
	default:
		l.dropped.Add(1)
	}
	return len(line), nil
}

func (l *spool) run() {
	defer close(l.ended)
	for {
		select {
		case line := <-l.queue:
			l.put(line)
		case <-l.end:
			for {
				select {
				case line := <-l.queue:
					l.put(line)
				default:
					l.put(nil)
					return
				}
			}
		}
	}
}

// put writes. A log that cannot be written is no reason to stop: whoever closed
// it does not want it.
func (l *spool) put(line []byte) {
	if n := l.dropped.Swap(0); n > 0 {
		l.tell(n)
	}
	if len(line) > 0 {
		_, _ = l.to.Write(line)
	}
}

// close waits for what is queued, if it is read. Lines that come later are lost.
func (l *spool) close() {
	close(l.end)
	waitFor(l.ended, logFlush)
}
