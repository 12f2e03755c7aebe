package serve

// What is true of this machine: found out once, in the background, so that the
// first answer does not wait for an interpreter.

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

// listWait is how long a list of tools may wait for the names of the packages.
const listWait = 2 * time.Second

// facts are what the last good look at the machine found.
type facts struct {
	begun atomic.Bool
	ready chan struct{} // closed after the first look
	once  sync.Once

	mu  sync.Mutex
	env *exec.Environment // nil: none yet
}

// Prepare looks at the machine: it starts an interpreter behind every wall, so
// that what the first call needs is there. Stdio and HTTP do it by themselves.
func (s *Server) Prepare(ctx context.Context) (*exec.Environment, error) {
	s.facts.begun.Store(true)
	defer s.facts.once.Do(func() { close(s.facts.ready) })
	env, err := s.executor.Check(ctx, exec.Inspection{})
	if err != nil {
		return nil, err
	}
	s.facts.mu.Lock()
	s.facts.env = env
	s.facts.mu.Unlock()
	s.nameDetails(env)
	return env, nil
}

// prepare is Prepare for whoever cannot wait.
func (s *Server) prepare(ctx context.Context) {
	s.facts.begun.Store(true)
	go func() {
		if _, err := s.Prepare(ctx); err != nil && ctx.Err() == nil {
			s.options.Log.ErrorContext(ctx, "look at this machine", "error", err.Error())
		}
	}()
}

// wait is for the first look, within reason, where there is one.
func (f *facts) wait(ctx context.Context) {
	if !f.begun.Load() {
		return
	}
	select {
	case <-f.ready:
		return
	default:
	}
	timer := time.NewTimer(listWait)
	defer timer.Stop()
	select {
	case <-f.ready:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// last is what the last good look found, or nil.
func (f *facts) last() *exec.Environment {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.env
}
