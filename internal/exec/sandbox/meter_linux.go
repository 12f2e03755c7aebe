//go:build amd64 || arm64

package sandbox

import (
	"os"
	"syscall"
)

// meter holds and counts what a tree uses, as well as this machine can.
type meter interface {
	mode() string               // what Posture.Memory says
	attrs(*syscall.SysProcAttr) // the clone joins the cgroup,
	doors() ([]*os.File, error) // or pid 1 writes itself into it before it does anything
	watch(*running)             // begins with the program
	stop()                      // ends when pid 1 is gone
	settle(*Exit)               // puts usage and the kernel's kills into the exit
	close() error
}

// meter makes the meter of one run. It takes about as long as the rest of the
// preparation, so it is begun first and waited for last.
func (n *native) meter(l Limits) func() (meter, error) {
	type made struct {
		m   meter
		err error
	}
	c := make(chan made, 1)
	go func() {
		h, err := n.machine.groups()
		if err != nil {
			c <- made{err: err}
			return
		}
		m, err := newMeter(h, l)
		c <- made{m, err}
	}()
	return func() (meter, error) {
		m := <-c
		return m.m, m.err
	}
}
