package serve

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

// untried is what a look finds when the attesting script did not start.
func untried() *exec.Environment {
	env := environment()
	env.Walls = []exec.Wall{}
	env.Findings = []exec.Finding{{Area: "walls", Severity: exec.SeverityProblem, Message: "start the script: resource temporarily unavailable", Why: "there are too many processes", Remedy: "end some"}}
	return env
}

// Walls that were promised and not tried are not taken for walls that hold, and a
// wall that is known to be broken does not stand again because nobody looked.
func TestUntriedWallsStop(t *testing.T) {
	for name, before := range map[string]*exec.Environment{"the first look": nil, "after one that was good": environment(), "after a broken one": problems()} {
		t.Run(name, func(t *testing.T) {
			var now atomic.Pointer[exec.Environment]
			now.Store(untried())
			if before != nil {
				now.Store(before)
			}
			x := &fake{check: func(context.Context, exec.Inspection) (*exec.Environment, error) { return now.Load(), nil }}
			r := up(t, x, Options{Tools: append(DefaultTools(), toolRun)}, Addresses{})
			call(t, r.url, toolCheck, `{}`)
			now.Store(untried())
			if text := call(t, r.url, toolCheck, `{}`).text(t); !strings.Contains(text, "Sandbox status: not tried, nothing is run") {
				t.Errorf("check_environment: %s", text)
			}
			for tool, arguments := range runners() {
				a := call(t, r.url, tool, arguments)
				text := a.text(t)
				if !a.Result.IsError || !strings.Contains(text, "could not be tried: start the script: resource temporarily unavailable") || !strings.Contains(text, "remedy: end some") {
					t.Errorf("%s: isError %v, %q", tool, a.Result.IsError, text)
				}
			}
			if x.runs != 0 {
				t.Errorf("%d scripts were run", x.runs)
			}
			eventually(t, "it is not ready", func() bool { s, _, _ := get(t, http.MethodGet, r.metrics+"/readyz"); return s == 503 })
		})
	}
}

// Without an interpreter nothing was tried either. The Executor says what it
// lacks; where it has found one since, it is still not let run anything.
func TestNoInterpreterNoWalls(t *testing.T) {
	env := environment()
	env.Interpreter, env.Walls = nil, []exec.Wall{}
	env.Findings = []exec.Finding{{Area: "interpreter", Severity: exec.SeverityProblem, Message: "it could not be started"}}
	found := false
	x := &fake{check: func(context.Context, exec.Inspection) (*exec.Environment, error) { return env, nil }}
	x.execute = func(_ context.Context, r exec.Request) (*exec.Result, error) {
		if !found {
			return nil, errors.New("there is no interpreter here")
		}
		if err := r.Admit(); err != nil {
			return nil, err
		}
		return result(), nil
	}
	s := newServer(t, x, Options{})
	if _, err := s.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	url := listen(t, s)
	if text := call(t, url, toolExecute, `{"code":"1"}`).text(t); !strings.Contains(text, "there is no interpreter here") {
		t.Error(text)
	}
	found = true
	if text := call(t, url, toolExecute, `{"code":"1"}`).text(t); !strings.Contains(text, "could not be tried: it could not be started") {
		t.Error(text)
	}
}

// A call that waited for its turn is asked once more whether the walls hold.
func TestQueuedCallsMeetBrokenWalls(t *testing.T) {
	x, broken := shaky()
	s := newServer(t, x, Options{Tools: append(DefaultTools(), toolRun)})
	look := func() {
		if _, err := s.Prepare(t.Context()); err != nil {
			t.Error(err)
		}
	}
	turn := func(admit func() error) error { // what the queue does
		broken.Store(true)
		look()
		return admit()
	}
	x.execute = func(_ context.Context, r exec.Request) (*exec.Result, error) { return nil, turn(r.Admit) }
	x.validate = func(_ context.Context, v exec.Validation) (*exec.Report, error) { return nil, turn(v.Admit) }
	url := listen(t, s)
	for tool, arguments := range runners() {
		broken.Store(false)
		look()
		if a := call(t, url, tool, arguments); !a.Result.IsError || !strings.Contains(a.text(t), "seccomp: ptrace was allowed") {
			t.Errorf("%s: %+v", tool, a)
		}
	}
}

// Looks do not overlap, however many ask, and each is told what was found after
// he had asked.
func TestLooksAreShared(t *testing.T) {
	var going, looks atomic.Int64
	var broken atomic.Bool
	slow := make(chan struct{})
	x := &fake{check: func(context.Context, exec.Inspection) (*exec.Environment, error) {
		if going.Add(1) > 1 {
			t.Error("two looks at once")
		}
		defer going.Add(-1)
		env := environment()
		if broken.Load() {
			env = problems()
		}
		if looks.Add(1) == 1 {
			<-slow
		}
		return env, nil
	}}
	s := newServer(t, x, Options{})
	first, cancel := context.WithCancel(t.Context())
	gaveUp := make(chan error, 1)
	go func() { _, err := s.Prepare(first); gaveUp <- err }()
	eventually(t, "it looks", func() bool { return looks.Load() == 1 })
	broken.Store(true)
	cancel()
	if err := <-gaveUp; !errors.Is(err, context.Canceled) {
		t.Errorf("who asked first and went away: %v", err)
	}
	var all sync.WaitGroup
	var asking atomic.Int64
	for range 20 {
		all.Go(func() {
			asking.Add(1)
			env, err := s.Prepare(t.Context())
			if err != nil || wallFault(env) == nil {
				t.Errorf("told what was so before: %+v, %v", env, err)
			}
		})
	}
	eventually(t, "they are about to ask", func() bool { return asking.Load() == 20 })
	time.Sleep(50 * time.Millisecond) // until most of them have
	close(slow)
	all.Wait()
	if err := s.facts.hold(); err == nil {
		t.Error("the older look is believed")
	}
	if n := looks.Load(); n > 10 { // who comes late has one of his own
		t.Errorf("%d looks for twenty", n)
	}
}

// What only check_environment saw counts for the probe, also where readiness' own
// look finds every worker taken; that is then soon followed by another.
func TestBusyLookIsNoGoodNews(t *testing.T) {
	var busy, broken atomic.Bool
	x := &fake{check: func(context.Context, exec.Inspection) (*exec.Environment, error) {
		switch {
		case busy.Load():
			return nil, &exec.BusyError{RetryAfter: time.Second}
		case broken.Load():
			return problems(), nil
		}
		return environment(), nil
	}}
	s := newServer(t, x, Options{})
	r := newReadiness(s, &drain{})
	if !r.once(t.Context()) || r.reason() != nil {
		t.Fatalf("all is well, and still %v", r.reason())
	}
	broken.Store(true)
	if _, err := s.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	busy.Store(true)
	if r.once(t.Context()) {
		t.Error("the next look is in five minutes")
	}
	if why := r.reason(); why == nil || !strings.Contains(why.Error(), "seccomp") {
		t.Errorf("ready, and every call is refused: %v", why)
	}
}

// The first look may unpack an interpreter, which takes as long as it takes.
func TestLooksHaveNoDeadline(t *testing.T) {
	x := &fake{check: func(ctx context.Context, _ exec.Inspection) (*exec.Environment, error) {
		if at, ok := ctx.Deadline(); ok {
			t.Errorf("it is broken off at %v", at)
		}
		return environment(), nil
	}}
	newReadiness(newServer(t, x, Options{}), &drain{}).once(t.Context())
}

// A fault in a look is told of, and ends no server.
func TestFaultInALook(t *testing.T) {
	x := &fake{check: func(context.Context, exec.Inspection) (*exec.Environment, error) { panic("secret") }}
	log := &logged{}
	s := newServer(t, x, Options{Log: log.logger()})
	if _, err := s.Prepare(t.Context()); !errors.Is(err, errFault) {
		t.Errorf("%v", err)
	}
	if text := log.String(); !strings.Contains(text, "a fault in pyrun") || strings.Contains(text, "secret") {
		t.Error(text)
	}
	if err := s.facts.admit(t.Context()); !isWall(err) {
		t.Errorf("let in: %v", err)
	}
}
