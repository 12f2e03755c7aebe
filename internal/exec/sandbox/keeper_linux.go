//go:build amd64 || arm64

package sandbox

import "golang.org/x/sys/unix"

// keepMemory makes a process that has the script's memory, stands still and has
// nothing else. For the kernel takes a memory apart before it tells that a
// process has ended, which takes longer than most scripts; while somebody else
// has it too, it does not, and the answer need not wait for it: see alone.
//
// It stands behind all walls of the script, in a session and a Landlock domain
// of its own, so that the script cannot see it, trace it or, where Landlock knows
// signals, wake it. Its list lies in memory that the script can write. So the
// script is let go only when pid 1 has seen it stand still behind its walls
// (seeKeeper), and it never has a descriptor that the script has not.
func keepMemory(p *program, filter uint64) {
	p.begin("keep the memory for the end")
	script, past, still := &label{}, &label{}, &label{}
	p.call(unix.SYS_CLONE, num(unix.CLONE_VM|unix.CLONE_PARENT|int(unix.SIGCHLD)), num(0), num(0), num(0), num(0))
	p.ifZero(past)
	p.call(unix.SYS_PRCTL, num(unix.PR_SET_DUMPABLE), num(1), num(0), num(0), num(0)) // so that the script can look at itself
	p.ifZero(script)
	p.here(past)
	p.begin("wall in the keeper")
	p.call(unix.SYS_SETSID) // a group without a leader is woken by the kernel
	p.call(unix.SYS_LANDLOCK_RESTRICT_SELF, num(fdRules), num(0))
	p.call(unix.SYS_CLOSE_RANGE, num(fdParent), num(uint32(0xffffffff)), num(0))
	p.call(unix.SYS_SECCOMP, num(unix.SECCOMP_SET_MODE_FILTER), num(0), num(filter))
	p.here(still)
	p.call(unix.SYS_KILL, num(keeperPID), num(int(unix.SIGSTOP)))
	p.ifZero(still)
	p.here(script)
}

const (
	keeperPID = 3 // the third process of a new namespace

	// Of a copy that is being walled in.
	fdRules = 4 // Landlock's
	fdOut   = 5 // its output, until it has its keeper
	fdErr   = 6
)

// seeKeeper is pid 1's: it waits until its first child that does anything is
// the keeper, and that it stands still. The word stays for waitForScript.
func seeKeeper(p *program) {
	const (
		childStopped        = 5 // CLD_STOPPED
		code, child, status = 8, 16, 24
	)
	p.begin("see the keeper stand still")
	info := p.bytes(make([]byte, 128), 8) // siginfo_t of 64-bit systems
	p.call(unix.SYS_WAITID, num(0), num(0), num(info), num(unix.WSTOPPED|unix.WEXITED|unix.WNOWAIT), num(0))
	for _, f := range []struct{ at, want uint64 }{{code, childStopped}, {child, keeperPID}, {status, uint64(unix.SIGSTOP)}} {
		p.check(info+f.at, 0xffffffff, f.want, unix.ESRCH)
	}
}

// landlockSignals is the first version of Landlock that keeps signals in.
const landlockSignals = 6

// alone says whether nothing of a run can act any more that has told its end,
// while pid 1 waits to be told to end too: the processes in its cgroup are pid 1
// and the keeper, which stands still, and nobody was ever able to wake it. Where
// nobody counts processes it is not known, and waited for.
func (c *copied) alone(r *running, keeper uint32) bool {
	const stopped = 0x7f | uint32(unix.SIGSTOP)<<8
	return keeper == stopped && c.z.site.landlock >= landlockSignals && r.meter.processes() == 2
}
