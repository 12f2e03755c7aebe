package main

import (
	"context"
	"errors"
	"log/slog"
	"runtime"

	"github.com/pyrun-dev/pyrun/internal/config"
	"github.com/pyrun-dev/pyrun/internal/exec"
)

// warmth is what a server was told of warm copies.
type warmth struct {
	wanted string // auto, on or off
	cold   bool   // --cold, which is nearer than any file
	log    *slog.Logger
}

// options has copies of a started interpreter wait for calls: two a worker, so
// that the next call finds one while the last one's is being made anew.
func (w warmth) options(s *config.Config) exec.Options {
	o := options(s)
	if w.cold || w.wanted == "off" || s.Runner.SandboxBackend == "none" {
		return o
	}
	workers := s.Service.MaxWorkers
	if workers == 0 {
		workers = runtime.NumCPU()
	}
	o.Warm, o.NoCopies = 2*workers, w.without
	return o
}

// without logs why calls are answered the slow way.
func (w warmth) without(err error) {
	say, details := "no warm copies for now: every call starts an interpreter", []any{"error", err.Error()}
	if errors.Is(err, exec.ErrNoCopies) {
		if w.wanted == "on" {
			return // need says it, and that is the end
		}
		say = "there can be no warm copies here: every call starts an interpreter"
	}
	if lower := explained(nil); errors.As(err, &lower) {
		if why, _ := lower.Explain(); why != "" {
			details = append(details, "why", why)
		}
	}
	w.log.Warn(say, details...)
}

// need waits for the first copy where the settings will not do without.
func (w warmth) need(ctx context.Context, x executor) error {
	warm, ok := x.(interface{ Warmed(context.Context) error })
	if w.wanted != "on" || w.cold || !ok {
		return nil
	}
	if err := warm.Warmed(ctx); ctx.Err() == nil {
		return err
	}
	return nil // asked to end before it began
}
