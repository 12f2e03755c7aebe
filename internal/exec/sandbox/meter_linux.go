//go:build amd64 || arm64

package sandbox

import (
	"syscall"
)

// meter holds and counts what a tree uses, as well as this machine can.
type meter interface {
	mode() string               // what Posture.Memory says
	joins() bool                // the cgroup is joined after the clone, by writing
	attrs(*syscall.SysProcAttr) // or the clone is asked to join it
	join(pid int) error
	watch(*running) // begins with the program
	stop()          // ends when pid 1 is gone
	settle(*Exit)   // puts usage and the kernel's kills into the exit
	close() error
}
