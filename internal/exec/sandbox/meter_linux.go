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

	// or, where it cannot, pid 1 writes itself into it before it does anything.
	doors(cloned bool) ([]*os.File, error)

	// limit sets the bounds of a run that has not begun yet and returns the meter
	// that holds them.
	limit(Limits) (meter, error)
	ahead()         // makes what is read at the end quick to read, while nobody waits
	watch(*running) // begins with the program
	stop()          // ends when pid 1 is gone
	processes() int // and threads, at present; 0 when nobody counts
	settle(*Exit)   // puts usage and the kernel's kills into the exit
	close() error
}

// limit sets the bounds in the background.
func limit(m meter, l Limits) func() (meter, error) {
	type made struct {
		m   meter
		err error
	}
	c := make(chan made, 1)
	go func() {
		held, err := m.limit(l)
		c <- made{held, err}
	}()
	return func() (meter, error) {
		got := <-c
		return got.m, got.err
	}
}
