//go:build amd64 || arm64

package sandbox

import (
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
	mounts        []string
	code          []byte
}

// machine finds each fact once, when it is asked for or when begin said so.
type machine struct {
	host     func() (host, error)
	groups   func() (*cgroup.Hierarchy, error) // nil when there is none to be had
	loopback func() ([]byte, error)            // the filter of the common network

	found atomic.Bool    // groups was asked
	swept sync.WaitGroup // the sweep that groups began
	net   chan *os.File  // nil, or will hold one network namespace for a first run
}

func (m *machine) init() {
	m.host = sync.OnceValues(lookAround)
	m.loopback = sync.OnceValues(func() ([]byte, error) { return callFilter(NetworkLoopback) })
	m.groups = sync.OnceValues(func() (*cgroup.Hierarchy, error) {
		m.found.Store(true)
		h, err := findCgroups()
		if h != nil {
			m.swept.Go(func() { h.Sweep() })
		}
		return h, err
	})
}

// begin does in the background what would otherwise be waited for.
func (m *machine) begin() {
	m.net = make(chan *os.File, 1)
	go func() {
		h, err := m.host()
		if err != nil || h.userns { // there it belongs to a user namespace that does not exist yet
			m.net <- nil
		} else {
			go func() { m.net <- newNetwork() }()
		}
		_, _ = m.groups() // both are asked again, and their errors told, by a start
		_, _ = m.loopback()
	}()
}

func (m *machine) filter(n Network) ([]byte, error) {
	if n == NetworkLoopback {
		return m.loopback()
	}
	return callFilter(n)
}

// network is the namespace made ahead, once; nil means that the clone makes one.
func (m *machine) network() *os.File {
	if m.net == nil {
		return nil
	}
	f := <-m.net
	m.net <- nil
	return f
}

func (m *machine) close() error {
	if f := m.network(); f != nil {
		f.Close()
	}
	if !m.found.Load() {
		return nil
	}
	h, _ := m.groups()
	m.swept.Wait()
	if h != nil {
		return h.Close()
	}
	return nil
}

// newNetwork makes a network namespace with nothing in it but lo, down, and
// returns a descriptor of it, or nil. Making one is the dearest of all
// namespaces, so it is worth doing beside other work.
func newNetwork() *os.File {
	runtime.LockOSThread() // not unlocked below: a thread that has been elsewhere is not used again
	if unix.Gettid() == unix.Getpid() {
		// The first thread never ends and stands for the process in /proc: hold it
		// back until another has done it.
		defer runtime.UnlockOSThread()
		made := make(chan *os.File)
		go func() { made <- newNetwork() }()
		return <-made
	}
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		return nil
	}
	f, err := os.OpenFile("/proc/thread-self/ns/net", os.O_RDONLY, 0)
	if err != nil {
		return nil
	}
	return f
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

// callFilter compiles the system call filter for a network.
func callFilter(n Network) ([]byte, error) {
	code, err := seccomp.Compile(seccomp.Policy(string(n)), arch)
	if err != nil {
		return nil, err
	}
	return seccomp.Bytes(code), nil
}
