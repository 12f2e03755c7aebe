package exec

// One output stream of a running script: read, kept, counted, shown live.

import (
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// drainTime bounds what is still read after the tree is dead. Nothing alive
// holds the other end then, so this only ever ends a wait where there is no wall.
const drainTime = 250 * time.Millisecond

// pump moves one stream. mu guards what a reader of the Result looks at, for a
// live writer may still block when the run is over.
type pump struct {
	name  string
	from  *os.File
	live  io.Writer
	total *atomic.Int64 // of both streams
	most  int64
	stop  func(error) // called once at most: nil when most is passed, else the live writer's error
	dead  atomic.Bool
	done  chan struct{}

	mu     sync.Mutex
	kept   *keeper
	sealed bool
	failed error // of the live writer
}

func newPump(name string, from *os.File, live io.Writer, keep int64) *pump {
	return &pump{name: name, from: from, live: live, kept: newKeeper(keep), done: make(chan struct{})}
}

// run reads to the end. It goes on reading whatever happens to the live
// writer, so that the script never waits on a full pipe for nothing.
func (p *pump) run() {
	defer close(p.done)
	buf := make([]byte, 64<<10)
	left := drainTime
	for {
		began, dead := time.Now(), p.dead.Load()
		if dead {
			if left <= 0 {
				return
			}
			_ = p.from.SetReadDeadline(began.Add(left))
		}
		n, err := p.from.Read(buf)
		if dead {
			left -= time.Since(began)
		}
		if n > 0 && !p.take(buf[:n]) {
			return
		}
		if err != nil {
			return
		}
	}
}

// take keeps and shows what was read; false when nobody waits for it any more.
func (p *pump) take(b []byte) bool {
	p.mu.Lock()
	if p.sealed {
		p.mu.Unlock()
		return false
	}
	p.kept.add(b)
	live := p.live
	if p.failed != nil {
		live = nil
	}
	p.mu.Unlock()
	over := p.total.Add(int64(len(b))) > p.most
	if live != nil {
		if _, err := live.Write(b); err != nil {
			p.mu.Lock()
			p.failed = err
			p.mu.Unlock()
			p.stop(err)
		}
	}
	if over {
		p.stop(nil)
	}
	return true
}

// finish is called when the tree is dead: it waits until the rest was read and
// shown, or quit is closed. Afterwards the pump changes nothing any more.
func (p *pump) finish(quit <-chan struct{}) {
	p.dead.Store(true)
	_ = p.from.SetReadDeadline(time.Now().Add(drainTime))
	select {
	case <-p.done:
	case <-quit:
		select {
		case <-p.done:
		case <-time.After(drainTime):
		}
	}
	p.mu.Lock()
	p.sealed = true
	p.mu.Unlock()
	_ = p.from.Close()
}
