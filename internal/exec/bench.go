package exec

// How long runs take, cold and warm, beside the bare interpreter: in turns, so
// that all see the same machine.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pyrun-dev/pyrun/internal/exec/python"
)

// BenchOptions says how much to measure.
type BenchOptions struct {
	Runs    int // warm ones of each script; others, which take longer, are a part of it
	Callers int // at once, for runs per second
	Warm    int // copies kept ready

	Progress func(what string)
}

// benchScripts are measured; each must print one line.
var benchScripts = [...]struct{ name, code, needs string }{
	{"hello", "print('hi')", ""},
	{"stdlib", "import json, re, dataclasses, typing, datetime\nprint(json.dumps([1]))", ""},
	{"numpy", "import numpy\nprint(numpy.arange(6).sum())", "numpy"},
	{"pandas", "import pandas\nprint(pandas.DataFrame({'a': [1, 2, 3]})['a'].sum())", "pandas"},
}

// Bench measures with executors of its own that have the given options.
func Bench(ctx context.Context, o Options, b BenchOptions) (*BenchReport, error) {
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
	if _, err := warm.Execute(ctx, Request{Code: []byte("pass")}); err != nil {
		return nil, err
	}
	in := cold.interpreter
	r := &BenchReport{Python: in.Version, CPUs: numCPU(), Sandbox: first.Sandbox}
	if err := warm.pooled(ctx); err != nil {
		return nil, err
	}
	m := meter{cold: cold, warm: warm, in: in, b: b}
	for _, s := range benchScripts {
		if why := lacks(in, s.needs); why != "" {
			r.Missing = append(r.Missing, BenchAbsent{s.name, why})
			continue
		}
		m.say(s.name)
		rows, err := m.rows(ctx, s.name, s.code)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		r.Rows = append(r.Rows, rows...)
	}
	for _, e := range []*Executor{cold, warm} {
		m.say("runs per second")
		rate, err := m.rate(ctx, e)
		if err != nil {
			return nil, err
		}
		r.Rates = append(r.Rates, rate)
	}
	s := warm.Pool()
	r.Pool = BenchPool{Made: s.Made, Cold: s.Cold, FillMS: milliseconds(s.Fill)}
	return r, nil
}

// pooled waits until the pool is full.
func (e *Executor) pooled(ctx context.Context) error {
	for began := time.Now(); time.Since(began) < time.Minute; {
		s := e.Pool()
		switch {
		case s.Size == 0:
			return errors.New("there are no warm runs without the native sandbox")
		case s.Failure != "":
			return fmt.Errorf("no warm runs: %s", s.Failure)
		case s.Ready == s.Size && s.Making == 0:
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
	return errors.New("the pool of warm copies does not fill")
}

func lacks(in *python.Interpreter, name string) string {
	if name == "" || slices.ContainsFunc(in.Packages, func(d python.Distribution) bool { return strings.EqualFold(d.Name, name) }) {
		return ""
	}
	return "it is not installed for this interpreter"
}

// meter measures.
type meter struct {
	cold, warm *Executor
	in         *python.Interpreter
	b          BenchOptions
}

func (m meter) say(what string) {
	if m.b.Progress != nil {
		m.b.Progress(what)
	}
}

// rows runs one script the three ways in turns.
func (m meter) rows(ctx context.Context, name, code string) ([]BenchRow, error) {
	times := map[string][]time.Duration{}
	once := func(e *Executor, how string) error {
		began := time.Now()
		res, err := e.Execute(ctx, Request{Code: []byte(code)})
		times[how] = append(times[how], time.Since(began))
		if err == nil && res.Verdict != VerdictOK {
			err = fmt.Errorf("a %s run ended with %s: %s", how, res.Verdict, clip(res.Stderr, 200))
		}
		return err
	}
	for i := range m.b.Runs {
		if err := m.warm.pooled(ctx); err != nil {
			return nil, err
		}
		if err := once(m.warm, "warm"); err != nil {
			return nil, err
		}
		if i%4 != 0 { // the others take many times as long
			continue
		}
		if err := once(m.cold, "cold"); err != nil {
			return nil, err
		}
		took, err := python.Bare(ctx, m.in, code)
		if err != nil {
			return nil, err
		}
		times["bare"] = append(times["bare"], took)
	}
	var rows []BenchRow
	bare := quantile(times["bare"], 50)
	for _, how := range []string{"bare", "cold", "warm"} {
		t := times[how]
		rows = append(rows, BenchRow{
			Script: name, How: how, Runs: len(t),
			P50: milliseconds(quantile(t, 50)), P99: milliseconds(quantile(t, 99)),
			XBare: float64(quantile(t, 50)) / float64(bare),
		})
	}
	return rows, nil
}

// rate has several callers ask for hello as fast as they are answered.
func (m meter) rate(ctx context.Context, e *Executor) (BenchRate, error) {
	runs := m.b.Runs
	how := "cold"
	if e == m.warm {
		how, runs = "warm", 4*runs
	}
	times := make([]time.Duration, runs)
	var next atomic.Int64
	var failed error
	var once sync.Once
	var all sync.WaitGroup
	began := time.Now()
	for range m.b.Callers {
		all.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= runs || ctx.Err() != nil {
					return
				}
				start := time.Now()
				if _, err := e.Execute(ctx, Request{Code: []byte(benchScripts[0].code)}); err != nil {
					once.Do(func() { failed = err })
					return
				}
				times[i] = time.Since(start)
			}
		})
	}
	all.Wait()
	if failed == nil {
		failed = ctx.Err()
	}
	return BenchRate{
		How: how, Callers: m.b.Callers,
		PerSecond: float64(runs) / time.Since(began).Seconds(), P99: milliseconds(quantile(times, 99)),
	}, failed
}

func quantile(times []time.Duration, percent int) time.Duration {
	if len(times) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(times))
	return sorted[min(len(sorted)-1, len(sorted)*percent/100)]
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
