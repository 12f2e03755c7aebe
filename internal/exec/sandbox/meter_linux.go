//go:build amd64 || arm64

package sandbox

import (
	"sync"
	"syscall"

	"github.com/pyrun-dev/pyrun/internal/exec/sandbox/cgroup"
)

// meter holds and counts what a tree uses, as well as this machine can.
type meter interface {
	mode() string                     // what Posture.Memory says
	attrs(*syscall.SysProcAttr) error // the clone joins the cgroup,
	join(pid int) error               // or pid 1 is put into it before it does anything
	watch(*running)                   // begins with the program
	stop()                            // ends when pid 1 is gone
	settle(*Exit)                     // puts usage and the kernel's kills into the exit
	close() error
}

// coming is a meter that is being made while the run is prepared.
type coming struct {
	known chan struct{} // closed when kind is
	kind  cgroup.Mode   // empty when memory will be sampled
	made  sync.WaitGroup
	m     meter
	err   error
}

// meter begins to make the meter of one run.
func (n *native) meter(l Limits) meter {
	c := &coming{known: make(chan struct{})}
	c.made.Go(func() {
		h, err := n.groups()
		if h != nil {
			c.kind = h.Mode()
		}
		close(c.known)
		if err != nil {
			c.err = err
			return
		}
		c.m, c.err = newMeter(h, l)
	})
	return c
}

func (c *coming) mode() string { return c.m.mode() }

func (c *coming) attrs(a *syscall.SysProcAttr) error {
	if <-c.known; c.kind != cgroup.V2 {
		return nil // pid 1 can be cloned while the group is made
	}
	if c.made.Wait(); c.err != nil {
		return c.err
	}
	return c.m.attrs(a)
}

func (c *coming) join(pid int) error {
	if c.made.Wait(); c.err != nil {
		return c.err
	}
	return c.m.join(pid)
}

func (c *coming) watch(r *running) { c.m.watch(r) }

func (c *coming) stop() {
	if c.made.Wait(); c.m != nil {
		c.m.stop()
	}
}

func (c *coming) settle(e *Exit) {
	if c.m != nil {
		c.m.settle(e)
	}
}

func (c *coming) close() error {
	if c.made.Wait(); c.m == nil {
		return nil
	}
	return c.m.close()
}
