//go:build amd64 || arm64

package sandbox

import "golang.org/x/sys/unix"

// Securebits, each with its lock: root is nobody special, changing ids moves no
// capability, capabilities are not kept and cannot become ambient.
const securebits = 0x01 | 0x02 | 0x04 | 0x08 | 0x20 | 0x40 | 0x80

// dropPrivileges leaves pid 1, and so all that comes after, without a
// capability in any set and without a way to get one.
func dropPrivileges(p *program, s site) {
	p.begin("empty the capability bounding set")
	for c := 0; c <= s.lastCap; c++ {
		p.call(unix.SYS_PRCTL, num(unix.PR_CAPBSET_DROP), num(c), num(0), num(0), num(0))
	}
	p.begin("clear ambient capabilities")
	p.call(unix.SYS_PRCTL, num(unix.PR_CAP_AMBIENT), num(unix.PR_CAP_AMBIENT_CLEAR_ALL), num(0), num(0), num(0))
	p.begin("lock securebits")
	p.call(unix.SYS_PRCTL, num(unix.PR_SET_SECUREBITS), num(securebits), num(0), num(0), num(0))

	if s.id.drops() {
		p.begin("become the run's own user")
		p.call(unix.SYS_SETGROUPS, num(0), num(0))
		uid, gid := s.id.ids()
		p.call(unix.SYS_SETRESGID, gid, gid, gid)
		p.call(unix.SYS_SETRESUID, uid, uid, uid)
	}
	p.begin("drop all capabilities")
	dropCapabilities(p)

	p.begin("die with the parent, again")
	// The kernel forgets the first when ids change.
	p.call(unix.SYS_PRCTL, num(unix.PR_SET_PDEATHSIG), num(int(unix.SIGKILL)), num(0), num(0), num(0))
	p.begin("no new privileges")
	p.call(unix.SYS_PRCTL, num(unix.PR_SET_NO_NEW_PRIVS), num(1), num(0), num(0), num(0))
	p.begin("hide pid 1's memory")
	p.call(unix.SYS_PRCTL, num(unix.PR_SET_DUMPABLE), num(0), num(0), num(0), num(0))
}

// dropCapabilities empties the sets and looks whether they are.
func dropCapabilities(p *program) {
	header := p.words(0x20080522) // version 3, this process
	p.call(unix.SYS_CAPSET, num(header), num(p.words(0, 0, 0)))
	left := p.words(1, 1, 1)
	p.call(unix.SYS_CAPGET, num(header), num(left))
	for i := range uint64(3) {
		p.check(left+8*i, ^uint64(0), 0, unix.EPERM)
	}
}
