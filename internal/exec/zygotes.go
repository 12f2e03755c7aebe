package exec

// The pool's zygotes: started beside the runs, one after another, and replaced
// before they grow old. Whatever happens to one, a request at worst starts cold.

import (
	"context"
	"errors"
	"maps"
	"time"

	"github.com/pyrun-dev/pyrun/internal/exec/sandbox"
)

// PoolStats is what a pool of warm copies is and has done.
type PoolStats struct {
	Size     int            // what it may hold
	Target   int            // what it holds at present, or will
	Ready    int            // copies that wait for a job
	Making   int            // copies in the making
	Running  int            // runs at present, cold ones too
	Made     int            // copies so far
	Warm     int            // runs that a copy took
	Cold     int            // runs that found none
	Unfit    int            // runs that no copy could serve: they show folders, or want more than copies have
	Lost     int            // copies that ended before they could take a job
	Recycled map[string]int // zygotes that were replaced, by reason
	Fill     time.Duration  // what the last copy took to make
	Failure  string         // why there is no zygote, when there is none
}

// Pool is the state of the warm copies; zero where there are none.
func (e *Executor) Pool() PoolStats {
	p := e.pool.Load()
	if p == nil {
		return PoolStats{}
	}
	return p.snapshot()
}

func (p *pool) snapshot() PoolStats {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.stats
	s.Target, s.Ready, s.Making, s.Running = p.target, len(p.ready), p.making, p.running
	s.Recycled = maps.Clone(s.Recycled)
	if p.now == nil && p.failure != nil {
		s.Failure = p.failure.Error()
	}
	return s
}

// await returns when the pool is as wanted, or with what keeps it from that.
func (p *pool) await(ctx context.Context, wanted func(PoolStats) bool) error {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		s := p.snapshot()
		p.mu.Lock()
		failure := p.failure
		p.mu.Unlock()
		switch {
		case wanted(s):
			return nil
		case failure != nil && s.Ready == 0 && s.Making == 0:
			return failure
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// tend fills the pool until its life ends.
func (p *pool) tend() {
	tick := time.NewTicker(tickTime)
	defer tick.Stop()
	for {
		select {
		case <-p.life.Done():
			return
		case <-p.wake:
		case <-tick.C:
			p.look()
		}
		p.fill()
	}
}

// fill starts what is missing.
func (p *pool) fill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now == nil {
		if !p.never && !p.starting && time.Now().After(p.retry) {
			p.begin("")
		}
		return
	}
	if time.Now().Before(p.retry) {
		return
	}
	for p.making < makersMost && len(p.ready)+p.making < p.target {
		p.making++
		from, early := p.now, p.running == 0
		p.tasks.Go(func() { p.forkOne(from, early) })
	}
}

// look does what is due by the clock.
func (p *pool) look() {
	p.mu.Lock()
	if time.Since(p.used) > restTime {
		p.target = min(1, p.size)
	}
	now, target, known := p.now, p.target, p.known
	if now == nil {
		p.mu.Unlock()
		return
	}
	why := p.spent()
	p.mu.Unlock()
	for n := len(p.ready); n > 0; n-- { // each once
		select {
		case w := <-p.ready:
			lost := !w.fresh()
			if lost {
				p.count(func(s *PoolStats) { s.Lost++ })
			}
			if lost || time.Since(w.born) > spareAge || len(p.ready) >= target || !p.putBack(w) {
				_ = w.close()
			}
		default:
		}
	}
	if p.print() != known {
		why = "changed"
	}
	if why != "" {
		p.renew(why)
	}
}

// renew starts the next zygote; the present one serves until that is ready.
func (p *pool) renew(why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.never && !p.starting && p.life.Err() == nil && time.Now().After(p.later) {
		if why == "crash" {
			p.crashed = time.Now()
		}
		p.begin(why)
	}
}

// begin starts one in the background. The caller holds mu.
func (p *pool) begin(why string) {
	p.starting = true
	p.tasks.Go(func() {
		print := p.print()
		z, err := p.start(p.life)
		p.mu.Lock()
		p.starting = false
		if err != nil {
			if p.now == nil {
				p.failed(err)
			} else { // which goes on serving
				p.later = time.Now().Add(renewPause)
				p.say(err)
			}
			p.mu.Unlock()
			return
		}
		if p.life.Err() != nil {
			p.mu.Unlock()
			_ = z.close()
			return
		}
		old := p.now
		p.now, p.known, p.failure = &generation{zygote: z, born: time.Now()}, print, nil
		if why != "" {
			p.stats.Recycled[why]++
		}
		now, outdated := p.now, p.emptied()
		p.mu.Unlock()
		p.tasks.Go(func() {
			select {
			case <-now.gone():
				p.lose(now, nil)
			case <-p.life.Done():
			}
		})
		for _, w := range outdated {
			_ = w.close()
		}
		if old != nil {
			p.tasks.Go(func() { _ = old.close() })
		}
		p.nudge()
	})
}

// lose notes that a zygote is gone.
func (p *pool) lose(z *generation, err error) {
	p.mu.Lock()
	if p.now != z || p.life.Err() != nil {
		p.mu.Unlock()
		return
	}
	p.now = nil
	p.stats.Recycled["death"]++
	if err == nil && z.made == 0 {
		err = sandbox.ErrZygote // and so it would go on without a pause
	}
	if err != nil {
		p.failed(err)
	}
	orphans := p.emptied()
	p.mu.Unlock()
	for _, w := range orphans {
		_ = w.close()
	}
	p.tasks.Go(func() { _ = z.close() })
	p.nudge()
}

// failed puts the next attempt off, the longer the more of them failed, and for
// ever where this system can have no copies. The caller holds mu.
func (p *pool) failed(err error) {
	if p.life.Err() != nil {
		return // it failed because of that
	}
	p.failure = err
	p.say(err)
	p.never = errors.Is(err, ErrNoCopies)
	p.failures++
	p.retry = time.Now().Add(min(time.Minute, 100*time.Millisecond<<min(p.failures, 12)))
}

// say tells of a failure, once for as long as it stays the same one. The caller holds mu.
func (p *pool) say(err error) {
	if p.tell != nil && p.told != err.Error() && p.life.Err() == nil {
		p.told = err.Error()
		p.tell(err)
	}
}
