package serve

// A sign of life while a run lasts: at once, and then every few seconds, so that
// a client that would give up after a minute does not.

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

// beatEvery is the time between two signs of life.
const beatEvery = 5 * time.Second

// heart sends progress; without a token it does nothing.
type heart struct {
	ctx   context.Context
	req   *mcp.CallToolRequest
	began time.Time
	wall  time.Duration
	end   chan struct{}
	ended sync.WaitGroup

	mu   sync.Mutex
	what string  // a slow preparation that goes on
	last float64 // progress must rise
}

func (s *Server) heartbeat(ctx context.Context, req *mcp.CallToolRequest, wall time.Duration) *heart {
	h := &heart{ctx: ctx, req: req, began: time.Now(), wall: wall}
	if req.Params.GetProgressToken() == nil {
		return h
	}
	h.end = make(chan struct{})
	h.beat()
	h.ended.Go(func() {
		t := time.NewTicker(beatEvery)
		defer t.Stop()
		for {
			select {
			case <-t.C:
				h.beat()
			case <-h.end:
				return
			case <-ctx.Done():
				return
			}
		}
	})
	return h
}

// stop returns when nothing more is sent: progress after an answer is an error.
func (h *heart) stop() {
	if h.end != nil {
		close(h.end)
		h.ended.Wait()
	}
}

// preparing hears of what takes long before a run.
func (h *heart) preparing(p exec.Progress) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.what = p.What
}

func (h *heart) beat() {
	h.mu.Lock()
	defer h.mu.Unlock()
	elapsed := time.Since(h.began)
	p := &mcp.ProgressNotificationParams{ProgressToken: h.req.Params.GetProgressToken(), Progress: max(elapsed.Seconds(), h.last)}
	switch {
	case h.last == 0:
		p.Message = "started"
	case h.what != "":
		p.Message = h.what
	default:
		p.Message = fmt.Sprintf("%d s", int(elapsed.Seconds()))
	}
	h.last = p.Progress + 1e-6
	if total := h.wall.Seconds(); p.Progress <= total { // the queue may take longer
		p.Total = total
	}
	_ = h.req.Session.NotifyProgress(h.ctx, p) // who does not hear it gets the answer
}
