package exec

// The clock of bench.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pyrun-dev/pyrun/internal/exec/python"
)

const bareHow = "bare"

// way is one way to run a script. run says how long it took.
type way struct {
	how  string
	slow bool      // takes many times as long as the others: fewer are measured
	pool *Executor // must be full before each run; nil without one
	run  func(ctx context.Context, code, want string) (time.Duration, error)
}

func bareWay(in *python.Interpreter) way {
	return way{how: bareHow, slow: true, run: func(ctx context.Context, code, _ string) (time.Duration, error) {
		return python.Bare(ctx, in, code)
	}}
}

// coreWay is the Executor alone.
func coreWay(how string, e *Executor) way {
	w := way{how: how, slow: e.options.Warm == 0, run: func(ctx context.Context, code, want string) (time.Duration, error) {
		began := time.Now()
		res, err := e.Execute(ctx, Request{Code: []byte(code)})
		took := time.Since(began)
		if err == nil && (res.Verdict != VerdictOK || res.Stdout != want) {
			err = fmt.Errorf("a %s run ended with %s: %s", how, res.Verdict, clip(res.Stderr, 200))
		}
		return took, err
	}}
	if !w.slow {
		w.pool = e
	}
	return w
}

// doorWay is a server around the Executor.
func doorWay(e *Executor, slow bool, ask func(ctx context.Context, code, want string) (time.Duration, error)) way {
	w := way{how: "http", slow: slow, run: ask}
	if !w.slow {
		w.pool = e
	}
	return w
}

// pooled waits until the pool is full.
func (e *Executor) pooled(ctx context.Context) error {
	p := e.pool.Load()
	if p == nil {
		return errors.New("there is no pool of warm copies")
	}
	within, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	err := p.await(within, func(s PoolStats) bool { return s.Ready == s.Size && s.Making == 0 })
	if errors.Is(err, context.DeadlineExceeded) {
		return errors.New("the pool of warm copies does not fill")
	}
	return err
}

// rows runs one script all ways in turns.
func rows(ctx context.Context, ways []way, name, code, want string, runs int) ([]BenchRow, error) {
	times := make([][]time.Duration, len(ways))
	for i := range runs {
		for n, w := range ways {
			if w.slow && i%4 != 0 {
				continue
			}
			if w.pool != nil {
				if err := w.pool.pooled(ctx); err != nil {
					return nil, err
				}
			}
			took, err := w.run(ctx, code, want)
			if err != nil {
				return nil, err
			}
			times[n] = append(times[n], took)
		}
	}
	var out []BenchRow
	for n, w := range ways {
		t := times[n]
		out = append(out, BenchRow{
			Script: name, How: w.how, Runs: len(t),
			P50: milliseconds(quantile(t, 50)), P99: milliseconds(quantile(t, 99)),
			XBare: float64(quantile(t, 50)) / float64(quantile(times[0], 50)),
		})
	}
	return out, nil
}

// rate has several callers ask for hello as fast as they are answered.
func rate(ctx context.Context, w way, b BenchOptions) (BenchRate, error) {
	runs := 4 * b.Runs
	if w.slow {
		runs = b.Runs
	}
	times := make([]time.Duration, runs)
	var next atomic.Int64
	var failed error
	var once sync.Once
	var all sync.WaitGroup
	began := time.Now()
	for range b.Callers {
		all.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= runs || ctx.Err() != nil {
					return
				}
				took, err := w.run(ctx, benchScripts[0].code, benchScripts[0].want)
				if err != nil {
					once.Do(func() { failed = err })
					return
				}
				times[i] = took
			}
		})
	}
	all.Wait()
	if failed == nil {
		failed = ctx.Err()
	}
	return BenchRate{
		How: w.how, Callers: b.Callers,
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
