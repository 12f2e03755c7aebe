//go:build unix

package sandbox

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// family is a started program and the children that stay with it: they share a
// session, so that one signal reaches them.
type family struct{ cmd *exec.Cmd }

func startFamily(cmd *exec.Cmd) (family, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return family{cmd}, cmd.Start()
}

func (f family) kill() { _ = syscall.Kill(-f.cmd.Process.Pid, syscall.SIGKILL) }

// finish ends what the program left behind, as far as it stayed.
func (f family) finish(s *os.ProcessState) Usage {
	f.kill()
	if s == nil {
		return Usage{}
	}
	u := Usage{CPU: s.UserTime() + s.SystemTime()}
	if ru, ok := s.SysUsage().(*syscall.Rusage); ok {
		u.PeakMemory = int64(ru.Maxrss)
		if runtime.GOOS != "darwin" { // bytes there, KiB elsewhere
			u.PeakMemory <<= 10
		}
	}
	return u
}

func exitOf(s *os.ProcessState) (int, syscall.Signal) {
	if ws, ok := s.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal()), ws.Signal()
	}
	return s.ExitCode(), 0
}

// SignalName is what this system calls a signal; empty for one without a name.
func SignalName(s syscall.Signal) string { return unix.SignalName(s) }

// link lets at show what target, which may be relative to it, is.
func link(target, at string) error { return os.Symlink(target, at) }
