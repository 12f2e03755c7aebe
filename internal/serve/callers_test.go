package serve

import (
	"fmt"
	"testing"
	"time"
)

func TestCallers(t *testing.T) {
	now := time.Now()
	c := newCallers(6, 2)
	in := func(caller string, calls int) (func(), string) {
		leave, retry, reason := c.enter(caller, calls, now)
		if reason == "" {
			return leave, "in"
		}
		return leave, fmt.Sprintf("%s, in %d s", reason, retry)
	}
	expect := func(what, got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
	}
	one, got := in("ada", 1)
	expect("the first", got, "in")
	two, got := in("ada", 1)
	expect("the second", got, "in")
	_, got = in("ada", 1)
	expect("a third at once", got, "concurrency, in 1 s")
	_, got = in("ada", 0)
	expect("what is no call", got, "in")
	other, got := in("bob", 2)
	expect("another caller, two in one", got, "in")
	other()
	one()
	_, got = in("ada", 2)
	expect("two in one, where one may", got, "concurrency, in 1 s")
	two()
	for range 4 {
		leave, got := in("ada", 1)
		expect("one after the other", got, "in")
		leave()
	}
	_, got = in("ada", 1)
	expect("the seventh in a minute", got, "rate, in 10 s")
	_, got = in("ada", 2)
	expect("two more", got, "rate, in 20 s")
	now = now.Add(10 * time.Second)
	leave, got := in("ada", 1)
	expect("ten seconds later", got, "in")
	leave()

	_, got = in("eve", 3)
	expect("three in one, where two may ever", got, "concurrency, in 0 s")
	_, _, reason := newCallers(6, 0).enter("eve", 7, now)
	expect("seven in one, where six may in a minute", reason, ReasonRate)

	free := newCallers(0, 0)
	for range 100 {
		if _, _, reason := free.enter("ada", 1, now); reason != "" || len(free.known) != 0 {
			t.Fatal("no limit is one")
		}
	}
}

// Callers who come once are forgotten; who has spent something is not.
func TestCallersAreForgotten(t *testing.T) {
	now := time.Now()
	c := newCallers(1, 0)
	for i := range maxCallers {
		leave, _, _ := c.enter(fmt.Sprint(i), 1, now)
		leave()
	}
	later := now.Add(61 * time.Second)
	if _, _, reason := c.enter("0", 1, later); reason != "" {
		t.Fatal(reason)
	}
	c.enter("new", 1, later)
	if len(c.known) != 2 {
		t.Errorf("%d are remembered, want 2", len(c.known))
	}
	if _, _, reason := c.enter("0", 1, later); reason != ReasonRate {
		t.Errorf("who has spent something was forgotten: %q", reason)
	}
}
