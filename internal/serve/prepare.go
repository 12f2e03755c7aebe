package serve

// What is true of this machine: found out in the background, so that the first
// answer does not wait for an interpreter, and what follows from it: nothing is
// run before the walls were tried, or while one of them does not hold.

import (
	"context"
	"errors"
	"strings"
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

// WallError says that nothing is run because a wall was tried and does not hold,
// or because none could be tried yet.
type WallError struct {
	Broken []string // "memory: a script that passed it ended with ok"; empty: none was tried
}

func (e *WallError) Error() string {
	if len(e.Broken) == 0 {
		return "the walls of the sandbox could not be tried yet"
	}
	return "a wall of the sandbox does not hold: " + strings.Join(e.Broken, "; ")
}

// Explain says what is behind it, and the way out.
func (e *WallError) Explain() (why, remedy string) {
	if len(e.Broken) == 0 {
		return "this machine is too busy, or its first look at itself failed: the log tells more", "try again in a few seconds"
	}
	return "it was tried from inside and outside, and this was seen", "the operator runs `pyrun check` there; pyrun tries the walls again every few seconds, and check_environment at once"
}

// Prepare looks at the machine: it starts an interpreter behind every wall, so
// that what the first call needs is there. Stdio and HTTP do it by themselves.
func (s *Server) Prepare(ctx context.Context) (*exec.Environment, error) {
	s.facts.begun.Store(true)
	env, err := s.executor.Check(ctx, exec.Inspection{})
	if ctx.Err() == nil { // a look that was broken off is none
		defer s.facts.once.Do(func() { close(s.facts.ready) })
	}
	if err != nil {
		return nil, err
	}
	s.facts.mu.Lock()
	s.facts.env = env
	s.facts.mu.Unlock()
	s.nameDetails(env)
	return env, nil
}

// wait is for the first look, at most so long, where there is one.
func (f *facts) wait(ctx context.Context, most time.Duration) {
	if !f.begun.Load() {
		return
	}
	select {
	case <-f.ready:
		return
	default:
	}
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-f.ready:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// admit is nil when the walls hold, as far as the last look could see, or a
// WallError. A Server that was never told to look is somebody's own to guard.
func (f *facts) admit(ctx context.Context) error {
	f.wait(ctx, lookTimeout)
	if err := ctx.Err(); err != nil {
		return err
	}
	env := f.last()
	switch {
	case env == nil && f.begun.Load():
		return &WallError{}
	case env == nil:
		return nil
	}
	if broken := brokenWalls(env); len(broken) > 0 {
		return &WallError{Broken: broken}
	}
	return nil
}

// brokenWalls are those that were promised, tried, and do not hold. Where there
// is no interpreter to try them with, the Executor says so in better words.
func brokenWalls(env *exec.Environment) []string {
	if env.Sandbox.Backend == "none" {
		return nil
	}
	var broken []string
	for _, w := range env.Walls {
		if !w.Held {
			broken = append(broken, w.Name+": "+w.Detail)
		}
	}
	return broken
}

// isWall tells a refusal for the walls' sake.
func isWall(err error) bool { return errors.As(err, new(*WallError)) }

// last is what the last good look found, or nil.
func (f *facts) last() *exec.Environment {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.env
}
