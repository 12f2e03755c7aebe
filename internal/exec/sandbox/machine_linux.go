//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"os"
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/pyrun-dev/pyrun/internal/exec/sandbox/cgroup"
	"github.com/pyrun-dev/pyrun/internal/exec/sandbox/seccomp"
)

// host is what does not change while a launcher lives.
type host struct {
	userns, ownID bool
	landlock      int
	lastCap       int
	code          []byte
	guard         []byte // the filter of pid 1
	bounds        bounds
}

// machine finds each fact once, when it is asked for or when begin said so.
type machine struct {
	fault    string // of Options, for the opening
	host     func() (host, error)
	table    func() ([]byte, error)            // the text of /proc/self/mountinfo
	mounts   func() ([]string, error)          // where something is mounted, by it
	groups   func() (*cgroup.Hierarchy, error) // nil when there is none to be had
	loopback func() ([]byte, error)            // the filter of the common network

	// Children die with the thread that started them, not with the process
	// (PR_SET_PDEATHSIG), so one thread that lives as long as this starts them all.
	thread chan func()

	ahead atomic.Pointer[opened] // nil, or pid 1 of a first run

	found   atomic.Bool // groups was asked
	tidy    sync.Once
	tidying sync.WaitGroup
	closed  sync.Once
}

func (m *machine) init(fault string) {
	m.fault = fault
	m.host = sync.OnceValues(lookAround)
	m.table = sync.OnceValues(hostMounts)
	m.mounts = sync.OnceValues(func() ([]string, error) {
		table, err := m.table()
		return mountPoints(table), err
	})
	m.loopback = sync.OnceValues(func() ([]byte, error) { return callFilter(NetworkLoopback) })
	m.groups = sync.OnceValues(func() (*cgroup.Hierarchy, error) {
		m.found.Store(true)
		table, err := m.table()
		if err != nil {
			return nil, err
		}
		return findCgroups(table)
	})
	m.thread = make(chan func())
}

// begin starts the thread, which opens a pid 1 before it serves others if ahead says so.
func (m *machine) begin(ahead bool) {
	var o *opened
	if ahead {
		o = newOpened(nil)
		m.ahead.Store(o)
	}
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		if o != nil {
			m.open(o, func(f func()) { f() })
			_, _ = m.loopback() // asked again, and its error told, by a start
		}
		for f := range m.thread {
			f()
		}
	}()
}

// onThread has f done by the one thread and waits for it.
func (m *machine) onThread(f func()) {
	done := make(chan struct{})
	m.thread <- func() {
		defer close(done)
		f()
	}
	<-done
}

// sweep clears, once and in the background, what runs of dead processes left
// in the cgroups. It has time while a first script runs.
func (m *machine) sweep() {
	m.tidy.Do(func() {
		if h, _ := m.groups(); h != nil {
			m.tidying.Go(func() { h.Sweep() })
		}
	})
}

func (m *machine) filter(n Network) ([]byte, error) {
	if n == NetworkLoopback {
		return m.loopback()
	}
	return callFilter(n)
}

func (m *machine) close() (err error) {
	m.closed.Do(func() {
		if o := m.ahead.Swap(nil); o != nil {
			err = o.discard()
		}
		close(m.thread)
		if !m.found.Load() {
			return
		}
		h, _ := m.groups()
		m.tidying.Wait()
		if h != nil {
			err = errors.Join(err, h.Close())
		}
	})
	return err
}

// dividedFilter compiles the filter of a zygote, and what its copies enter besides.
func dividedFilter(n Network) (wide, narrow []byte, err error) {
	first, second := seccomp.Divide(seccomp.Policy(string(n)), copyCalls)
	a, err := seccomp.Compile(first, arch)
	if err != nil {
		return nil, nil, err
	}
	b, err := seccomp.CompileOver(second, arch)
	if err != nil {
		return nil, nil, err
	}
	return seccomp.Bytes(a), seccomp.Bytes(b), nil
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
	h.bounds = ownBounds()
	if h.code, err = playerCode(); err != nil {
		return h, err
	}
	if h.guard, err = compile(seccomp.Init()); err != nil {
		return h, &Error{Step: "wall in pid 1", Err: err}
	}
	return h, nil
}

func hostMounts() ([]byte, error) {
	mountinfo, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, &Error{Step: "read the mounts", Err: err, Why: "pyrun needs /proc on the host"}
	}
	return mountinfo, nil
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

// callFilter compiles the system call filter for a network.
func callFilter(n Network) ([]byte, error) { return compile(seccomp.Policy(string(n))) }

func compile(rules []seccomp.Rule) ([]byte, error) {
	code, err := seccomp.Compile(rules, arch)
	if err != nil {
		return nil, err
	}
	return seccomp.Bytes(code), nil
}
