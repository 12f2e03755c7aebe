//go:build amd64 || arm64

package sandbox

import (
	"math"

	"golang.org/x/sys/unix"
)

// A zygote is a program that has done its start-up and makes copies of itself,
// each for one run. It stands where a script stands, behind the same walls but
// for what building walls takes: it may mount and make namespaces. So it runs
// nothing of a request and is told nothing of one.

// composeZygote writes the rest of a zygote's list.
func composeZygote(p *program, pol Policy, s site) {
	furnishRoot(p, pol, s)
	enterRoot(p)
	p.begin("close descriptors")
	if s.sysctl != 0 {
		p.call(unix.SYS_DUP3, s.sysctl.arg(), num(fdSysctl), num(0)).allow(unix.EINVAL) // it is there already
		p.call(unix.SYS_CLOSE, num(fdImage))
		p.call(unix.SYS_CLOSE_RANGE, num(fdSysctl+1), num(uint32(0xffffffff)), num(0))
	} else {
		p.call(unix.SYS_CLOSE_RANGE, num(fdImage), num(uint32(0xffffffff)), num(0))
	}
	if s.id.nests() {
		// Its copies get user namespaces of their own, and with them all that they
		// need, but for the right to map its id, which is 0 to itself.
		keepPrivileges(p, s, 1<<unix.CAP_SETFCAP)
	} else {
		keepPrivileges(p, s, wallCaps)
	}
	run(p, pol, s, 0)
}

// copyCalls are the calls that a copy makes on its way and a script must not.
var copyCalls = []string{
	"clone", "mount", "mount_setattr", "setns", "unshare", "setgroups", "setresgid", "setresuid",
	"capset", "prctl", "seccomp", "landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self",
	"ioctl", "pidfd_open", "rseq",
}

// wallCaps are what a zygote without a user namespace holds.
const wallCaps = 1<<unix.CAP_SYS_ADMIN | 1<<unix.CAP_NET_ADMIN | 1<<unix.CAP_SETUID |
	1<<unix.CAP_SETGID | 1<<unix.CAP_SETPCAP | 1<<unix.CAP_CHOWN

// keepPrivileges leaves pid 1 and the zygote as a user of their own with the
// capabilities that walls are built with, and without a way to any other.
func keepPrivileges(p *program, s site, kept uint64) {
	p.begin("cut the capability bounding set")
	for c := 0; c <= s.lastCap; c++ {
		if kept>>c&1 == 0 {
			p.call(unix.SYS_PRCTL, num(unix.PR_CAPBSET_DROP), num(c), num(0), num(0), num(0))
		}
	}
	p.begin("keep what walls are built with")
	header := p.words(0x20080522)                                               // version 3, this process
	way := kept | 1<<unix.CAP_SETPCAP | 1<<unix.CAP_SETUID | 1<<unix.CAP_SETGID // needed below
	p.call(unix.SYS_CAPSET, num(header), num(p.words(way|way<<32, kept, 0)))
	for c := 0; c <= s.lastCap; c++ {
		if kept>>c&1 == 1 {
			p.call(unix.SYS_PRCTL, num(unix.PR_CAP_AMBIENT), num(unix.PR_CAP_AMBIENT_RAISE), num(c), num(0), num(0))
		}
	}
	p.begin("lock securebits")
	p.call(unix.SYS_PRCTL, num(unix.PR_SET_SECUREBITS), num(securebits), num(0), num(0), num(0))
	if s.id.drops() {
		p.begin("become the zygote's own user")
		uid, gid := s.id.ids()
		p.call(unix.SYS_SETGROUPS, num(0), num(0))
		p.call(unix.SYS_SETRESGID, gid, gid, gid)
		p.call(unix.SYS_SETRESUID, uid, uid, uid)
	}
	p.begin("drop all other capabilities")
	p.call(unix.SYS_CAPSET, num(header), num(p.words(kept|kept<<32, kept, 0)))
	left := p.words(1, 1, 1)
	p.call(unix.SYS_CAPGET, num(header), num(left))
	p.check(left, math.MaxUint64, kept|kept<<32, unix.EPERM)
	p.check(left+8, math.MaxUint64, kept, unix.EPERM)
	p.check(left+16, math.MaxUint64, 0, unix.EPERM)
	p.begin("die with the parent, again")
	p.call(unix.SYS_PRCTL, num(unix.PR_SET_PDEATHSIG), num(int(unix.SIGKILL)), num(0), num(0), num(0))
	p.begin("no new privileges")
	p.call(unix.SYS_PRCTL, num(unix.PR_SET_NO_NEW_PRIVS), num(1), num(0), num(0), num(0))
	p.begin("hide pid 1's memory")
	p.call(unix.SYS_PRCTL, num(unix.PR_SET_DUMPABLE), num(0), num(0), num(0), num(0))
}

// burnPID uses up pid 2, which the zygote must not have: scripts have it, and
// a library that tells a fork by another pid would give two the same random bytes.
func burnPID(p *program) {
	p.begin("use up pid 2")
	gone, past := &label{}, &label{}
	p.call(unix.SYS_CLONE, num(int(unix.SIGCHLD)), num(0), num(0), num(0), num(0))
	p.ifZero(gone)
	p.call(unix.SYS_UMASK, num(0)) // is 0 already, so it leads past
	p.ifZero(past)
	p.here(gone)
	p.call(unix.SYS_EXIT_GROUP, num(0))
	p.here(past)
}

// waitForCopies reaps until neither the zygote nor any copy is left: copies are
// pid 1's children, and a run outlives a zygote that is done.
func waitForCopies(p *program) {
	p.begin("wait for the copies")
	p.call(unix.SYS_WAIT4, num(-1), num(0), num(0), num(0)).until(p.slot()).allow(unix.ECHILD) // no pid is 0
	p.call(unix.SYS_EXIT_GROUP, num(0))
}
