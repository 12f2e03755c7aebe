package exec

// Taking a copy out of the pool, and giving it its job.

import (
	"context"
	"errors"
	"time"

	"github.com/pyrun-dev/pyrun/internal/exec/sandbox"
)

// take returns a spare, or nil when a cold start is the quicker way.
func (p *pool) take(ctx context.Context) *waiting {
	p.mu.Lock()
	p.used, p.target = time.Now(), p.size
	p.running++
	p.mu.Unlock()
	var late <-chan time.Time
	for {
		select {
		case w := <-p.ready:
			if p.good(w) {
				return w
			}
			continue
		default:
		}
		if !p.hopeful() {
			return nil
		}
		p.nudge()
		if late == nil {
			timer := time.NewTimer(patience)
			defer timer.Stop()
			late = timer.C
		}
		select {
		case w := <-p.ready:
			if p.good(w) {
				return w
			}
		case <-late:
			return nil
		case <-ctx.Done():
			return nil
		case <-p.life.Done():
			return nil
		}
	}
}

// launch releases the job in a spare; without a tree it was not released. A spare
// that has ended has run nothing, so another may take it, once: what no spare can
// take must not cost all of them. Each run is counted once.
func (p *pool) launch(ctx context.Context, j sandbox.Job) (tree, *generation) {
	w := p.take(ctx)
	for try := 1; w != nil; try++ {
		t, err := w.release(ctx, j)
		if err == nil {
			p.count(func(s *PoolStats) { s.Warm++ })
			return t, w.from
		}
		lost := errors.Is(err, sandbox.ErrZygote)
		if lost {
			p.count(func(s *PoolStats) { s.Lost++ })
		}
		if !lost || try == 2 || ctx.Err() != nil {
			break
		}
		w = p.next()
	}
	if ctx.Err() == nil { // else nothing will be run at all
		p.count(func(s *PoolStats) { s.Cold++ })
	}
	return nil, nil
}

// giveBack gives back what a run held. Taking it apart, and making the next copy,
// would take the processors from the door that passes the answer on, which then
// waited longer for them than for the run; so that goes first, for a moment and
// while another copy is at hand.
func (e *Executor) giveBack(done *ended, delivered <-chan struct{}) {
	p := e.pool.Load()
	if p == nil || len(p.ready) == 0 {
		done.close()
		return
	}
	e.running.Go(func() { // the caller is one of them still
		if delivered != nil {
			late := time.NewTimer(handover)
			defer late.Stop()
			select {
			case <-delivered:
			case <-late.C:
			case <-e.life.Done():
			}
		}
		time.Sleep(lastWrite)
		done.close()
	})
}

// next is another spare, if there is one at hand.
func (p *pool) next() *waiting {
	for {
		select {
		case w := <-p.ready:
			if p.good(w) {
				return w
			}
		default:
			return nil
		}
	}
}

// good says whether the spare still waits, and closes one that does not.
func (p *pool) good(w *waiting) bool {
	if w.fresh() {
		return true
	}
	p.count(func(s *PoolStats) { s.Lost++ })
	_ = w.close()
	return false
}

// hopeful says whether a spare is being made, or will be at once.
func (p *pool) hopeful() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now != nil && (p.making > 0 || !time.Now().Before(p.retry))
}

func (p *pool) count(f func(*PoolStats)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f(&p.stats)
}
