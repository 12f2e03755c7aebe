package exec

import (
	"context"
	"errors"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pyrun-dev/pyrun/internal/exec/sandbox"
)

// fakeZygote does what a test says.
type fakeZygote struct {
	dead   chan struct{}
	once   sync.Once
	forks  func(n int64) (*fakeSpare, error)
	made   atomic.Int64
	closed atomic.Bool
}

func newFakeZygote() *fakeZygote {
	return &fakeZygote{dead: make(chan struct{}), forks: func(int64) (*fakeSpare, error) { return newFakeSpare(), nil }}
}

func (z *fakeZygote) fork(ctx context.Context, _ bool) (spare, error) {
	select {
	case <-z.dead:
		return nil, sandbox.ErrZygote
	default:
	}
	s, err := z.forks(z.made.Add(1))
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (z *fakeZygote) gone() <-chan struct{} { return z.dead }
func (z *fakeZygote) die()                  { z.once.Do(func() { close(z.dead) }) }
func (z *fakeZygote) close() error          { z.die(); z.closed.Store(true); return nil }

type fakeSpare struct {
	refuses error
	turn    *atomic.Int64 // of many spares: the first that is asked refuses
	gone    chan struct{}
	closed  atomic.Bool
	got     atomic.Bool
}

func newFakeSpare() *fakeSpare { return &fakeSpare{gone: make(chan struct{})} }

func (s *fakeSpare) release(context.Context, sandbox.Job) (tree, error) {
	if s.refuses != nil {
		return nil, s.refuses
	}
	if s.turn != nil && s.turn.Add(1) == 1 {
		return nil, sandbox.ErrZygote
	}
	s.got.Store(true)
	return fakeTree{}, nil
}
func (s *fakeSpare) lost() <-chan struct{} { return s.gone }
func (s *fakeSpare) close() error          { s.closed.Store(true); return nil }

type fakeTree struct{}

func (fakeTree) Posture() sandbox.Posture              { return sandbox.Posture{} }
func (fakeTree) Store() *os.File                       { return nil }
func (fakeTree) Streams() (stdout, stderr *os.File)    { return nil, nil }
func (fakeTree) Observe() (sandbox.Observation, error) { return sandbox.Observation{}, nil }
func (fakeTree) Kill(sandbox.Reason)                   {}
func (fakeTree) Wait() sandbox.Exit                    { return sandbox.Exit{} }
func (fakeTree) Close() error                          { return nil }

// poolOf is a pool whose zygotes come from a function.
func poolOf(t *testing.T, size int, start func(n int64) (*fakeZygote, error)) *pool {
	t.Helper()
	var n atomic.Int64
	p := newPool(size, func(context.Context) (zygote, error) {
		z, err := start(n.Add(1))
		if err != nil {
			return nil, err
		}
		return z, nil
	}, func() string { return "" }, nil)
	t.Cleanup(func() {
		if err := p.close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// eventually waits for a state of the pool.
func eventually(t *testing.T, p *pool, what string, is func(PoolStats) bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if is(p.snapshot()) {
			return
		}
	}
	t.Fatalf("it never came to this: %s: %+v", what, p.snapshot())
}

func filled(s PoolStats) bool { return s.Ready == s.Size && s.Making == 0 }

// serve is one request: warm, or cold when it is nil.
func serve(t *testing.T, p *pool, crashed bool) tree {
	t.Helper()
	tr, from := p.launch(t.Context(), sandbox.Job{})
	p.done(from, crashed)
	return tr
}

func TestPoolServesAndRefills(t *testing.T) {
	p := poolOf(t, 3, func(int64) (*fakeZygote, error) { return newFakeZygote(), nil })
	for range 10 {
		eventually(t, p, "full", filled)
		if serve(t, p, false) == nil {
			t.Fatal("cold")
		}
	}
	if s := p.snapshot(); s.Warm != 10 || s.Cold != 0 || s.Running != 0 {
		t.Errorf("%+v", s)
	}
}

// TestPoolLosesNoRequest: whatever zygotes and copies do, every request is
// served, by a copy or by the caller's cold start, and nobody waits long.
func TestPoolLosesNoRequest(t *testing.T) {
	no := errors.New("no")
	for name, start := range map[string]func(n int64) (*fakeZygote, error){
		"there is no zygote": func(int64) (*fakeZygote, error) { return nil, no },
		"only the third zygote lives": func(n int64) (*fakeZygote, error) {
			if n < 3 {
				return nil, no
			}
			return newFakeZygote(), nil
		},
		"zygotes die at once": func(int64) (*fakeZygote, error) { z := newFakeZygote(); z.die(); return z, nil },
		"every second fork fails": func(int64) (*fakeZygote, error) {
			z := newFakeZygote()
			z.forks = func(n int64) (*fakeSpare, error) {
				if n%2 == 0 {
					return nil, no
				}
				return newFakeSpare(), nil
			}
			return z, nil
		},
		"copies die while they wait": func(int64) (*fakeZygote, error) {
			z := newFakeZygote()
			z.forks = func(int64) (*fakeSpare, error) { s := newFakeSpare(); close(s.gone); return s, nil }
			return z, nil
		},
		"copies cannot take a job": func(int64) (*fakeZygote, error) {
			z := newFakeZygote()
			z.forks = func(int64) (*fakeSpare, error) { s := newFakeSpare(); s.refuses = no; return s, nil }
			return z, nil
		},
		"forks take for ever": func(int64) (*fakeZygote, error) {
			z := newFakeZygote()
			z.forks = func(int64) (*fakeSpare, error) { <-z.dead; return nil, sandbox.ErrZygote }
			return z, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			var last atomic.Pointer[fakeZygote]
			p := poolOf(t, 2, func(n int64) (*fakeZygote, error) {
				z, err := start(n)
				last.Store(z)
				return z, err
			})
			t.Cleanup(func() { // before close: a real fork heeds its context
				if z := last.Load(); z != nil {
					z.die()
				}
			})
			var all sync.WaitGroup
			for range 4 {
				all.Go(func() {
					for range 3 {
						began := time.Now()
						serve(t, p, false)
						if d := time.Since(began); d > 10*time.Second {
							t.Errorf("it waited for %v", d)
						}
					}
				})
			}
			all.Wait()
			if s := p.snapshot(); s.Running != 0 || s.Warm+s.Cold < 12 {
				t.Errorf("%+v", s)
			}
		})
	}
}

// TestPoolGivesUp: where there can be no copies nobody goes on trying, and all
// is told once.
func TestPoolGivesUp(t *testing.T) {
	var tried, told atomic.Int64
	never := &sandbox.Error{Step: "make warm copies", Err: sandbox.ErrUnsupported}
	p := newPool(2, func(context.Context) (zygote, error) { tried.Add(1); return nil, never }, func() string { return "" },
		func(err error) {
			if told.Add(1); !errors.Is(err, ErrNoCopies) {
				t.Errorf("told of %v", err)
			}
		})
	defer p.close()
	if err := p.await(t.Context(), filled); !errors.Is(err, ErrNoCopies) {
		t.Fatalf("the error is %v", err)
	}
	p.mu.Lock()
	p.retry = time.Time{}
	p.mu.Unlock()
	for range 20 {
		if serve(t, p, false) != nil {
			t.Error("warm")
		}
		p.look()
		p.renew("changed")
		time.Sleep(time.Millisecond)
	}
	if n, m := tried.Load(), told.Load(); n != 1 || m != 1 {
		t.Errorf("tried %d times, told %d times", n, m)
	}
	if s := p.snapshot(); s.Cold != 20 || s.Failure == "" {
		t.Errorf("%+v", s)
	}
}

// TestPoolTellsOfEachFailure: what can be mended is tried again, and not told again.
func TestPoolTellsOfEachFailure(t *testing.T) {
	var tried, told atomic.Int64
	p := newPool(1, func(context.Context) (zygote, error) {
		if tried.Add(1) < 4 {
			return nil, errors.New("no")
		}
		return newFakeZygote(), nil
	}, func() string { return "" }, func(error) { told.Add(1) })
	defer p.close()
	for end := time.Now().Add(20 * time.Second); tried.Load() < 4 && time.Now().Before(end); time.Sleep(time.Millisecond) {
		p.nudge()
	}
	eventually(t, p, "full", filled)
	if n := told.Load(); n != 1 {
		t.Errorf("told %d times", n)
	}
}

// TestPoolForgetsFailures: a zygote whose copies fail is a failure to whoever
// waits for one, until one is made.
func TestPoolForgetsFailures(t *testing.T) {
	no := errors.New("no")
	var well atomic.Bool
	p := poolOf(t, 1, func(int64) (*fakeZygote, error) {
		z := newFakeZygote()
		z.forks = func(int64) (*fakeSpare, error) {
			if !well.Load() {
				return nil, no
			}
			return newFakeSpare(), nil
		}
		return z, nil
	})
	ready := func(s PoolStats) bool { return s.Ready > 0 }
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for range 5 {
		if err := p.await(ctx, ready); !errors.Is(err, no) {
			t.Fatalf("the error is %v", err)
		}
		p.mu.Lock()
		p.retry = time.Time{}
		p.mu.Unlock()
		p.nudge()
	}
	well.Store(true)
	eventually(t, p, "a copy", ready)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failures != 0 || p.failure != nil {
		t.Errorf("%d failures, %v", p.failures, p.failure)
	}
}

// TestPoolCountsRunsOnce: a run is warm or cold, whatever copies it met on its way.
func TestPoolCountsRunsOnce(t *testing.T) {
	refuse := func(err error) func(int64) (*fakeSpare, error) {
		return func(int64) (*fakeSpare, error) { s := newFakeSpare(); s.refuses = err; return s, nil }
	}
	var turn atomic.Int64
	for name, c := range map[string]struct {
		forks            func(n int64) (*fakeSpare, error)
		warm, cold, lost int
	}{
		"the copies have ended": {refuse(sandbox.ErrZygote), 0, 1, 2},
		"the first has ended":   {func(int64) (*fakeSpare, error) { s := newFakeSpare(); s.turn = &turn; return s, nil }, 1, 0, 1},
		"the job is at fault":   {refuse(errors.New("no such path")), 0, 1, 0},
		"the copies are gone":   {func(int64) (*fakeSpare, error) { s := newFakeSpare(); close(s.gone); return s, nil }, 0, 1, 3},
	} {
		t.Run(name, func(t *testing.T) {
			z := newFakeZygote()
			z.forks = c.forks
			p := poolOf(t, 3, func(int64) (*fakeZygote, error) { return z, nil })
			eventually(t, p, "full", filled)
			serve(t, p, false)
			if s := p.snapshot(); s.Warm != c.warm || s.Cold != c.cold || s.Lost < c.lost || c.lost < 3 && s.Lost > c.lost {
				t.Errorf("%+v", s)
			}
		})
	}
	t.Run("nobody waits for it", func(t *testing.T) {
		p := poolOf(t, 1, func(int64) (*fakeZygote, error) { z := newFakeZygote(); z.die(); return z, nil })
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, from := p.launch(ctx, sandbox.Job{})
		p.done(from, false)
		if s := p.snapshot(); s.Warm+s.Cold != 0 || s.Running != 0 {
			t.Errorf("%+v", s)
		}
	})
}

func TestPoolReplacesZygotes(t *testing.T) {
	var all []*fakeZygote
	var mu sync.Mutex
	p := poolOf(t, 2, func(int64) (*fakeZygote, error) {
		z := newFakeZygote()
		mu.Lock()
		all = append(all, z)
		mu.Unlock()
		return z, nil
	})
	count := func() int { mu.Lock(); defer mu.Unlock(); return len(all) }
	eventually(t, p, "full", filled)

	serve(t, p, true)
	eventually(t, p, "a new zygote after a crash", func(s PoolStats) bool { return s.Recycled["crash"] == 1 && filled(s) })
	serve(t, p, true) // the next crash so soon costs none
	eventually(t, p, "full", filled)
	if n := count(); n != 2 {
		t.Errorf("%d zygotes", n)
	}
	mu.Lock()
	all[1].die()
	mu.Unlock()
	eventually(t, p, "a new zygote after a death", func(s PoolStats) bool { return s.Recycled["death"] == 1 && filled(s) && count() == 3 })

	p.mu.Lock()
	p.now.runs = zygoteRuns - 1
	p.mu.Unlock()
	serve(t, p, false)
	eventually(t, p, "a new zygote after many runs", func(s PoolStats) bool { return s.Recycled["runs"] == 1 && filled(s) })

	p.mu.Lock()
	p.now.born = time.Now().Add(-zygoteAge)
	p.now.runs = 1
	p.mu.Unlock()
	p.look()
	eventually(t, p, "a new zygote after a while", func(s PoolStats) bool { return s.Recycled["age"] == 1 && filled(s) })

	p.mu.Lock()
	p.known = "another list of packages"
	p.mu.Unlock()
	p.look()
	eventually(t, p, "a new zygote after a change", func(s PoolStats) bool { return s.Recycled["changed"] == 1 && filled(s) })
	eventually(t, p, "all but the last are closed", func(PoolStats) bool {
		mu.Lock()
		defer mu.Unlock()
		return !slices.ContainsFunc(all[:len(all)-1], func(z *fakeZygote) bool { return !z.closed.Load() })
	})
}

// closing is a tree that tells when it was given back.
type closing struct {
	fakeTree
	at chan time.Time
}

func (c closing) Close() error { c.at <- time.Now(); return nil }

// TestAnswersGoFirst: what a run held is given back behind its answer, but not
// much later, and at once where the next run needs it.
func TestAnswersGoFirst(t *testing.T) {
	e := &Executor{}
	e.life, e.end = context.WithCancel(t.Context())
	defer e.end()
	giveBack := func(delivered <-chan struct{}) <-chan time.Time {
		c := closing{at: make(chan time.Time, 1)}
		e.giveBack(&ended{tree: c, over: func(bool) {}}, delivered)
		return c.at
	}
	at := func(c <-chan time.Time) time.Time {
		t.Helper()
		select {
		case when := <-c:
			return when
		case <-time.After(20 * time.Second):
			t.Fatal("it is kept for ever")
			return time.Time{}
		}
	}
	never := make(chan struct{})
	if c := giveBack(never); len(c) != 1 {
		t.Error("it is not given back at once without a pool")
	}
	p := poolOf(t, 1, func(int64) (*fakeZygote, error) { return newFakeZygote(), nil })
	e.pool.Store(p)
	eventually(t, p, "full", filled)
	began := time.Now()
	if d := at(giveBack(never)).Sub(began); d < handover {
		t.Errorf("it was given back after %v, and nothing was delivered", d)
	}
	delivered := make(chan struct{})
	began = time.Now()
	close(delivered)
	if d := at(giveBack(delivered)).Sub(began); d < lastWrite {
		t.Errorf("it was given back after %v", d)
	}
	at(giveBack(nil))
	p.mu.Lock()
	p.retry = time.Now().Add(time.Hour) // so that no other comes
	p.mu.Unlock()
	(<-p.ready).close()
	if c := giveBack(never); len(c) != 1 {
		t.Error("it is not given back at once though the pool is empty")
	}
}

func TestPoolShrinksAtRest(t *testing.T) {
	p := poolOf(t, 4, func(int64) (*fakeZygote, error) { return newFakeZygote(), nil })
	eventually(t, p, "full", filled)
	p.mu.Lock()
	p.used = time.Now().Add(-2 * restTime)
	p.mu.Unlock()
	p.look()
	if s := p.snapshot(); s.Target != 1 || s.Ready != 1 {
		t.Errorf("%+v", s)
	}
	serve(t, p, false)
	eventually(t, p, "full again", filled)
}
