package exec

// A bounded number of runs at once, and a bounded number of those that wait.
// Callers take turns, so that one who asks for much delays only himself, and
// what finished runs still hold in memory is bounded too, in all and by caller:
// one who does not take his results keeps only himself waiting.

import (
	"context"
	"slices"
	"sync"
	"time"
)

// queue hands out places. A place is a worker, and room for the largest result.
type queue struct {
	workers int
	most    int   // may wait
	weight  int64 // bytes that one result can hold
	room    int64 // bytes that all results may hold
	share   int64 // bytes of results on their way out beyond which their caller starts nothing

	mu      sync.Mutex
	running int
	waiting int
	held    int64            // bytes: weight for each that runs, the true size of those on their way out
	owed    map[string]int64 // the latter, by caller
	lanes   []*lane          // callers who wait, in the order of their turns
	mean    time.Duration
}

// lane is one caller's part of the queue.
type lane struct {
	caller  string
	tickets []*ticket
}

// ticket is one who waits; answered once.
type ticket struct {
	called chan struct{} // closed when it has a place or has lost it
	err    error         // set before called is closed
}

// place is what enter gives; leave gives it back.
type place struct {
	queue  *queue
	caller string
	began  time.Time
}

func newQueue(workers, waiting int, weight int64) *queue {
	weight = min(weight, 1<<40) // no overflow, whatever the options say
	// With his share full and a result for every worker on top, one caller leaves
	// every worker's room to the others.
	share := int64(workers) * weight
	return &queue{workers: workers, most: waiting, weight: weight, share: share, room: 3 * share, owed: map[string]int64{}}
}

// enter returns once a place is held, ErrBusy when too many wait already, or
// the context's error. Who entered must leave.
func (q *queue) enter(ctx context.Context, caller string) (*place, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	q.mu.Lock()
	if q.fits(caller) { // then nobody waits who could run
		p := q.occupy(caller)
		q.mu.Unlock()
		return p, nil
	}
	if q.waiting >= q.most && !q.makeRoom(caller) {
		err := q.busy()
		q.mu.Unlock()
		return nil, err
	}
	t := q.line(caller)
	q.mu.Unlock()
	select {
	case <-t.called:
	case <-ctx.Done():
		if q.abandon(caller, t) {
			return nil, ctx.Err()
		}
		<-t.called // called in the same moment
		if t.err == nil {
			(&place{queue: q, caller: caller, began: time.Now()}).leave(0, nil)
		}
		return nil, ctx.Err()
	}
	if t.err != nil {
		return nil, t.err
	}
	return &place{queue: q, caller: caller, began: time.Now()}, nil
}

// tryEnter is enter for who would rather not wait: nil when there is no place now.
func (q *queue) tryEnter() *place {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.lanes) > 0 || !q.fits("") {
		return nil
	}
	return q.occupy("")
}

// leave gives the worker back. The result's bytes count until delivered is
// closed; nil is at once.
func (p *place) leave(size int64, delivered <-chan struct{}) {
	q := p.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	if took := time.Since(p.began); q.mean == 0 {
		q.mean = took
	} else {
		q.mean += (took - q.mean) / 8
	}
	q.running--
	q.held -= q.weight
	if delivered != nil && size > 0 {
		q.owe(p.caller, size)
		go func() {
			<-delivered
			q.mu.Lock()
			defer q.mu.Unlock()
			q.owe(p.caller, -size)
			q.call()
		}()
	}
	q.call()
}

// The methods below are called with mu held, but for abandon.

// fits tells whether one more of this caller can run.
func (q *queue) fits(caller string) bool {
	return q.running < q.workers && q.held+q.weight <= q.room && q.owed[caller] <= q.share
}

func (q *queue) occupy(caller string) *place {
	q.running++
	q.held += q.weight
	return &place{queue: q, caller: caller, began: time.Now()}
}

// owe counts bytes of results that the caller has not taken yet.
func (q *queue) owe(caller string, size int64) {
	q.held += size
	if q.owed[caller] += size; q.owed[caller] == 0 {
		delete(q.owed, caller)
	}
}

// line puts one more at the end of the caller's lane.
func (q *queue) line(caller string) *ticket {
	t := &ticket{called: make(chan struct{})}
	l := q.laneOf(caller)
	if l == nil {
		l = &lane{caller: caller}
		q.lanes = append(q.lanes, l)
	}
	l.tickets = append(l.tickets, t)
	q.waiting++
	return t
}

func (q *queue) laneOf(caller string) *lane {
	for _, l := range q.lanes {
		if l.caller == caller {
			return l
		}
	}
	return nil
}

// call lets in whoever can run now, one of each caller in turn.
func (q *queue) call() {
	for {
		i := slices.IndexFunc(q.lanes, func(l *lane) bool { return q.fits(l.caller) })
		if i < 0 {
			return
		}
		l := q.lanes[i]
		t := l.tickets[0]
		l.tickets = l.tickets[1:]
		q.lanes = slices.Delete(q.lanes, i, i+1)
		if len(l.tickets) > 0 {
			q.lanes = append(q.lanes, l)
		}
		q.waiting--
		q.occupy(l.caller)
		close(t.called)
	}
}

// makeRoom sends the last one of the longest lane away, if the caller has at
// least two fewer waiting: a full queue is shared, whoever filled it.
func (q *queue) makeRoom(caller string) bool {
	l := q.longest(caller)
	if l == nil {
		return false
	}
	last := len(l.tickets) - 1
	t := l.tickets[last]
	l.tickets = l.tickets[:last]
	q.waiting--
	t.err = q.busy()
	close(t.called)
	return true
}

// longest is the lane that has to give way to the caller, or nil.
func (q *queue) longest(caller string) *lane {
	mine := 0
	if l := q.laneOf(caller); l != nil {
		mine = len(l.tickets)
	}
	var longest *lane
	for _, l := range q.lanes {
		if len(l.tickets) >= mine+2 && (longest == nil || len(l.tickets) > len(longest.tickets)) {
			longest = l
		}
	}
	return longest
}

// abandon takes t out of the queue; false when it was called already.
func (q *queue) abandon(caller string, t *ticket) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.laneOf(caller)
	if l == nil {
		return false
	}
	i := slices.Index(l.tickets, t)
	if i < 0 {
		return false
	}
	l.tickets = slices.Delete(l.tickets, i, i+1)
	q.waiting--
	if len(l.tickets) == 0 {
		q.lanes = slices.DeleteFunc(q.lanes, func(o *lane) bool { return o == l })
	}
	return true
}
