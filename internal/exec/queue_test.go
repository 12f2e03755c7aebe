package exec

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// visitor is one who wants a place, and tells when it has one or an error.
type visitor struct {
	caller string
	got    chan error
	place  *place
	cancel context.CancelFunc
}

func visit(t *testing.T, q *queue, caller string) *visitor {
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	v := &visitor{caller: caller, got: make(chan error, 1), cancel: cancel}
	go func() {
		var err error
		v.place, err = q.enter(ctx, caller)
		v.got <- err
	}()
	synctest.Wait() // so that the order of visits is the order of the queue
	return v
}

// state is "in", "waiting", "busy" or the error.
func (v *visitor) state() string {
	synctest.Wait()
	select {
	case err := <-v.got:
		v.got <- err
		switch {
		case err == nil:
			return "in"
		case errors.Is(err, ErrBusy):
			return "busy"
		}
		return err.Error()
	default:
		return "waiting"
	}
}

func states(vs ...*visitor) string {
	var all []string
	for _, v := range vs {
		all = append(all, v.caller+" "+v.state())
	}
	return strings.Join(all, ", ")
}

func TestQueueTakesTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(1, 10, 1)
		running := visit(t, q, "greedy")
		var waiting []*visitor
		for _, caller := range []string{"greedy", "greedy", "greedy", "other", "third", "other"} {
			waiting = append(waiting, visit(t, q, caller))
		}
		var order []string
		for len(waiting) > 0 {
			running.place.leave(0, nil)
			i := slices.IndexFunc(waiting, func(v *visitor) bool { return v.state() == "in" })
			if i < 0 {
				t.Fatal("nobody was called")
			}
			running = waiting[i]
			order = append(order, running.caller)
			waiting = slices.Delete(waiting, i, i+1)
			if n := slices.IndexFunc(waiting, func(v *visitor) bool { return v.state() == "in" }); n >= 0 {
				t.Fatal("two run where one may")
			}
		}
		if want := "greedy other third greedy other greedy"; strings.Join(order, " ") != want {
			t.Errorf("served in the order %v, want %s", order, want)
		}
		running.place.leave(0, nil)
		if q.running != 0 || q.waiting != 0 || q.held != 0 || len(q.lanes) != 0 {
			t.Errorf("not empty: %+v", q)
		}
	})
}

// A caller who fills the queue loses the end of it to others, not to himself.
func TestQueueIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(1, 3, 1)
		in := visit(t, q, "a")
		a1, a2, a3 := visit(t, q, "a"), visit(t, q, "a"), visit(t, q, "a")
		more := visit(t, q, "a")
		if got := states(in, a1, a2, a3, more); got != "a in, a waiting, a waiting, a waiting, a busy" {
			t.Fatal(got)
		}
		b1 := visit(t, q, "b")
		if got := states(a1, a2, a3, b1); got != "a waiting, a waiting, a busy, b waiting" {
			t.Fatal(got)
		}
		b2 := visit(t, q, "b") // nobody has two more than b
		if got := states(a1, a2, b1, b2); got != "a waiting, a waiting, b waiting, b busy" {
			t.Fatal(got)
		}
		c1 := visit(t, q, "c")
		if got := states(a1, a2, b1, c1); got != "a waiting, a busy, b waiting, c waiting" {
			t.Fatal(got)
		}
	})
}

func TestQueueForgetsWhoLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(1, 3, 1)
		in := visit(t, q, "a")
		gone, next := visit(t, q, "a"), visit(t, q, "b")
		gone.cancel()
		if got := gone.state(); got != context.Canceled.Error() {
			t.Fatal(got)
		}
		if q.waiting != 1 || len(q.lanes) != 1 {
			t.Fatalf("%d wait in %d lanes", q.waiting, len(q.lanes))
		}
		in.place.leave(0, nil)
		if next.state() != "in" {
			t.Fatal("the next was not called")
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := q.enter(ctx, "a"); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	})
}

// Results that nobody has taken yet keep runs from starting, not workers from
// being given back.
func TestQueueBoundsResults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(2, 9, 10) // room for 60
		slow := make(chan struct{})
		for _, caller := range []string{"slow", "slow", "slow", "slower", "slower"} {
			visit(t, q, caller).place.leave(9, slow)
		}
		if q.running != 0 || q.held != 45 {
			t.Fatalf("%d run, %d held", q.running, q.held)
		}
		first, second := visit(t, q, "a"), visit(t, q, "b")
		if got := states(first, second); got != "a in, b waiting" {
			t.Fatal(got)
		}
		close(slow)
		if got := states(first, second); got != "a in, b in" {
			t.Fatal(got)
		}
		first.place.leave(5, nil) // nobody says when: at once
		second.place.leave(0, make(chan struct{}))
		if q.held != 0 {
			t.Errorf("%d held", q.held)
		}
	})
}

// Whoever does not take his results waits until he does; the others have every
// worker meanwhile, and his place in the queue.
func TestQueueSlowCallerWaitsAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(2, 2, 10)
		taken := make(chan struct{})
		one, two := visit(t, q, "slow"), visit(t, q, "slow")
		one.place.leave(10, taken)
		three := visit(t, q, "slow")
		if got := states(two, three); got != "slow in, slow in" {
			t.Fatal(got)
		}
		two.place.leave(10, taken)
		three.place.leave(10, taken)
		four, five := visit(t, q, "slow"), visit(t, q, "slow")
		if got := states(four, five); got != "slow waiting, slow waiting" {
			t.Fatal(got)
		}
		for range 3 {
			a, b := visit(t, q, "a"), visit(t, q, "b")
			if got := states(a, b, four, five); got != "a in, b in, slow waiting, slow waiting" {
				t.Fatal(got)
			}
			e := &Executor{queue: q}
			if e.Busy("slow") == nil {
				t.Error("the queue is full of his own")
			}
			c := visit(t, q, "c")
			if got := states(c, five); got != "c waiting, slow busy" {
				t.Fatal(got)
			}
			a.place.leave(1, nil)
			if c.state() != "in" {
				t.Fatal("the slow one's turn holds up the others")
			}
			b.place.leave(1, nil)
			c.place.leave(1, nil)
			five = visit(t, q, "slow")
		}
		close(taken)
		if got := states(four, five); got != "slow in, slow in" {
			t.Fatal(got)
		}
		four.place.leave(0, nil)
		five.place.leave(0, nil)
		if q.held != 0 || len(q.owed) != 0 {
			t.Errorf("not empty: %+v", q)
		}
	})
}

func TestQueueTried(t *testing.T) {
	q := newQueue(1, 3, 1)
	p := q.tryEnter()
	if p == nil || q.tryEnter() != nil {
		t.Fatal("one place is one place")
	}
	p.leave(0, nil)
	if q.tryEnter() == nil {
		t.Error("a place that was given back is gone")
	}
}

func TestBusyTellsWhen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &Executor{queue: newQueue(2, 4, 1)}
		for range 20 { // until the mean has settled
			p := visit(t, e.queue, "a")
			time.Sleep(6 * time.Second)
			p.place.leave(0, nil)
		}
		if err := e.Busy("a"); err != nil {
			t.Fatalf("idle: %v", err)
		}
		var all []*visitor
		for range 6 {
			all = append(all, visit(t, e.queue, "a"))
		}
		if l := e.Load(); l != (Load{Workers: 2, Running: 2, Waiting: 4, Held: 2}) {
			t.Errorf("load %+v", l)
		}
		_, err := e.queue.enter(t.Context(), "a")
		var busy *BusyError
		if !errors.As(err, &busy) || !errors.Is(err, ErrBusy) || busy.RetryAfter != 15*time.Second {
			t.Errorf("%v: %+v", err, busy)
		}
		if got := e.Busy("a"); fmt.Sprint(got) != fmt.Sprint(err) || !strings.HasSuffix(got.Error(), "try again in 15 s") {
			t.Errorf("asked before: %v", got)
		}
		if err := e.Busy("b"); err != nil {
			t.Errorf("another caller gets a place: %v", err)
		}
		for _, v := range all {
			v.cancel()
		}
		synctest.Wait()
	})
}

// TestAdmittedInTurn: whether a request may run is asked when its turn has come,
// and not before; what is refused then has run nothing.
func TestAdmittedInTurn(t *testing.T) {
	e := newExecutor(t, Options{MaxWorkers: 1})
	var first atomic.Bool
	no := errors.New("no")
	admit := func() error {
		if !first.Load() {
			t.Error("asked before its turn")
		}
		return no
	}
	started, held := make(chan struct{}), make(gate)
	var all sync.WaitGroup
	all.Go(func() {
		r := code("import sys; sys.stdin.read()")
		r.Stdin, r.watch = held, func(tree) { close(started) }
		execute(t, e, r)
	})
	<-started
	all.Go(func() {
		r := code("print(1)")
		r.Admit = admit
		if res, err := e.Execute(t.Context(), r); res != nil || !errors.Is(err, no) {
			t.Errorf("%+v, %v", res, err)
		}
	})
	all.Go(func() {
		v := Validation{Sources: func(yield func(Source) bool) { yield(Source{Code: []byte("1")}) }, Admit: admit}
		if report, err := e.Validate(t.Context(), v); report != nil || !errors.Is(err, no) {
			t.Errorf("%+v, %v", report, err)
		}
	})
	for e.Load().Waiting < 2 {
		time.Sleep(time.Millisecond)
	}
	first.Store(true)
	close(held)
	all.Wait()
}
