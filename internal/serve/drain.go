package serve

// The end: what was accepted is finished, what comes then is refused.

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

// drain counts what is being answered, until it is told to stop.
type drain struct {
	mu       sync.Mutex
	open     int
	stopping bool
	empty    chan struct{} // made by stop, closed when nothing is open
}

func (d *drain) enter() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stopping {
		return false
	}
	d.open++
	return true
}

func (d *drain) leave() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.open--; d.stopping && d.open == 0 {
		close(d.empty)
	}
}

// stop refuses what is new, and gives what is closed when all else is done.
func (d *drain) stop() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.stopping {
		d.stopping, d.empty = true, make(chan struct{})
		if d.open == 0 {
			close(d.empty)
		}
	}
	return d.empty
}

func (d *drain) stopped() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.stopping
}

// holdOn keeps the server up while a message is answered. A stream that only
// listens (GET) is not waited for.
func (g *gate) holdOn(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			if !g.drain.enter() {
				w.Header().Set("Connection", "close")
				g.refuse(w, r, refusal{status: http.StatusServiceUnavailable, reason: ReasonDraining, text: "this server is stopping", retry: 1})
				return
			}
			defer g.drain.leave()
		}
		next.ServeHTTP(w, r)
	})
}

// busy is the answer to one who finds the queue full.
func busy(err error) refusal {
	f := refusal{status: http.StatusServiceUnavailable, reason: ReasonBusy, text: err.Error(), retry: 1}
	if b := (*exec.BusyError)(nil); errors.As(err, &b) {
		f.retry = int(b.RetryAfter / time.Second)
	}
	return f
}

// waitFor waits for done, at most so long, and says whether it came.
func waitFor(done <-chan struct{}, most time.Duration) bool {
	ctx, cancel := context.WithTimeout(context.Background(), most)
	defer cancel()
	select {
	case <-done:
		return true
	case <-ctx.Done():
		return false
	}
}
