//go:build unix

package sandbox

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// ownGroup puts the child into a session of its own, so that one signal reaches
// it and the children that stay with it.
func ownGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

func killGroup(c *exec.Cmd) { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }

func exitOf(s *os.ProcessState) (int, syscall.Signal) {
	if ws, ok := s.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal()), ws.Signal()
	}
	return s.ExitCode(), 0
}

func peakOf(s *os.ProcessState) int64 {
	ru, ok := s.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(ru.Maxrss) // bytes there, KiB elsewhere
	}
	return int64(ru.Maxrss) << 10
}
