package exec

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pyrun-dev/pyrun/internal/exec/sandbox"
)

// TestAttestationIsBounded: who finds every worker taken says so in the end, and
// what has to be made before is not broken off by that.
func TestAttestationIsBounded(t *testing.T) {
	e := newExecutor(t, Options{MaxWorkers: 1})
	e.attestTime = 200 * time.Millisecond
	started := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() {
		r := code("import time; time.sleep(60)")
		r.Limits.Wall = 60 * time.Second
		r.watch = func(tree) { close(started) }
		_, _ = e.Execute(ctx, r)
	})
	<-started
	began := time.Now()
	env, err := e.Check(t.Context(), Inspection{})
	if env != nil || !errors.Is(err, ErrBusy) || time.Since(began) > 20*time.Second {
		t.Errorf("after %v: %+v, %v", time.Since(began), env, err)
	}
	if l := e.Load(); l.Waiting != 0 {
		t.Errorf("some wait on: %+v", l)
	}
	cancel()
	all.Wait()
	e.attestTime = attestTime
	if env := inspect(t, e, Inspection{}); !env.Ready() {
		t.Errorf("%+v", env.Findings)
	}
}

// lyingCopies are walls whose copies say something else of themselves when they
// are told to lie.
type lyingCopies struct {
	walls
	lying *atomic.Bool
}

type lyingZygote struct {
	zygote
	lying *atomic.Bool
}

type lyingSpare struct {
	spare
	lying *atomic.Bool
}

func (w lyingCopies) zygote(ctx context.Context, p sandbox.Policy) (zygote, error) {
	z, err := w.walls.zygote(ctx, p)
	if err != nil {
		return nil, err
	}
	return lyingZygote{z, w.lying}, nil
}

func (z lyingZygote) fork(ctx context.Context, early bool) (spare, error) {
	s, err := z.zygote.fork(ctx, early)
	if err != nil {
		return nil, err
	}
	return lyingSpare{s, z.lying}, nil
}

func (s lyingSpare) release(ctx context.Context, j sandbox.Job) (tree, error) {
	t, err := s.spare.release(ctx, j)
	if err != nil {
		return nil, err
	}
	return lyingTree{t, func(_ *sandbox.Observation, p *sandbox.Posture) {
		if s.lying.Load() {
			p.Layers = slices.DeleteFunc(slices.Clone(p.Layers), func(l string) bool { return l == "seccomp" })
		}
	}}, nil
}

// TestCopiesAreTried: no copy serves before the walls of its zygote's were tried,
// nor after one of them was seen not to hold; runs start cold then, and it is told.
func TestCopiesAreTried(t *testing.T) {
	t.Parallel()
	newExecutor(t, Options{}) // or it is skipped
	l, err := sandbox.New(sandbox.Options{Backend: sandbox.Native})
	if err != nil {
		t.Fatal(err)
	}
	var lying atomic.Bool
	var told atomic.Int64
	lying.Store(true)
	e, err := New(Options{Sandbox: "native", Warm: 2, Preload: []string{"json"}, Python: os.Getenv("PYRUN_TEST_PYTHON"), NoCopies: func(err error) {
		if told.Add(1); !strings.Contains(err.Error(), "a wall of the warm copies does not hold: seccomp: ") || errors.Is(err, ErrNoCopies) {
			t.Errorf("told of %v", err)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	e.walls = lyingCopies{launcher{l}, &lying}
	defer e.Close()
	if err := e.Warmed(t.Context()); err == nil || !strings.Contains(err.Error(), "does not hold: seccomp: ") {
		t.Fatalf("the error is %v", err)
	}
	cold := func() {
		t.Helper()
		before := e.Pool().Warm
		if r := execute(t, e, code("print(1)")); r.Verdict != VerdictOK || r.Stdout != "1\n" || e.Pool().Warm != before {
			t.Errorf("%+v, %+v", r, e.Pool())
		}
	}
	cold()
	if env := inspect(t, e, Inspection{}); !env.Ready() {
		t.Errorf("cold walls hold: %+v", env.Findings)
	}
	lying.Store(false)
	eventually(t, e.pool.Load(), "there are copies", filled)
	if env := inspect(t, e, Inspection{}); !env.Ready() || env.Problems != 0 || e.Pool().Ready == 0 {
		t.Errorf("%+v, %+v", env.Findings, e.Pool())
	}
	if r := execute(t, e, code("print(1)")); r.Stdout != "1\n" || e.Pool().Warm != 1 {
		t.Errorf("%+v, %+v", r, e.Pool())
	}
	lying.Store(true)
	env := inspect(t, e, Inspection{})
	named := slices.ContainsFunc(env.Findings, func(f Finding) bool {
		return f.Area == "copies" && f.Severity == SeverityProblem && strings.Contains(f.Message, "seccomp") && f.Remedy != ""
	})
	if !env.Ready() || env.Problems != 1 || !named {
		t.Errorf("%+v", env.Findings)
	}
	cold()
	if n := told.Load(); n < 1 || n > 2 { // not with every attempt
		t.Errorf("told %d times", n)
	}
	lying.Store(false)
	eventually(t, e.pool.Load(), "there are copies again", filled)
}

// TestCopiesHold: here, where there are copies, their walls hold, with limits
// that are the operator's own too, and the next zygote's are tried as the first's.
func TestCopiesHold(t *testing.T) {
	for name, o := range map[string]Options{
		"usual": {},
		"small": {Network: sandbox.NetworkNone, Limits: sandbox.Limits{Memory: 96 << 20, Disk: 8 << 20, Processes: 8, OpenFiles: 32, FileSize: 512 << 10}, MaxTimeout: 10 * time.Second, DefaultTimeout: time.Second},
		"one":   {MaxWorkers: 1, MaxQueue: -1},
	} {
		t.Run(name, func(t *testing.T) {
			e := warmExecutor(t, o)
			p := e.pool.Load()
			if env := inspect(t, e, Inspection{}); !env.Ready() || env.Problems != 0 {
				t.Errorf("walls %+v\nfindings %+v", env.Walls, env.Findings)
			}
			first := p.current()
			p.renew("age")
			eventually(t, p, "the next zygote", func(s PoolStats) bool { return s.Recycled["age"] == 1 && filled(s) })
			if now := p.current(); now == nil || now == first {
				t.Errorf("%p after %p", now, first)
			}
		})
	}
}
