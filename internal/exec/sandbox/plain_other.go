//go:build !unix

package sandbox

import (
	"os"
	"os/exec"
	"syscall"
)

func ownGroup(*exec.Cmd) {}

func killGroup(c *exec.Cmd) { _ = c.Process.Kill() }

func exitOf(s *os.ProcessState) (int, syscall.Signal) { return s.ExitCode(), 0 }

func peakOf(*os.ProcessState) int64 { return 0 }
