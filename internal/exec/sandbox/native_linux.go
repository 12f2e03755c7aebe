//go:build amd64 || arm64

package sandbox

import (
	"context"
	"errors"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"

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

// spawn starts the player as pid 1 of new namespaces.
func (n *native) spawn(r *running, h host, s site, std Stdio) error {
	image, err := seal(r.p.image(h.code, machine))
	if err != nil {
		return &Error{Step: "write the image of pid 1", Err: err, Why: "memory files may be barred from being run here (sysctl vm.memfd_noexec)"}
	}
	defer image.Close()
	ours, theirs, err := socketPair()
	if err != nil {
		return &Error{Step: "make the socket to pid 1", Err: err}
	}
	defer theirs.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		ours.Close()
		return &Error{Step: "open the null device", Err: err}
	}
	defer null.Close()
	files := []*os.File{std.Stdin, std.Stdout, std.Stderr, theirs, image}
	for i, f := range files {
		if f == nil {
			files[i] = null
		}
	}
	sys := &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS,
	}
	s.id.attrs(sys)
	if err := r.meter.attrs(sys); err != nil {
		ours.Close()
		return err
	}
	done := make(chan error)
	n.thread <- func() {
		var err error
		r.proc, err = os.StartProcess("/proc/self/fd/4", []string{"pyrun-init"}, &os.ProcAttr{Env: []string{}, Files: files, Sys: sys})
		done <- err
	}
	if err := <-done; err != nil {
		ours.Close()
		return explainClone(err, s.id)
	}
	r.sock = ours
	return nil
}

// seal copies an image into a memory file that nobody can change.
func seal(image []byte) (*os.File, error) {
	const exec = 0x10 // MFD_EXEC, since Linux 6.3
	flags := unix.MFD_CLOEXEC | unix.MFD_ALLOW_SEALING
	fd, err := unix.MemfdCreate("pyrun-init", flags|exec)
	if errors.Is(err, unix.EINVAL) {
		fd, err = unix.MemfdCreate("pyrun-init", flags)
	}
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "pyrun-init")
	if _, err := f.Write(image); err != nil {
		f.Close()
		return nil, err
	}
	if _, err := unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS, unix.F_SEAL_SEAL|unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_WRITE); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func socketPair() (ours, theirs *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	if err := unix.SetNonblock(fds[0], true); err != nil {
		unix.Close(fds[0])
		unix.Close(fds[1])
		return nil, nil, err
	}
	return os.NewFile(uintptr(fds[0]), "pid 1"), os.NewFile(uintptr(fds[1]), "parent"), nil
}

// callFilter compiles the system call filter for a network.
func callFilter(n Network) ([]byte, error) {
	code, err := seccomp.Compile(seccomp.Policy(string(n)), arch)
	if err != nil {
		return nil, err
	}
	return seccomp.Bytes(code), nil
}
