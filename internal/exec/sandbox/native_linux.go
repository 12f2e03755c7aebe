//go:build amd64 || arm64

package sandbox

import (
	"context"
	"errors"
	"os"
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/pyrun-dev/pyrun/internal/exec/sandbox/cgroup"
	"github.com/pyrun-dev/pyrun/internal/exec/sandbox/seccomp"
)

// native starts runs behind all walls.
type native struct {
	fault string
	host  func() (host, error) // facts of the machine, found once

	// Children die with the thread that started them, not with the process
	// (PR_SET_PDEATHSIG), so one thread that lives as long as the launcher
	// starts them all.
	thread chan func()
	closed sync.Once
	groups func() (*cgroup.Hierarchy, error) // nil when there is none to be had; looked for once
	found  atomic.Bool                       // groups was asked
	sweep  sync.WaitGroup
}

// host is what does not change while a launcher lives.
type host struct {
	userns, ownID bool
	landlock      int
	lastCap       int
	anchor        string
	mounts        []string
	code          []byte
}

func newNative(o Options) (launcher, error) {
	n := &native{fault: o.Fault, host: sync.OnceValues(lookAround), thread: make(chan func())}
	n.groups = sync.OnceValues(func() (*cgroup.Hierarchy, error) {
		n.found.Store(true)
		h, err := findCgroups()
		if h != nil {
			n.sweep.Go(func() { h.Sweep() })
		}
		return h, err
	})
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
		if !n.found.Load() {
			return
		}
		n.sweep.Wait()
		if h, _ := n.groups(); h != nil {
			err = h.Close()
		}
	})
	return err
}

// lookAround finds the facts a site needs. Nothing is taken for granted later:
// each step of the list still has to succeed.
func lookAround() (h host, err error) {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var caps [2]unix.CapUserData
	if err := unix.Capget(&header, &caps[0]); err != nil {
		return h, &Error{Step: "read own capabilities", Err: err}
	}
	effective := uint64(caps[0].Effective) | uint64(caps[1].Effective)<<32
	if h.userns, h.ownID, err = chooseIdentity(os.Geteuid(), effective); err != nil {
		return h, err
	}
	for h.lastCap = 63; h.lastCap > 0; h.lastCap-- {
		if _, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, uintptr(h.lastCap), 0, 0, 0); err == nil {
			break
		}
	}
	if h.landlock, err = landlockABI(); err != nil {
		return h, err
	}
	if h.anchor, err = findAnchor(); err != nil {
		return h, err
	}
	if h.code, err = playerCode(); err != nil {
		return h, err
	}
	mountinfo, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return h, &Error{Step: "read the mounts", Err: err, Why: "pyrun needs /proc on the host"}
	}
	h.mounts = mountPoints(mountinfo)
	return h, nil
}

// landlockABI asks the kernel which version of Landlock it has.
func landlockABI() (int, error) {
	const version = 1 << 0
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, version)
	if errno != 0 {
		return 0, &Error{
			Step: "make file rules (Landlock)", Err: errno,
			Why:    "the kernel has no Landlock, or it is switched off",
			Remedy: "a kernel 5.13 or newer with landlock in the lsm= list of its command line",
		}
	}
	return int(abi), nil
}

// start composes the list, starts the player on it and waits until the program
// runs behind its walls, or says which step failed.
func (n *native) start(ctx context.Context, _ Place, pol Policy, std Stdio) (process, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r := &running{limits: pol.Limits, exited: make(chan struct{}), started: make(chan struct{})}
	r.meter = n.meter(pol.Limits) // takes as long as all the rest: it goes on beside it
	h, s, err := n.site(pol)
	r.id = s.id
	if err != nil {
		return nil, errors.Join(err, r.release())
	}
	r.p = newProgram(n.fault)
	compose(r.p, pol, s)
	if err := n.spawn(r, h, s, std); err != nil {
		return nil, errors.Join(err, r.release())
	}
	if err := r.settle(ctx); err != nil {
		return nil, errors.Join(err, r.release())
	}
	r.stand = standing(pol.Network, s, r.meter)
	return r, nil
}

// site finds the facts of one run.
func (n *native) site(pol Policy) (h host, s site, err error) {
	if h, err = n.host(); err != nil {
		return h, s, err
	}
	s = site{anchor: h.anchor, lastCap: h.lastCap, landlock: h.landlock}
	if s.binds, err = inspect(pol.Binds, h.mounts); err != nil {
		return h, s, err
	}
	if s.filter, err = callFilter(pol.Network); err != nil {
		return h, s, &Error{Step: "filter calls (seccomp)", Err: err}
	}
	s.id, err = newIdentity(h.userns, h.ownID)
	return h, s, err
}

// callFilter compiles the system call filter for a network.
func callFilter(n Network) ([]byte, error) {
	code, err := seccomp.Compile(seccomp.Policy(string(n)), arch)
	if err != nil {
		return nil, err
	}
	return seccomp.Bytes(code), nil
}
