package exec

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pyrun-dev/pyrun/internal/exec/sandbox"
)

// lasting is a zygote that, as a real one, does not end before its copies have.
type lasting struct {
	*fakeZygote
	copies chan struct{} // one for each that is not closed
	hold   chan struct{} // forks return when it is closed
}

type lastingSpare struct {
	*fakeSpare
	of *lasting
}

func (s lastingSpare) close() error { <-s.of.copies; return s.fakeSpare.close() }

func (z *lasting) fork(context.Context, bool) (spare, error) {
	z.copies <- struct{}{}
	<-z.hold
	return lastingSpare{newFakeSpare(), z}, nil
}

func (z *lasting) close() error {
	for len(z.copies) > 0 {
		time.Sleep(time.Millisecond)
	}
	return z.fakeZygote.close()
}

// TestPoolEndsWhatComesLate: a copy that a zygote was making while it was
// replaced is not served, and nothing waits for it for ever.
func TestPoolEndsWhatComesLate(t *testing.T) {
	newLasting := func() *lasting {
		return &lasting{newFakeZygote(), make(chan struct{}, 8), make(chan struct{})}
	}
	first, second := newLasting(), newLasting()
	close(second.hold)
	var starts atomic.Int64
	p := newPool(2, func(context.Context) (zygote, error) {
		if starts.Add(1) == 1 {
			return first, nil
		}
		return second, nil
	}, func() string { return "" }, nil)
	eventually(t, p, "two in the making", func(s PoolStats) bool { return s.Making == 2 })
	p.renew("changed")
	eventually(t, p, "replaced", func(s PoolStats) bool { return s.Recycled["changed"] == 1 })
	close(first.hold)
	eventually(t, p, "full", filled)
	for range 2 {
		w := p.take(t.Context())
		if w == nil || w.from.zygote != zygote(second) {
			t.Errorf("a copy of %v", w)
			continue
		}
		_ = w.close()
	}
	ended := make(chan error, 1)
	go func() { ended <- p.close() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the pool waits for a copy of the old zygote")
	}
	if len(first.copies)+len(second.copies) != 0 || !first.closed.Load() || !second.closed.Load() {
		t.Errorf("%d and %d copies are left", len(first.copies), len(second.copies))
	}
}

// stuck is a spare that takes its time to end.
type stuck struct {
	*fakeSpare
	end chan struct{}
}

func (s stuck) close() error { <-s.end; return s.fakeSpare.close() }

type stuckZygote struct {
	*fakeZygote
	end chan struct{}
}

func (z stuckZygote) fork(context.Context, bool) (spare, error) {
	return stuck{newFakeSpare(), z.end}, nil
}

// TestPoolForgetsOldCopiesAtOnce: with a new zygote, or with none, no run gets a copy of the
// old one any more, however long those take to end.
func TestPoolForgetsOldCopiesAtOnce(t *testing.T) {
	for _, why := range []string{"changed", "death"} {
		t.Run(why, func(t *testing.T) {
			end := make(chan struct{})
			var zygotes []stuckZygote
			p := newPool(3, func(context.Context) (zygote, error) {
				zygotes = append(zygotes, stuckZygote{newFakeZygote(), end})
				return zygotes[len(zygotes)-1], nil
			}, func() string { return "" }, nil)
			defer func() {
				if err := p.close(); err != nil {
					t.Error(err)
				}
			}()
			defer close(end)
			eventually(t, p, "full", filled)
			if why == "changed" {
				p.renew(why)
			} else {
				zygotes[0].die()
			}
			eventually(t, p, "replaced", func(s PoolStats) bool { return s.Recycled[why] == 1 })
			for range 3 {
				w := p.take(t.Context())
				if w == nil {
					continue // cold is right as well
				}
				if w.from.zygote == zygote(zygotes[0]) {
					t.Error("a copy of the old zygote")
				}
				p.tasks.Go(func() { _ = w.close() })
			}
		})
	}
}

// TestPoolKeepsNobodyWaiting: while no copy can be made, runs start cold at once.
func TestPoolKeepsNobodyWaiting(t *testing.T) {
	p := poolOf(t, 2, func(int64) (*fakeZygote, error) {
		z := newFakeZygote()
		z.forks = func(int64) (*fakeSpare, error) { return nil, errors.New("no room") }
		return z, nil
	})
	eventually(t, p, "many failures", func(PoolStats) bool {
		p.nudge() // as runs do
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.failures > 3 && p.making == 0 && time.Until(p.retry) > 0
	})
	p.mu.Lock()
	p.retry = time.Now().Add(time.Hour)
	p.mu.Unlock()
	quickest := time.Hour // a machine that is busy with other things may be slow now and then
	for range 5 {
		began := time.Now()
		if serve(t, p, false) != nil {
			t.Fatal("warm")
		}
		quickest = min(quickest, time.Since(began))
	}
	if quickest >= patience {
		t.Errorf("they waited %v for nothing", quickest)
	}
}

// TestPoolServesOnWhenRenewalFails: a zygote that lives is not given up for one that does not start.
func TestPoolServesOnWhenRenewalFails(t *testing.T) {
	p := poolOf(t, 1, func(n int64) (*fakeZygote, error) {
		if n > 1 {
			return nil, errors.New("no")
		}
		return newFakeZygote(), nil
	})
	for range 5 {
		eventually(t, p, "full", filled)
		p.renew("age")
		eventually(t, p, "tried", func(PoolStats) bool {
			p.mu.Lock()
			defer p.mu.Unlock()
			return !p.starting && !p.later.IsZero()
		})
		if serve(t, p, false) == nil {
			t.Fatal("cold")
		}
	}
}

// TestPoolRemembersCrashes: a crash soon after another is paid for later.
func TestPoolRemembersCrashes(t *testing.T) {
	p := poolOf(t, 1, func(int64) (*fakeZygote, error) { return newFakeZygote(), nil })
	for range 2 {
		eventually(t, p, "full", filled)
		serve(t, p, true)
		eventually(t, p, "one more", func(s PoolStats) bool { return s.Recycled["crash"] == 1 })
	}
	p.mu.Lock()
	p.crashed = time.Now().Add(-crashPause)
	p.mu.Unlock()
	p.look()
	eventually(t, p, "a new one", func(s PoolStats) bool { return s.Recycled["crash"] == 2 })
}

// TestPoolSlowsDown: zygotes that start and can do nothing are not started without end.
func TestPoolSlowsDown(t *testing.T) {
	var starts atomic.Int64
	p := poolOf(t, 1, func(int64) (*fakeZygote, error) {
		starts.Add(1)
		z := newFakeZygote()
		z.forks = func(int64) (*fakeSpare, error) { z.die(); return nil, sandbox.ErrZygote }
		return z, nil
	})
	eventually(t, p, "many failures", func(PoolStats) bool {
		p.nudge() // as runs do
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.failures >= 4
	})
	if n := starts.Load(); n > 6 {
		t.Errorf("%d starts for 4 failures", n)
	}
}
