//go:build amd64 || arm64

package sandbox

import "golang.org/x/sys/unix"

// becomeScript is pid 2's way from the fork to the script. It waits for pid 1
// at its very end: both wall themselves in at once.
func becomeScript(p *program, pol Policy, s site, rules, failures, release slot, filter uint64) {
	p.begin("own way to tell of failures")
	p.call(unix.SYS_DUP3, failures.arg(), num(fdParent), num(unix.O_CLOEXEC))
	p.begin("own session")
	p.call(unix.SYS_SETSID)
	p.begin("set limits")
	if !s.copies { // which have their own, and may not be bounded by its
		limits(p, pol.Limits, s.bounds)
		p.call(unix.SYS_SETPRIORITY, num(unix.PRIO_PROCESS), num(0), num(5)).allow(unix.EACCES) // whoever started pyrun was nicer still
	}
	p.begin("enter the working directory")
	p.call(unix.SYS_UMASK, num(0o077))
	p.call(unix.SYS_CHDIR, p.str(pol.Dir))
	if !s.copies { // a process that is restricted so can mount nothing
		p.begin("restrict files (Landlock)")
		p.call(unix.SYS_LANDLOCK_RESTRICT_SELF, rules.arg(), num(0))
	}
	p.begin("close the script's descriptors")
	p.call(unix.SYS_DUP3, release.arg(), num(fdRelease), num(unix.O_CLOEXEC))
	if s.copies {
		p.call(unix.SYS_CLOSE_RANGE, num(fdSysctl+1), num(uint32(0xffffffff)), num(0))
		filter = fprog(p, s.wide)
	} else {
		p.call(unix.SYS_CLOSE_RANGE, num(fdRelease+1), num(uint32(0xffffffff)), num(0))
	}
	p.begin("filter calls (seccomp)")
	p.call(unix.SYS_SECCOMP, num(unix.SECCOMP_SET_MODE_FILTER), num(0), num(filter))
	p.begin("wait for the release")
	p.call(unix.SYS_READ, num(fdRelease), num(p.bytes(make([]byte, 1), 1)), num(1)).exactly(1)
	p.begin("start the program") // which closes the last two descriptors
	p.call(unix.SYS_EXECVE, p.str(pol.Argv[0]), num(p.strings(pol.Argv)), num(p.strings(pol.Env)))
}

func resetSignals(p *program) {
	p.begin("reset signals")
	defaults := p.bytes(make([]byte, 32), 8)
	for sig := 1; sig <= 64; sig++ {
		if sig != int(unix.SIGKILL) && sig != int(unix.SIGSTOP) {
			p.call(unix.SYS_RT_SIGACTION, num(sig), num(defaults), num(0), num(8))
		}
	}
	p.call(unix.SYS_RT_SIGPROCMASK, num(2), num(defaults), num(0), num(8)) // SIG_SETMASK, none
}
