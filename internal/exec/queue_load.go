package exec

// What can be known of the queue from outside.

import (
	"fmt"
	"math"
	"time"
)

// Load is what an Executor has to do at one moment.
type Load struct {
	Workers int   // runs that can go at once
	Running int   // runs that go
	Waiting int   // requests that wait for a worker
	Held    int64 // bytes that results hold or may come to hold
}

// Load tells how busy the Executor is.
func (e *Executor) Load() Load {
	q := e.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	return Load{Workers: q.workers, Running: q.running, Waiting: q.waiting, Held: q.held}
}

// Busy is nil, or the ErrBusy that a Request of this caller would get now.
// Between this answer and a Request everything can change.
func (e *Executor) Busy(caller string) error {
	q := e.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.waiting < q.most || q.fits(caller) || q.longest(caller) != nil {
		return nil
	}
	return q.busy()
}

// BusyError is an ErrBusy (errors.Is) that knows when to try again.
type BusyError struct {
	RetryAfter time.Duration // whole seconds, 1 s to 1 min
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("busy: every worker is taken and the queue is full; try again in %d s", int(e.RetryAfter.Seconds()))
}

// Is makes errors.Is(err, ErrBusy) true.
func (e *BusyError) Is(target error) bool { return target == ErrBusy }

// busy estimates how long those who wait will take, from how long others took.
// It is called with mu held.
func (q *queue) busy() error {
	seconds := math.Ceil(q.mean.Seconds() * float64(q.waiting+1) / float64(q.workers))
	return &BusyError{RetryAfter: time.Duration(min(max(seconds, 1), 60)) * time.Second}
}
