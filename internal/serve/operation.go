package serve

// What an operator learns: one log line for every tool call, counters for all
// that happens, and never a word of what was sent or printed.

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

// Why a request was refused before it was a call.
const (
	ReasonConnections = "connections" // too many of one address
	ReasonHost        = "host"        // not a name of ours
	ReasonOrigin      = "origin"      // a page that may not
	ReasonToken       = "token"       // none, or not a good one
	ReasonKeys        = "keys"        // the issuer's keys are not here
	ReasonBody        = "body"        // too large, too deep, or no message
	ReasonMemory      = "memory"      // no room for the body
	ReasonRate        = "rate"        // too many in a minute
	ReasonConcurrency = "concurrency" // too many at once
	ReasonSessions    = "sessions"    // too many are open
	ReasonBusy        = "busy"        // the queue is full
	ReasonDraining    = "draining"    // the server is stopping
)

// Why a call that reached the Executor was not run.
const (
	reasonRequest   = "request"   // a mistake of the caller's that the Executor found
	reasonCancelled = "cancelled" // gone before it was its turn
	reasonWalls     = "walls"     // one does not hold: nothing is run
	reasonFailed    = "failed"    // pyrun's own fault
)

// operation is the Observer that logs and counts.
type operation struct {
	log    *slog.Logger
	meters *meters
	next   Observer
	failed chan struct{} // holds one: pyrun itself could not run something
}

func newOperation(log *slog.Logger, m *meters, next Observer) *operation {
	return &operation{log: log, meters: m, next: next, failed: make(chan struct{}, 1)}
}

func (o *operation) Started(ctx context.Context, c Call) { o.next.Started(ctx, c) }

func (o *operation) Ended(ctx context.Context, c Call, r *exec.Result, err error) {
	took := time.Since(c.Began)
	what := []slog.Attr{slog.String("tool", c.Tool)}
	level := slog.LevelInfo
	switch {
	case r != nil:
		o.meters.ran(c.Tool, r)
		what = append(what,
			slog.String("request_id", r.RequestID), slog.String("verdict", string(r.Verdict)), slog.Int("exit_code", r.ExitCode),
			slog.Int64("duration_ms", r.DurationMS), slog.Int64("queue_ms", r.Usage.QueueMS), slog.Int64("start_ms", r.Usage.StartMS),
			slog.Int64("cpu_ms", r.Usage.CPUMS), slog.Int64("peak_memory_bytes", r.Usage.PeakMemoryBytes),
			slog.Int("stdout_bytes", len(r.Stdout)), slog.Int("stderr_bytes", len(r.Stderr)), slog.Int("artifacts", len(r.Artifacts)))
	case err == nil:
		o.meters.answered(c.Tool, string(exec.VerdictOK))
		what = append(what, slog.String("verdict", string(exec.VerdictOK)))
	default:
		reason := whyNot(err)
		o.meters.reject(reason)
		what = append(what, slog.String("rejected", reason))
		if reason == reasonFailed {
			level = slog.LevelError
			o.lookAgain()
		}
	}
	if err != nil && (r != nil || level == slog.LevelError) { // its words are pyrun's own
		what = append(what, slog.String("error", err.Error()))
	}
	o.say(ctx, level, "call", c, took, what)
	o.next.Ended(ctx, c, r, err)
}

func (o *operation) Rejected(ctx context.Context, c Call, reason string) {
	o.meters.reject(reason)
	o.say(ctx, slog.LevelInfo, "call", c, time.Since(c.Began), []slog.Attr{slog.String("tool", c.Tool), slog.String("rejected", reason)})
	o.next.Rejected(ctx, c, reason)
}

func (o *operation) say(ctx context.Context, level slog.Level, msg string, c Call, took time.Duration, what []slog.Attr) {
	if c.Caller != "" {
		what = append(what, slog.String("caller", c.Caller))
	}
	what = append(what, slog.Int64("total_ms", took.Milliseconds()))
	if c.CodeBytes > 0 {
		what = append(what, slog.Int("code_bytes", c.CodeBytes), slog.String("code_sha256", c.CodeSHA256))
	}
	if c.Inputs > 0 {
		what = append(what, slog.Int("inputs", c.Inputs), slog.Int64("input_bytes", c.InputBytes))
	}
	o.log.LogAttrs(ctx, level, msg, what...)
}

// whyNot tells whose fault it was that nothing was run.
func whyNot(err error) string {
	switch {
	case errors.As(err, new(*exec.RequestError)):
		return reasonRequest
	case errors.Is(err, exec.ErrBusy):
		return ReasonBusy
	case errors.Is(err, exec.ErrClosed):
		return ReasonDraining
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return reasonCancelled
	case isWall(err):
		return reasonWalls
	}
	return reasonFailed
}

// lookAgain asks for another look at the walls.
func (o *operation) lookAgain() {
	select {
	case o.failed <- struct{}{}:
	default:
	}
}

// visit is what the log knows of a request that is being answered.
type visit struct {
	http.ResponseWriter
	status  int
	written int64
	caller  string
	refused string
}

func (v *visit) Unwrap() http.ResponseWriter { return v.ResponseWriter }

func (v *visit) WriteHeader(status int) {
	if v.status == 0 && status >= 200 {
		v.status = status
	}
	v.ResponseWriter.WriteHeader(status)
}

func (v *visit) Write(data []byte) (int, error) {
	if v.status == 0 {
		v.status = http.StatusOK
	}
	n, err := v.ResponseWriter.Write(data)
	v.written += int64(n)
	return n, err
}

type visitKey struct{}

// watch is the outermost step: it logs what came of a request, and keeps a fault
// in one of them from ending the server.
func (o *operation) watch(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		v := &visit{ResponseWriter: w}
		r = r.WithContext(context.WithValue(r.Context(), visitKey{}, v))
		defer func() {
			if p := recover(); p != nil {
				o.recovered(v, r, p)
			}
			level := slog.LevelDebug
			if v.refused != "" {
				level = slog.LevelInfo
			}
			if !o.log.Enabled(r.Context(), level) {
				return
			}
			what := []slog.Attr{
				slog.String("method", word(r.Method)), slog.Int("status", v.status), slog.Int64("bytes", v.written),
				slog.Int64("total_ms", time.Since(began).Milliseconds()), slog.String("remote", r.RemoteAddr),
			}
			if v.caller != "" {
				what = append(what, slog.String("caller", v.caller))
			}
			if v.refused != "" {
				what = append(what, slog.String("rejected", v.refused))
			}
			o.log.LogAttrs(r.Context(), level, "request", what...)
		}()
		next.ServeHTTP(v, r)
	})
}

// recovered tells of a fault in pyrun. An answer that has begun is cut off, so
// that nobody takes it for a whole one.
func (o *operation) recovered(v *visit, r *http.Request, p any) {
	if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(http.ErrAbortHandler) // nothing is wrong
	}
	o.log.ErrorContext(r.Context(), "a fault in pyrun", "fault", describe(p), "stack", frames())
	if v.status != 0 {
		panic(http.ErrAbortHandler)
	}
	http.Error(v, "a fault in pyrun: its log tells more", http.StatusInternalServerError)
}

// refused notes why r is not answered as it wished.
func (o *operation) refused(r *http.Request, f refusal) {
	o.meters.reject(f.reason)
	if v, ok := r.Context().Value(visitKey{}).(*visit); ok {
		v.refused = f.reason
	}
}

// name notes who r's caller is.
func (o *operation) name(r *http.Request, caller string) {
	if v, ok := r.Context().Value(visitKey{}).(*visit); ok {
		v.caller = caller
	}
}

// word is a method as it may stand in a log.
func word(method string) string {
	switch method {
	case http.MethodPost, http.MethodGet, http.MethodDelete, http.MethodOptions, http.MethodHead, http.MethodPut, http.MethodPatch:
		return method
	}
	return strings.ToValidUTF8(method[:min(len(method), 16)], "?")
}
