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

	"golang.org/x/sync/singleflight"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

// listWait is how long a list of tools may wait for the names of the packages.
const listWait = 2 * time.Second

// firstWait is how long a call may wait for the first look. That may take longer,
// where an interpreter is unpacked for it.
const firstWait = time.Minute

// facts are what the last good look at the machine found.
type facts struct {
	begun atomic.Bool
	ready chan struct{} // closed after the first look
	once  sync.Once

	asked singleflight.Group // for the next look, which all share who wait for it
	turn  sync.Mutex         // one look at a time, so that the last to end is the last to have begun

	mu  sync.Mutex
	env *exec.Environment // nil: none yet
}

// WallError says that nothing is run because a wall was tried and does not hold,
// or because none could be tried yet.
type WallError struct {
	Broken []string      // "memory: a script that passed it ended with ok"; empty: none was tried
	Cause  *exec.Finding // why none could be, as the last look has it; nil: there was none yet
}

func (e *WallError) Error() string {
	switch {
	case len(e.Broken) > 0:
		return "a wall of the sandbox does not hold: " + strings.Join(e.Broken, "; ")
	case e.Cause != nil:
		return "the walls of the sandbox could not be tried: " + e.Cause.Message
	}
	return "the walls of the sandbox could not be tried yet"
}

// Explain says what is behind it, and the way out.
func (e *WallError) Explain() (why, remedy string) {
	switch {
	case len(e.Broken) > 0:
	case e.Cause != nil && (e.Cause.Why != "" || e.Cause.Remedy != ""):
		return e.Cause.Why, e.Cause.Remedy
	case e.Cause != nil:
		return "", "try again in a few seconds"
	default:
		return "this machine is too busy, or its first look at itself failed: the log tells more", "try again in a few seconds"
	}
	return "it was tried from inside and outside, and this was seen", "the operator runs `pyrun check` there; pyrun tries the walls again every few seconds, and check_environment at once"
}

// Prepare looks at the machine: it starts an interpreter behind every wall, so
// that what the first call needs is there. Stdio and HTTP do it by themselves.
// Whoever asks while a look goes on shares the next with all others who do: what
// he is told was found after he had asked.
func (s *Server) Prepare(ctx context.Context) (*exec.Environment, error) {
	s.facts.begun.Store(true)
	all := context.WithoutCancel(ctx) // others may wait for it; it ends with the Executor
	done := s.facts.asked.DoChan("", func() (any, error) {
		s.facts.turn.Lock()
		defer s.facts.turn.Unlock()
		s.facts.asked.Forget("")
		return s.look(all)
	})
	select {
	case r := <-done:
		env, _ := r.Val.(*exec.Environment)
		return env, r.Err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// look is one look. Nobody above it would catch a fault.
func (s *Server) look(ctx context.Context) (env *exec.Environment, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.options.Log.ErrorContext(ctx, "a fault in pyrun", "fault", describe(p), "stack", frames())
			env, err = nil, errFault
		}
		if !errors.Is(err, exec.ErrClosed) { // a look that was broken off is none
			s.facts.once.Do(func() { close(s.facts.ready) })
		}
	}()
	if env, err = s.executor.Check(ctx, exec.Inspection{}); err != nil {
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

// admit is nil when a call may wait for its turn, or a WallError. Where there is
// no interpreter to try walls with, the Executor says so in better words.
func (f *facts) admit(ctx context.Context) error {
	f.wait(ctx, firstWait)
	if err := ctx.Err(); err != nil {
		return err
	}
	if env := f.last(); env != nil && env.Interpreter == nil {
		return nil
	}
	return f.hold()
}

// hold is nil when every wall that is promised was tried by the last good look,
// and held, or a WallError. It is asked once more when a call's turn has come. A
// Server that was never told to look is somebody's own to guard.
func (f *facts) hold() error {
	env := f.last()
	switch {
	case env != nil:
		return wallFault(env)
	case f.begun.Load():
		return &WallError{}
	}
	return nil
}

// wallFault is nil, or the WallError that follows from a look.
func wallFault(env *exec.Environment) error {
	if env.Sandbox.Backend == "none" {
		return nil
	}
	var broken []string
	for _, w := range env.Walls {
		if !w.Held {
			broken = append(broken, w.Name+": "+w.Detail)
		}
	}
	switch {
	case len(broken) > 0:
		return &WallError{Broken: broken}
	case len(env.Walls) > 0:
		return nil
	}
	for _, f := range env.Findings {
		if f.Area == "walls" && f.Severity == exec.SeverityProblem || f.Area == "interpreter" {
			return &WallError{Cause: &f}
		}
	}
	return &WallError{Cause: &exec.Finding{Message: "the look at them says nothing of them"}}
}

// isWall tells a refusal for the walls' sake.
func isWall(err error) bool { return errors.As(err, new(*WallError)) }

// last is what the last good look found, or nil.
func (f *facts) last() *exec.Environment {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.env
}
