package serve

// Whether this server should be sent work: it is up, its walls stand, and it is
// not stopping.

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

const (
	lookEvery   = 5 * time.Minute // while all is well
	lookSooner  = 5 * time.Second // while it is not
	lookTimeout = time.Minute
)

// readiness is what the last look at the machine found.
type readiness struct {
	log    *slog.Logger
	meters *meters
	drain  *drain
	look   func(context.Context) (*exec.Environment, error)
	again  <-chan struct{} // a run failed for pyrun's own fault
	sooner time.Duration

	mu  sync.Mutex
	why error // nil: ready
}

func newReadiness(s *Server, d *drain) *readiness {
	return &readiness{
		log: s.options.Log, meters: s.op.meters, drain: d, look: s.Prepare, again: s.op.failed,
		sooner: lookSooner, why: errors.New("nothing was tried yet"),
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
// finds out nothing.
func (r *readiness) once(ctx context.Context) bool {
	looking, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	env, err := r.look(looking)
	if ctx.Err() != nil {
		return true
	}
	if errors.Is(err, exec.ErrBusy) || errors.Is(err, context.DeadlineExceeded) {
		return r.reason() == nil
	}
	if err == nil {
		err = unfit(env)
		r.meters.stands(env.Sandbox)
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

// unfit says why scripts cannot be run as promised. A package that is missing is
// no reason: most scripts do without it. Where no wall was promised, none is missed.
func unfit(env *exec.Environment) error {
	if env.Interpreter == nil {
		return errors.New("there is no interpreter")
	}
	promised := env.Sandbox.Backend != "none"
	for _, w := range env.Walls {
		if promised && !w.Held {
			return fmt.Errorf("a wall does not hold: %s: %s", w.Name, w.Detail)
		}
	}
	for _, f := range env.Findings {
		if f.Severity == exec.SeverityProblem && (f.Area == "interpreter" || f.Area == "walls" && promised) {
			return errors.New(f.Message)
		}
	}
	return nil
}

func (r *readiness) reason() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.why
}

// routes are open to everyone: probes have no token and call by address. They
// tell strangers no more than yes or no.
func (r *readiness) routes(mux *http.ServeMux) {
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { say(w, http.StatusOK, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		switch {
		case r.drain.stopped():
			say(w, http.StatusServiceUnavailable, "stopping")
		case r.reason() != nil:
			say(w, http.StatusServiceUnavailable, "not ready: the log tells why")
		default:
			say(w, http.StatusOK, "ok")
		}
	})
}

func say(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = fmt.Fprintln(w, text)
}
