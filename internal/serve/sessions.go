package serve

// Sessions, where they are switched on: each keeps memory here after its request
// is answered, so that there are only so many.

import (
	"net/http"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	maxSessions = 1024         // in all
	oneSessions = 256          // of one caller
	sessionRoom = 60           // seconds after which there may be room for one more
	maxInitial  = 16 << 10     // bytes of a message that opens a session: they are kept
	opening     = "initialize" // its method
)

// sessions knows whose they are.
type sessions struct {
	sdk       *mcp.Server
	all, each int
	next      http.Handler
	op        *operation

	mu      sync.Mutex
	callers map[string]string // by the session's id
	asked   map[string]int    // being opened now, by caller
}

func newSessions(s *Server, next http.Handler) *sessions {
	return &sessions{
		sdk: s.sdk, all: maxSessions, each: oneSessions, next: next, op: s.op,
		callers: map[string]string{}, asked: map[string]int{},
	}
}

// ServeHTTP refuses a session too many; only a message without one opens one.
func (s *sessions) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || r.Header.Get(sessionHeader) != "" {
		s.next.ServeHTTP(w, r)
		return
	}
	caller := CallerOf(r.Context())
	defer s.count(caller, -1)
	switch own, all := s.count(caller, 1); {
	case own > s.each:
		s.op.refuse(w, r, refusal{status: http.StatusTooManyRequests, reason: ReasonSessions, text: "too many sessions of yours are open: end one with DELETE", retry: sessionRoom})
	case all > s.all:
		s.op.refuse(w, r, refusal{status: http.StatusServiceUnavailable, reason: ReasonSessions, text: "busy: too many sessions are open", retry: sessionRoom})
	default:
		s.next.ServeHTTP(w, r)
		s.keep(w.Header().Get(sessionHeader), caller)
	}
}

// count adds to those that are being opened, and tells how many the caller has
// and how many there are.
func (s *sessions) count(caller string, more int) (own, all int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked[caller] += more; s.asked[caller] == 0 {
		delete(s.asked, caller)
	}
	if more < 0 {
		return 0, 0
	}
	alive := map[string]bool{}
	for one := range s.sdk.Sessions() {
		alive[one.ID()] = true
	}
	for id, c := range s.callers {
		switch {
		case !alive[id]:
			delete(s.callers, id)
		case c == caller:
			own++
		}
	}
	all = len(s.callers)
	for _, n := range s.asked {
		all += n
	}
	return own + s.asked[caller], all
}

// keep notes whose a session is; one that was not opened is forgotten with the next count.
func (s *sessions) keep(id, caller string) {
	if id == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.callers[id] = caller
}
