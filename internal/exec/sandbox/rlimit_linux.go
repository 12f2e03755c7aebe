//go:build amd64 || arm64

package sandbox

import (
	"time"

	"golang.org/x/sys/unix"
)

// Address space is a poor measure of memory: libraries map far more than they
// touch, and some spin instead of failing. So it only stops the absurd; the
// cgroup or the sampler holds Limits.Memory.
const leastAddressSpace = 2 << 30

// rlimit is one soft and hard bound of a process.
type rlimit struct {
	resource   int
	soft, hard uint64
}

// initLimits is what pid 1 still needs once the script's process is there:
// its socket, and no file, memory or process more.
var initLimits = [...]rlimit{
	{unix.RLIMIT_CORE, 1, 1},
	{unix.RLIMIT_FSIZE, 0, 0},
	{unix.RLIMIT_NPROC, 0, 0},
	{unix.RLIMIT_MEMLOCK, 0, 0},
	{unix.RLIMIT_MSGQUEUE, 0, 0},
	{unix.RLIMIT_NOFILE, 16, 16},
}

// rlimits is what one process inside may use. Zero in Limits leaves the host's bound.
func rlimits(l Limits) []rlimit {
	rs := []rlimit{
		// 1, not 0: with 0 a core pattern that is a pipe still starts a helper on
		// the host, as root. 1 is the value the kernel takes for "never".
		{unix.RLIMIT_CORE, 1, 1},
		{unix.RLIMIT_STACK, 8 << 20, 64 << 20},
		{unix.RLIMIT_MEMLOCK, 64 << 10, 64 << 10},
		{unix.RLIMIT_MSGQUEUE, 0, 0},
		{unix.RLIMIT_SIGPENDING, 256, 256},
		{unix.RLIMIT_RTPRIO, 0, 0},
		{unix.RLIMIT_NICE, 0, 0},
	}
	if l.CPU > 0 {
		s := uint64((l.CPU + time.Second - 1) / time.Second)
		rs = append(rs, rlimit{unix.RLIMIT_CPU, s, s + 1})
	}
	if l.Memory > 0 {
		as := uint64(max(leastAddressSpace, 2*l.Memory))
		rs = append(rs, rlimit{unix.RLIMIT_AS, as, as})
	}
	if l.FileSize > 0 {
		rs = append(rs, rlimit{unix.RLIMIT_FSIZE, uint64(l.FileSize), uint64(l.FileSize)})
	}
	if l.OpenFiles > 0 {
		rs = append(rs, rlimit{unix.RLIMIT_NOFILE, uint64(l.OpenFiles), uint64(l.OpenFiles)})
	}
	if l.Processes > 0 {
		// Counted per user id; pid 1 has the same one.
		n := uint64(l.Processes) + 1
		rs = append(rs, rlimit{unix.RLIMIT_NPROC, n, n})
	}
	return rs
}

func limits(p *program, l Limits) {
	for _, r := range rlimits(l) {
		p.call(unix.SYS_PRLIMIT64, num(0), num(r.resource), num(p.words(r.soft, r.hard)), num(0))
	}
}
