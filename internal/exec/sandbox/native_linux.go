//go:build amd64 || arm64

package sandbox

import (
	"context"
	"errors"
	"runtime"
	"sync"
)

// native starts runs behind all walls.
type native struct {
	fault   string
	machine *Machine

	// Children die with the thread that started them, not with the process
	// (PR_SET_PDEATHSIG), so one thread that lives as long as the launcher
	// starts them all.
	thread chan func()
	closed sync.Once
}

func newNative(o Options) (launcher, error) {
	n := &native{fault: o.Fault, machine: o.Machine, thread: make(chan func())}
	if n.machine == nil {
		n.machine = &Machine{}
		n.machine.init()
	}
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		for f := range n.thread {
			f()
		}
	}()
	return n, nil
}

func (n *native) place() (Place, error) { return Place{}, nil }

func (n *native) close() (err error) {
	n.closed.Do(func() {
		close(n.thread)
		err = n.machine.Close()
	})
	return err
}

// start composes the list, starts the player on it and waits until the program
// runs behind its walls, or says which step failed.
func (n *native) start(ctx context.Context, _ Place, pol Policy, std Stdio) (process, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	metering := n.meter(pol.Limits)
	h, s, err := n.site(pol)
	if s.net != nil {
		defer s.net.Close()
	}
	r := &running{id: s.id, limits: pol.Limits, exited: make(chan struct{}), started: make(chan struct{})}
	var fail error
	if r.meter, fail = metering(); fail != nil || err != nil {
		return nil, errors.Join(err, fail, r.release())
	}
	doors, err := r.meter.doors()
	if err != nil {
		return nil, errors.Join(&Error{Step: "join the cgroup", Err: err}, r.release())
	}
	defer closeAll(doors)
	s.doors = len(doors)
	r.p = newProgram(n.fault)
	compose(r.p, pol, s)
	if err := n.spawn(r, h, s, std, doors); err != nil {
		return nil, errors.Join(err, r.release())
	}
	if err := r.settle(ctx); err != nil {
		return nil, errors.Join(err, r.release())
	}
	r.stand = standing(pol.Network, s, r)
	return r, nil
}

// site finds the facts of one run.
func (n *native) site(pol Policy) (h host, s site, err error) {
	if h, err = n.machine.host(); err != nil {
		return h, s, err
	}
	s = site{lastCap: h.lastCap, landlock: h.landlock}
	if s.binds, err = inspect(pol.Binds, h.mounts); err != nil {
		return h, s, err
	}
	if s.anchor, err = findAnchor(s.binds); err != nil {
		return h, s, err
	}
	if s.filter, err = n.machine.filter(pol.Network); err != nil {
		return h, s, &Error{Step: "filter calls (seccomp)", Err: err}
	}
	if s.id, err = newIdentity(h.userns, h.ownID); err == nil && !s.id.userns {
		s.net = n.machine.network()
	}
	return h, s, err
}
