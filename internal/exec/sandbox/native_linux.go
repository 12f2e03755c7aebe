//go:build amd64 || arm64

package sandbox

import (
	"context"
	"errors"
)

// native starts runs behind all walls.
type native struct {
	fault     string
	copyFault string // likewise, for the lists of a zygote's copies
	machine   *Machine
}

func newNative(o Options) (launcher, error) {
	n := &native{fault: o.Fault, machine: o.Machine}
	if n.machine == nil {
		n.machine = &Machine{}
		n.machine.init(o.Fault)
		n.machine.begin(false)
	}
	return n, nil
}

func (n *native) place() (Place, error) { return Place{}, nil }

func (n *native) copies() error { return nil }

func (n *native) close() error { return n.machine.Close() }

// start takes a pid 1 that has played the opening, composes the rest of its
// list, hands it over and waits until the program runs behind its walls, or
// says which step failed.
func (n *native) start(ctx context.Context, _ Place, pol Policy, std Stdio) (process, error) {
	r, _, err := n.begin(ctx, pol, std, false)
	if err != nil {
		return nil, err // not r: a nil pointer in an interface is not nil
	}
	return r, nil
}

// begin is start, of a script or of a zygote.
func (n *native) begin(ctx context.Context, pol Policy, std Stdio, copies bool) (*running, site, error) {
	var rest site
	fail := func(err error) (*running, site, error) { return nil, rest, err }
	if err := ctx.Err(); err != nil {
		return fail(err)
	}
	rest, err := n.site(pol, copies)
	if err != nil {
		return fail(err)
	}
	o, err := n.take(rest.binds, copies, pol.Foreign)
	if err != nil {
		return fail(err)
	}
	r := o.r
	limited := limit(r.meter, pol.Limits) // takes about as long as composing
	r.limits, r.rest = pol.Limits, r.opening.rest(n.fault)
	rest.id, rest.devices, rest.sysctl = o.s.id, o.s.devices, o.s.sysctl
	if copies {
		composeZygote(r.rest, pol, rest)
	} else {
		compose(r.rest, pol, rest)
	}
	list, err := r.rest.sheet()
	if err != nil {
		err = &Error{Step: "write the list of pid 1", Err: err}
	} else {
		defer list.Close()
	}
	held, lerr := limited()
	<-o.done
	if o.err != nil {
		return fail(o.err)
	}
	if err = errors.Join(err, lerr); err == nil {
		r.meter = held
		err = r.hand(list, std)
	}
	if err != nil {
		return fail(errors.Join(err, o.discard()))
	}
	if err := r.settle(ctx); err != nil {
		return fail(errors.Join(err, r.release()))
	}
	n.machine.sweep()
	r.stand = standing(pol.Network, rest, r)
	return r, rest, nil
}

// site finds the facts of one run that its policy decides.
func (n *native) site(pol Policy, copies bool) (s site, err error) {
	h, err := n.machine.host()
	if err != nil {
		return s, err
	}
	s.lastCap, s.landlock, s.guard, s.bounds = h.lastCap, h.landlock, h.guard, h.bounds
	mounts, err := n.machine.mounts()
	if err != nil {
		return s, err
	}
	if s.binds, err = inspect(pol.Binds, mounts); err != nil {
		return s, err
	}
	if s.filter, err = n.machine.filter(pol.Network); err != nil {
		return s, &Error{Step: "filter calls (seccomp)", Err: err}
	}
	if copies {
		s.copies = true
		s.wide, s.narrow, err = dividedFilter(pol.Network)
	}
	return s, err
}

// take returns a waiting pid 1 that can show these binds: the one that was
// opened ahead, or a new one.
func (n *native) take(binds []source, copies, foreign bool) (*opened, error) {
	var o *opened
	if !copies {
		o = n.machine.ahead.Swap(nil)
	}
	if o != nil {
		if <-o.known; covers(o.s.anchor, binds) {
			if err := o.discard(); err != nil {
				return nil, err
			}
			o = nil
		}
	}
	if o == nil {
		o = newOpened(binds)
		o.s.copies, o.s.alien = copies, copies && foreign
		go n.machine.open(o, n.machine.onThread)
	}
	<-o.known
	if o.r.opening == nil {
		<-o.done
		return nil, o.err
	}
	return o, nil
}
