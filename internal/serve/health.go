package serve

// Whether this server should be sent work: it is up, its walls stand, and it is
// not stopping.

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

const (
	lookEvery  = 5 * time.Minute // while all is well
	lookSooner = 5 * time.Second // while it is not
)

// readiness is what the last look at the machine found.
type readiness struct {
	log    *slog.Logger
	meters *meters
	drain  *drain
	look   func(context.Context) (*exec.Environment, error)
	hold   func() error    // what calls are refused with; nil: they are let in
	again  <-chan struct{} // a run failed for pyrun's own fault
	sooner time.Duration
	vain   chan error // holds one: the first look found no interpreter
	looked bool

	mu  sync.Mutex
	why error // nil: ready
}

func newReadiness(s *Server, d *drain) *readiness {
	return &readiness{
		log: s.options.Log, meters: s.op.meters, drain: d, look: s.Prepare, hold: s.facts.hold,
		again: s.op.failed, sooner: lookSooner, vain: make(chan error, 1), why: errors.New("the walls are being tried for the first time"),
	}
}

// run looks now and then, until ctx ends.
func (r *readiness) run(ctx context.Context) {
	for {
		next := lookEvery
		if !r.once(ctx) {
			next = r.sooner
		}
		t := time.NewTimer(next)
		select {
		case <-ctx.Done():
			t.Stop()
			return
		case <-t.C:
		case <-r.again:
			t.Stop()
		}
	}
}

// once looks, and says what has changed. A look that finds every worker taken
// finds out nothing, and leaves things as an earlier one of somebody else's may
// have found them.
func (r *readiness) once(ctx context.Context) bool {
	env, err := r.look(ctx)
	if ctx.Err() != nil {
		return true
	}
	if errors.Is(err, exec.ErrBusy) {
		return r.reason() == nil
	}
	if err == nil {
		err = unfit(env)
		r.meters.stands(env.Sandbox)
		if env.Interpreter == nil && !r.looked {
			r.vain <- &InterpreterError{err}
		}
		r.looked = true
	}
	r.mu.Lock()
	before := r.why
	r.why = err
	r.mu.Unlock()
	switch {
	case err == nil && before != nil:
		r.log.InfoContext(ctx, "ready", "backend", env.Sandbox.Backend, "memory", env.Sandbox.Memory, "network", env.Sandbox.Network, "python", env.Interpreter.Version)
	case err != nil && (before == nil || before.Error() != err.Error()):
		r.log.ErrorContext(ctx, "not ready", "error", err.Error())
	}
	return err == nil
}

// InterpreterError says that a server can never run anything, because there is
// no interpreter, or another than was asked for.
type InterpreterError struct{ Err error }

func (e *InterpreterError) Error() string { return "nothing can be run: " + e.Err.Error() }
func (e *InterpreterError) Unwrap() error { return e.Err }

// faults are why scripts cannot be run as promised, the nearest cause first.
type faults []string

func (f faults) Error() string { return strings.Join(f, "; ") }

// unfit is nil, or the faults. A package that is missing is none: most scripts
// do without it. Where no wall was promised, none is missed.
func unfit(env *exec.Environment) error {
	var all faults
	told := map[string]bool{} // walls, by name
	promised := env.Sandbox.Backend != "none"
	interpreter := env.Interpreter != nil
	for _, f := range env.Findings {
		if f.Severity != exec.SeverityProblem || f.Area != "interpreter" && (f.Area != "walls" || !promised) {
			continue
		}
		line := f.Message
		if f.Why != "" {
			line += ", because " + f.Why
		}
		if f.Remedy != "" {
			line += "; remedy: " + f.Remedy
		}
		all = append(all, line)
		told[f.Wall] = true
		interpreter = interpreter || f.Area == "interpreter"
	}
	for _, w := range env.Walls {
		if promised && !w.Held && !told[w.Name] {
			all = append(all, w.Name+" does not hold: "+w.Detail)
		}
	}
	if !interpreter {
		all = append(all, "there is no interpreter")
	}
	if len(all) == 0 {
		return wallFault(env)
	}
	return all
}

// reason is nil when calls are let in and run, as far as anyone's look could see.
func (r *readiness) reason() error {
	r.mu.Lock()
	why := r.why
	r.mu.Unlock()
	if why != nil {
		return why
	}
	return r.hold()
}

// routes are open to everyone: probes have no token and call by address. They
// tell strangers no more than yes or no.
func (r *readiness) routes(mux *http.ServeMux, stranger func(*http.Request) bool) {
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { say(w, http.StatusOK, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, q *http.Request) {
		why := r.reason()
		var all faults
		switch {
		case r.drain.stopped():
			say(w, http.StatusServiceUnavailable, "stopping")
		case why == nil:
			say(w, http.StatusOK, "ok")
		case stranger(q):
			say(w, http.StatusServiceUnavailable, "not ready: the log tells why, and so does /readyz on the port of the metrics")
		case errors.As(why, &all):
			say(w, http.StatusServiceUnavailable, strings.Join(all, "\n"))
		default:
			say(w, http.StatusServiceUnavailable, why.Error())
		}
	})
}

func say(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = fmt.Fprintln(w, text)
}
