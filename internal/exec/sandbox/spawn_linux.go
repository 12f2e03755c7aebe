//go:build amd64 || arm64

package sandbox

import (
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// spawn starts the player as pid 1 of new namespaces, with the opening. Its
// standard streams are the null device until it gets the script's.
func spawn(r *running, h host, doors []*os.File, thread func(func())) error {
	image, err := executable(r.opening.image(h.code, elfMachine))
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
	files := append([]*os.File{null, null, null, theirs, image}, doors...) // from fdDoors on
	sys := &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWNET,
	}
	r.id.attrs(sys)
	r.meter.attrs(sys)
	fds := make([]uintptr, len(files))
	for i, f := range files {
		fds[i] = f.Fd()
	}
	// Not os.StartProcess: that starts a process more, once, to try the kernel's
	// process descriptors, which this kernel has if it has Landlock.
	pidfd := -1
	sys.PidFD = &pidfd
	thread(func() {
		r.pid, _, err = syscall.StartProcess("/proc/self/fd/4", []string{"pyrun-init"}, &syscall.ProcAttr{Env: []string{}, Files: fds, Sys: sys})
	})
	runtime.KeepAlive(files)
	if err != nil {
		ours.Close()
		return explainClone(err, r.id)
	}
	r.pidfd = os.NewFile(uintptr(pidfd), "pid 1")
	r.sock = ours
	return nil
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

func closeAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}
