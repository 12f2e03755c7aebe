package main

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

// signals turns the first signal that ends pyrun into the end of the run. The
// second one finds the system's own handling again, and ends pyrun at once.
type signals struct {
	ch     chan os.Signal
	pipe   chan os.Signal
	armed  chan struct{} // closed when signals are ours
	cancel context.CancelFunc
	number atomic.Int32
}

// watchSignals begins at once and does not wait until it has: that takes a
// few turns between threads.
func watchSignals(ctx context.Context) (context.Context, *signals) {
	ctx, cancel := context.WithCancel(ctx)
	s := &signals{ch: make(chan os.Signal, 1), pipe: make(chan os.Signal, 1), armed: make(chan struct{}), cancel: cancel}
	go func() {
		signal.Notify(s.ch, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
		// Watched, not ignored: a write to a closed pipe is then an error here, while
		// children still start with the system's own handling.
		signal.Notify(s.pipe, syscall.SIGPIPE)
		close(s.armed)
		got, ok := <-s.ch
		if !ok {
			return
		}
		if n, ok := got.(syscall.Signal); ok {
			s.number.Store(int32(n))
		}
		signal.Stop(s.ch)
		cancel()
	}()
	return ctx, s
}

// code is 128+n after signal n, 0 when none came.
func (s *signals) code() int {
	if n := s.number.Load(); n != 0 {
		return 128 + int(n)
	}
	return 0
}

// stop does not wait for the system either.
func (s *signals) stop() {
	s.cancel()
	go func() {
		<-s.armed
		signal.Stop(s.ch)
	}()
}
