package exec

// A bounded number of runs at once, and a bounded number of those that wait.

import (
	"context"
	"sync/atomic"
)

type queue struct {
	slots   chan struct{}
	waiting atomic.Int64
	most    int64
}

func newQueue(workers, waiting int) *queue {
	return &queue{slots: make(chan struct{}, workers), most: int64(waiting)}
}

// enter returns once a slot is held, ErrBusy when too many wait already, or
// the context's error. Who entered must leave.
func (q *queue) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case q.slots <- struct{}{}:
		return nil
	default:
	}
	if q.waiting.Add(1) > q.most {
		q.waiting.Add(-1)
		return ErrBusy
	}
	defer q.waiting.Add(-1)
	select {
	case q.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// tryEnter takes a slot that nobody waits for.
func (q *queue) tryEnter() bool {
	if q.waiting.Load() > 0 {
		return false
	}
	select {
	case q.slots <- struct{}{}:
		return true
	default:
		return false
	}
}

func (q *queue) leave() { <-q.slots }
