package exec

import (
	"context"
	"errors"
	"os"
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
	gone    chan struct{}
	closed  atomic.Bool
	got     atomic.Bool
}

func newFakeSpare() *fakeSpare { return &fakeSpare{gone: make(chan struct{})} }

func (s *fakeSpare) release(context.Context, sandbox.Job) (tree, error) {
	if s.refuses != nil {
		return nil, s.refuses
	}
	s.got.Store(true)
	return fakeTree{}, nil
}
func (s *fakeSpare) lost() <-chan struct{} { return s.gone }
func (s *fakeSpare) close() error          { s.closed.Store(true); return nil }

type fakeTree struct{}

func (fakeTree) Posture() sandbox.Posture              { return sandbox.Posture{} }
func (fakeTree) Store() *os.File                       { return nil }
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
	}, func() string { return "" })
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
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
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
	mu.Lock()
	defer mu.Unlock()
	for i, z := range all[:len(all)-1] {
		if !z.closed.Load() {
			t.Errorf("zygote %d of %d was not closed", i, len(all))
		}
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
