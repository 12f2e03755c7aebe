package exec

// How long runs take, cold, warm and through a server, beside the bare
// interpreter: in turns, so that all see the same machine.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pyrun-dev/pyrun/internal/exec/python"
)

// BenchOptions says how much to measure.
type BenchOptions struct {
	Runs    int // warm ones of each script; others, which take longer, are a part of it
	Callers int // at once, for runs per second
	Warm    int // copies kept ready

	// Door puts a server around the Executor: what ask asks of it and the server
	// answers counts as "http", for as long as ask says. end stops it. nil: the core alone is measured.
	Door func(context.Context, *Executor) (ask func(ctx context.Context, code, want string) (time.Duration, error), end func() error, err error)

	Progress func(what string)
}

// benchScripts are measured; want is what they print.
var benchScripts = [...]struct{ name, code, want, needs string }{
	{"hello", "print('hi')", "hi\n", ""},
	{"stdlib", "import json, re, dataclasses, typing, datetime\nprint(json.dumps([1]))", "[1]\n", ""},
	{"numpy", "import numpy\nprint(numpy.arange(6).sum())", "15\n", "numpy"},
	{"pandas", "import pandas\nprint(pandas.DataFrame({'a': [1, 2, 3]})['a'].sum())", "6\n", "pandas"},
}

// Bench measures with executors of its own that have the given options.
func Bench(ctx context.Context, o Options, b BenchOptions) (r *BenchReport, err error) {
	o.Warm = 0
	cold, err := New(o)
	if err != nil {
		return nil, err
	}
	defer cold.Close()
	o.Warm, o.Ahead = b.Warm, nil
	if o.Preload == nil {
		o.Preload = []string{preloadPackages}
	}
	o.MaxWorkers = max(o.MaxWorkers, b.Callers)
	warm, err := New(o)
	if err != nil {
		return nil, err
	}
	defer warm.Close()
	first, err := cold.Execute(ctx, Request{Code: []byte("pass")})
	if err != nil {
		return nil, err
	}
	in := cold.interpreter
	r = &BenchReport{Python: in.Version, CPUs: numCPU(), Sandbox: first.Sandbox}
	ways := []way{bareWay(in), coreWay("cold", cold)}
	none := warm.Warmed(ctx)
	switch {
	case none == nil:
		ways = append(ways, coreWay("warm", warm))
	case ctx.Err() != nil || errors.Is(none, ErrNoCopies):
		return nil, fmt.Errorf("no warm runs: %w", none)
	default:
		r.Missing = append(r.Missing, BenchAbsent{"warm", reasonOf(none)})
	}
	if b.Door != nil {
		ask, end, failed := b.Door(ctx, warm)
		if failed != nil {
			return nil, fmt.Errorf("serve over HTTP: %w", failed)
		}
		defer func() { err = errors.Join(err, end()) }()
		ways = append(ways, doorWay(warm, none != nil, ask))
	}
	return r, measure(ctx, r, ways, b, in)
}

// measure fills the report.
func measure(ctx context.Context, r *BenchReport, ways []way, b BenchOptions, in *python.Interpreter) error {
	say := func(what string) {
		if b.Progress != nil {
			b.Progress(what)
		}
	}
	for _, s := range benchScripts {
		if why := lacks(in, s.needs); why != "" {
			r.Missing = append(r.Missing, BenchAbsent{s.name, why})
			continue
		}
		say(s.name)
		rows, err := rows(ctx, ways, s.name, s.code, s.want, b.Runs)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		r.Rows = append(r.Rows, rows...)
	}
	for _, w := range ways {
		if w.how == bareHow {
			continue
		}
		say("runs per second, " + w.how)
		rate, err := rate(ctx, w, b)
		if err != nil {
			return fmt.Errorf("runs per second: %w", err)
		}
		r.Rates = append(r.Rates, rate)
		if w.pool != nil {
			s := w.pool.Pool()
			r.Pool = BenchPool{Made: s.Made, Cold: s.Cold, FillMS: milliseconds(s.Fill)}
		}
	}
	return nil
}

func lacks(in *python.Interpreter, name string) string {
	if name == "" || slices.ContainsFunc(in.Packages, func(d python.Distribution) bool { return strings.EqualFold(d.Name, name) }) {
		return ""
	}
	return "it is not installed for this interpreter"
}

// reasonOf is the likely cause of an error, or else its text.
func reasonOf(err error) string {
	var told explained
	if errors.As(err, &told) {
		if why, _ := told.Explain(); why != "" {
			return why
		}
	}
	return err.Error()
}
