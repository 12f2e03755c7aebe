package serve

// How much one caller may ask for: so many tool calls a minute, so many at once.

import (
	"math"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// maxCallers is how many are remembered before those are forgotten who have
// nothing open and could call at full rate again.
const maxCallers = 4096

type callers struct {
	perMinute, atOnce int // 0: no limit

	mu    sync.Mutex
	known map[string]*callerState
}

type callerState struct {
	bucket *rate.Limiter // nil: no limit
	open   int
}

func newCallers(perMinute, atOnce int) *callers {
	return &callers{perMinute: perMinute, atOnce: atOnce, known: map[string]*callerState{}}
}

// enter lets calls in, or says in how many seconds they might be: 0 is never, for
// they are more than anybody may have. Who entered must leave.
func (c *callers) enter(caller string, calls int, now time.Time) (leave func(), retry int, reason string) {
	if calls == 0 || c.perMinute == 0 && c.atOnce == 0 {
		return func() {}, 0, ""
	}
	switch {
	case c.atOnce > 0 && calls > c.atOnce:
		return nil, 0, ReasonConcurrency
	case c.perMinute > 0 && calls > c.perMinute:
		return nil, 0, ReasonRate
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.known[caller]
	if s == nil {
		c.forget(now)
		s = &callerState{}
		if c.perMinute > 0 {
			s.bucket = rate.NewLimiter(rate.Limit(float64(c.perMinute)/60), c.perMinute)
		}
		c.known[caller] = s
	}
	if c.atOnce > 0 && s.open+calls > c.atOnce {
		return nil, 1, ReasonConcurrency
	}
	if s.bucket != nil && !s.bucket.AllowN(now, calls) {
		missing := float64(calls) - s.bucket.TokensAt(now)
		return nil, int(math.Ceil(max(1, missing/float64(s.bucket.Limit())))), ReasonRate
	}
	s.open += calls
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		s.open -= calls
	}, 0, ""
}

// forget makes room, when there are many.
func (c *callers) forget(now time.Time) {
	if len(c.known) < maxCallers {
		return
	}
	for name, s := range c.known {
		if s.open == 0 && (s.bucket == nil || s.bucket.TokensAt(now) >= float64(c.perMinute)) {
			delete(c.known, name)
		}
	}
}

// limitCaller refuses what is too much, before anything is started for it.
func (g *gate) limitCaller(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m, caller := messageOf(r.Context()), CallerOf(r.Context())
		counted := m.calls
		if g.sessions {
			counted += m.sessions
		}
		leave, retry, reason := g.callers.enter(caller, counted, time.Now())
		switch {
		case reason != "" && retry == 0:
			g.refuse(w, r, refusal{status: http.StatusRequestEntityTooLarge, reason: reason, text: "more calls in one batch than a caller may have: send fewer"})
			return
		case reason == ReasonRate:
			g.refuse(w, r, refusal{status: http.StatusTooManyRequests, reason: reason, text: "too many calls in a minute", retry: retry})
			return
		case reason == ReasonConcurrency:
			g.refuse(w, r, refusal{status: http.StatusTooManyRequests, reason: reason, text: "too many calls of yours are going on", retry: retry})
			return
		}
		defer leave()
		if m.calls > 0 && g.queue != nil {
			if err := g.queue.Busy(caller); err != nil {
				g.refuse(w, r, busy(err))
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}
