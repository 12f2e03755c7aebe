//go:build amd64 || arm64

package sandbox

import (
	"math"
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

// bounds are the hard limits of this process, by resource: none inside can be higher.
type bounds [unix.RLIMIT_RTTIME + 1]uint64

func ownBounds() (b bounds) {
	for i := range b {
		var r unix.Rlimit
		if b[i] = math.MaxUint64; unix.Getrlimit(i, &r) == nil {
			b[i] = r.Max
		}
	}
	return b
}

// within lowers a limit to what the host allows, but for that of core dumps,
// where less is not narrower.
func (b bounds) within(r rlimit) rlimit {
	if r.resource != unix.RLIMIT_CORE {
		r.soft, r.hard = min(r.soft, b[r.resource]), min(r.hard, b[r.resource])
	}
	return r
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
		as := uint64(max(leastAddressSpace, 2*l.Memory) + l.mapped)
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
		n := uint64(l.Processes + 1 + l.keepers)
		rs = append(rs, rlimit{unix.RLIMIT_NPROC, n, n})
	}
	return rs
}

func limits(p *program, l Limits, b bounds) {
	for _, r := range rlimits(l) {
		r = b.within(r)
		p.call(unix.SYS_PRLIMIT64, num(0), num(r.resource), num(p.words(r.soft, r.hard)), num(0))
	}
}
