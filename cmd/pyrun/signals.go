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
	cancel context.CancelFunc
	number atomic.Int32
}

func watchSignals(ctx context.Context) (context.Context, *signals) {
	ctx, cancel := context.WithCancel(ctx)
	s := &signals{ch: make(chan os.Signal, 1), pipe: make(chan os.Signal, 1), cancel: cancel}
	signal.Notify(s.ch, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	// Watched, not ignored: a write to a closed pipe is then an error here, while
	// children still start with the system's own handling.
	signal.Notify(s.pipe, syscall.SIGPIPE)
	go func() {
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

func (s *signals) stop() {
	signal.Stop(s.ch)
	s.cancel()
}
