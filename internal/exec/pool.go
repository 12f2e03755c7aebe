package exec

// Warm runs: copies of a Python that has started wait, each behind all its
// walls, for one job. The pool is filled beside the runs and after the answers.

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/pyrun-dev/pyrun/internal/exec/sandbox"
)

const (
	patience   = 250 * time.Millisecond // waited for a copy that is being made; a cold start takes less than that on any machine
	handover   = 20 * time.Millisecond  // waited for an answer to be written
	lastWrite  = time.Millisecond       // and for its end: net/http gives the request up before it sends that
	spareAge   = 10 * time.Minute       // of a copy that waits
	zygoteAge  = 10 * time.Minute
	zygoteRuns = 2000
	crashPause = 10 * time.Second // between two new zygotes for the reason of a crash
	restTime   = 2 * time.Minute  // without a run, until the pool shrinks to one
	tickTime   = 5 * time.Second
	makersMost = 2 // copies made at once
)

// zygote and spare are a *sandbox.Zygote and a *sandbox.Copy.
type zygote interface {
	fork(ctx context.Context, early bool) (spare, error)
	gone() <-chan struct{}
	close() error
}

type spare interface {
	release(ctx context.Context, j sandbox.Job) (tree, error)
	lost() <-chan struct{}
	close() error
}

// waiting is a spare in the pool.
type waiting struct {
	spare
	from *generation
	born time.Time
}

// generation is one zygote and what it has done.
type generation struct {
	zygote
	born time.Time
	runs int
}

// pool keeps up to size spares ready.
type pool struct {
	size  int
	start func(context.Context) (zygote, error)
	print func() string // of all that a zygote was made from; another one makes it outdated
	tell  func(error)   // hears of each failure; may be nil
	life  context.Context
	end   context.CancelFunc
	ready chan *waiting
	wake  chan struct{}
	tasks sync.WaitGroup

	mu       sync.Mutex // guards all below
	now      *generation
	starting bool
	retry    time.Time // not before, after a failure
	failures int
	failure  error
	never    bool      // the failure is for good
	told     string    // of failures, the last that tell was told
	crashed  time.Time // when a crash last cost a zygote
	making   int
	target   int
	running  int
	used     time.Time // when a spare was last asked for
	known    string    // print, of now
	stats    PoolStats
}

func newPool(size int, start func(context.Context) (zygote, error), print func() string, tell func(error)) *pool {
	p := &pool{
		size: size, start: start, print: print, tell: tell, target: size, used: time.Now(),
		ready: make(chan *waiting, size), wake: make(chan struct{}, 1),
		stats: PoolStats{Size: size, Recycled: map[string]int{}},
	}
	p.life, p.end = context.WithCancel(context.Background())
	p.tasks.Go(p.tend)
	p.nudge()
	return p
}

// close ends what waits; runs must be over.
func (p *pool) close() error {
	p.end()
	p.tasks.Wait()
	p.drain()
	p.mu.Lock()
	z := p.now
	p.now = nil
	p.mu.Unlock()
	if z == nil {
		return nil
	}
	return z.close()
}

func (p *pool) nudge() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// fresh says whether the spare still waits.
func (w *waiting) fresh() bool {
	select {
	case <-w.lost():
		return false
	default:
		return true
	}
}

// done is told of every run that take was called for, when it has been answered.
// from is nil for a cold one.
func (p *pool) done(from *generation, crashed bool) {
	p.mu.Lock()
	p.running--
	if from != nil {
		from.runs++
	}
	retire := ""
	if from != nil && from == p.now {
		switch {
		case crashed && time.Since(p.crashed) > crashPause:
			p.crashed, retire = time.Now(), "crash"
		case from.runs >= zygoteRuns:
			retire = "runs"
		}
	}
	p.mu.Unlock()
	if retire != "" {
		p.renew(retire)
	}
	p.nudge()
}

// forkOne makes one spare. Nothing else runs while a run does: then it is made
// quickly, and else thoroughly.
func (p *pool) forkOne(from *generation, early bool) {
	began := time.Now()
	s, err := from.fork(p.life, early)
	p.mu.Lock()
	p.making--
	p.stats.Fill = time.Since(began)
	if err == nil {
		p.stats.Made++
		p.failures, p.failure = 0, nil
	}
	current := from == p.now
	p.mu.Unlock()
	switch {
	case err != nil:
		if errors.Is(err, sandbox.ErrZygote) {
			p.lose(from, err)
		} else if current && p.life.Err() == nil {
			p.mu.Lock()
			p.failed(err) // the machine may be short of something: a pause
			p.mu.Unlock()
		}
		return
	case !current:
		_ = s.close()
	default:
		select {
		case p.ready <- &waiting{spare: s, from: from, born: time.Now()}:
		default:
			_ = s.close()
		}
	}
	p.nudge()
}
