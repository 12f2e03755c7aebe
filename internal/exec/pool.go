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
	renewPause = time.Minute // after a new zygote that did not start
	makersMost = 2           // copies made at once
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

	// Guarded by the pool's mu.
	made, runs int
	crashed    bool // a script of it was ended by a signal
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
	later    time.Time // no renewal before, after one that failed
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
	p.drain() // a zygote that is ending waits for its copies
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
	if from != nil && crashed {
		from.crashed = true
	}
	why := ""
	if from != nil && from == p.now {
		why = p.spent()
	}
	p.mu.Unlock()
	if why != "" {
		p.renew(why)
	}
	p.nudge()
}

// spent says why the present zygote has done its time. The caller holds mu.
func (p *pool) spent() string {
	switch {
	case p.now.crashed && time.Since(p.crashed) > crashPause:
		return "crash"
	case p.now.runs >= zygoteRuns:
		return "runs"
	case time.Since(p.now.born) > zygoteAge && p.now.runs > 0:
		return "age"
	}
	return ""
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
		from.made++
		p.failures, p.failure, p.told = 0, nil, ""
	}
	// Under mu, or one of a zygote that has been replaced could come after the rest was drained.
	if err == nil && p.life.Err() == nil && p.put(&waiting{spare: s, from: from, born: time.Now()}) {
		s = nil
	}
	if err != nil && !errors.Is(err, sandbox.ErrZygote) && from == p.now {
		p.failed(err) // the machine may be short of something: a pause
	}
	p.mu.Unlock()
	switch {
	case errors.Is(err, sandbox.ErrZygote):
		p.lose(from, err)
	case err == nil && s != nil:
		_ = s.close()
	}
	if err == nil {
		p.nudge()
	}
}

// put adds a spare of the present zygote, if there is room. The caller holds mu.
func (p *pool) put(w *waiting) bool {
	if w.from != p.now {
		return false
	}
	select {
	case p.ready <- w:
		return true
	default:
		return false
	}
}

// putBack puts one back that was looked at.
func (p *pool) putBack(w *waiting) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.put(w)
}

// drain ends all that wait.
func (p *pool) drain() {
	for _, w := range p.emptied() {
		_ = w.close()
	}
}

// emptied takes out all that wait. Who holds mu while the zygote changes leaves
// none of the old one for a run that comes after.
func (p *pool) emptied() (all []*waiting) {
	for {
		select {
		case w := <-p.ready:
			all = append(all, w)
		default:
			return all
		}
	}
}
