//go:build amd64 || arm64

package sandbox

import "golang.org/x/sys/unix"

// keepMemory makes a process that has the script's memory, stands still and has
// nothing else. For the kernel takes a memory apart before it tells that a
// process has ended, which takes longer than most scripts; while somebody else
// has it too, it does not, and the answer need not wait for it: see alone.
//
// It stands behind all walls of the script, and to the script it is not there:
// in a Landlock domain of its own, it cannot be seen, traced or, where Landlock
// knows signals, woken.
func keepMemory(p *program, rules slot, filter uint64) {
	p.begin("keep the memory for the end")
	script, still := &label{}, &label{}
	p.call(unix.SYS_CLONE, num(unix.CLONE_VM|unix.CLONE_PARENT|int(unix.SIGCHLD)), num(0), num(0), num(0), num(0))
	past := &label{}
	p.ifZero(past)
	p.call(unix.SYS_PRCTL, num(unix.PR_SET_DUMPABLE), num(1), num(0), num(0), num(0)) // so that the script can look at itself
	p.ifZero(script)
	p.here(past)
	p.call(unix.SYS_LANDLOCK_RESTRICT_SELF, rules.arg(), num(0))
	p.call(unix.SYS_CLOSE_RANGE, num(fdParent), num(uint32(0xffffffff)), num(0))
	p.call(unix.SYS_SECCOMP, num(unix.SECCOMP_SET_MODE_FILTER), num(0), num(filter))
	p.here(still)
	p.call(unix.SYS_KILL, num(keeperPID), num(int(unix.SIGSTOP)))
	p.ifZero(still)
	p.here(script)
}

// keeperPID is the third process of a new namespace.
const keeperPID = 3

// alone says whether nothing of a run can act any more that has told its end,
// while pid 1 waits to be told to end too: the processes in its cgroup are pid 1
// and the keeper, which stands still, and there is nobody left who could wake
// it. Where nobody counts processes it is not known, and waited for.
func (c *copied) alone(r *running, keeper uint32) bool {
	const stopped = 0x7f | uint32(unix.SIGSTOP)<<8
	return keeper == stopped && r.meter.processes() == 2
}
