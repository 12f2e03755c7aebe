//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"slices"

	"golang.org/x/sys/unix"
)

// The list for a zygote's copies is written once and played for each of them.
// What differs from one copy to the next stands in a block at the beginning of
// its data, which the zygote fills in.
//
// Three processes play it. The zygote makes pid 1, which shares its memory, as
// in vfork(2), while the zygote is held; pid 1 builds the walls, forks the
// script's process with the C library's own fork, so that libraries take
// notice, and becomes a program as small as a cold run's pid 1. So there is one
// copy of the zygote's memory and not two, and the script's parent is pid 1.

// callouts are addresses in the zygote.
type callouts struct {
	before, fork, parent, child uint64 // the language's own hooks around the C library's fork
}

// What a copy is made with: descriptors, in this order, then text. The block
// holds the numbers that the descriptors have in the zygote, then the text.
const (
	copyTell  = iota // pid 1's socket
	copyJob          // the script's socket
	copyImage        // what pid 1 becomes
	copyOut          // the script's standard output
	copyErr
	copyDoors // and up: into the cgroup; then the network namespace, if it was made ahead

	copyText              = 2*4 + copyPasswd + copyGroup // uid, gid and two files of /etc
	copyPasswd, copyGroup = 64, 32
)

// composeCopy writes the list of all copies that have the form of s.
func composeCopy(p *program, pol Policy, s site, c callouts, touched []span, ahead bool) {
	fds := copyDoors + s.doors
	if ahead {
		fds++
	}
	block := slot(p.bytes(make([]byte, 4*fds+copyText), 4))
	fd := func(i int) slot { return block + slot(4*i) }
	s.id.at = fd(fds)
	one, two, parent := &label{}, &label{}, &label{}

	p.begin("tell the program of a fork")
	p.function(c.before).plain()
	p.begin("make the namespaces")
	flags := unix.CLONE_VM | unix.CLONE_VFORK | unix.CLONE_PARENT | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS
	if !ahead {
		flags |= unix.CLONE_NEWNET
	}
	if s.id.nests() {
		flags |= unix.CLONE_NEWUSER
	}
	made := p.slot()
	p.call(unix.SYS_CLONE, num(flags|int(unix.SIGCHLD)), num(0), num(0), num(0), num(0)).keep(made).allow(anyErrno)
	p.ifErrno(parent)
	p.ifZero(one)
	p.here(parent)
	// Where the kernel makes a memory readable whose process changes its id, it
	// made this one so.
	p.call(unix.SYS_PRCTL, num(unix.PR_SET_DUMPABLE), num(0), num(0), num(0), num(0))
	p.function(c.parent).plain()
	p.back(made.arg())

	p.here(one)
	attachCopy(p, s, fd, ahead)
	store := furnishCopy(p, pol, s)
	self := p.slot()
	p.begin("open pid 1")
	p.call(unix.SYS_PIDFD_OPEN, num(1), num(0)).keep(self)
	handOut(p, store, self)
	network(p, pol.Network)
	p.begin("close pid 1's standard streams")
	null := p.slot()
	p.call(unix.SYS_OPENAT, num(cwd), p.str("/dev/null"), num(unix.O_RDWR|unix.O_CLOEXEC), num(0)).keep(null)
	for i := range 3 {
		p.call(unix.SYS_DUP3, null.arg(), num(i), num(0))
	}
	rules := landlockRules(p, pol, s)
	dropPrivileges(p, s)
	p.begin("fork the script's process")
	p.function(c.fork)
	p.ifZero(two)

	resetSignals(p)
	p.begin("start pid 1")
	p.call(unix.SYS_DUP3, fd(copyImage).arg(), num(fdImage), num(unix.O_CLOEXEC))
	p.call(unix.SYS_CLOSE_RANGE, num(fdImage+1), num(uint32(0xffffffff)), num(0))
	p.call(unix.SYS_EXECVEAT, num(fdImage), p.str(""), num(p.strings([]string{"pyrun-init"})), num(p.words(0)), num(unix.AT_EMPTY_PATH))

	p.here(two)
	touch(p, touched)
	wallInCopy(p, pol, s, fd, rules)
	p.begin("tell the program that it is a copy")
	p.function(c.child).plain()
	p.back(num(0))
}

// attachCopy is attach for what comes of a zygote: its parent is the zygote's
// pid 1, and being the first the kernel kills is inherited.
func attachCopy(p *program, s site, fd func(int) slot, ahead bool) {
	p.begin("own way to tell of failures")
	p.call(unix.SYS_DUP3, fd(copyTell).arg(), num(fdParent), num(0))
	p.begin("die with the parent")
	p.call(unix.SYS_PRCTL, num(unix.PR_SET_PDEATHSIG), num(int(unix.SIGKILL)), num(0), num(0), num(0))
	if s.id.nests() {
		p.begin("map the user ids")
		// The zygote's user, which is 0 to itself, is the script's.
		for _, m := range [][2]string{{"setgroups", "deny"}, {"uid_map", fmt.Sprintf("%d 0 1", s.id.uid)}, {"gid_map", fmt.Sprintf("%d 0 1", s.id.gid)}} {
			to := p.slot()
			p.call(unix.SYS_OPENAT, num(cwd), p.str("/proc/self/"+m[0]), num(unix.O_WRONLY|unix.O_CLOEXEC), num(0)).keep(to)
			p.call(unix.SYS_WRITE, to.arg(), p.str(m[1]), num(len(m[1]))).exactly(len(m[1]))
			p.call(unix.SYS_CLOSE, to.arg())
		}
		forbidUserNamespaces(p, num(fdSysctl), "max_user_namespaces")
	}
	p.begin("own session")
	p.call(unix.SYS_SETSID)
	p.begin("join the cgroup")
	for i := range s.doors {
		p.call(unix.SYS_WRITE, fd(copyDoors+i).arg(), p.str("0"), num(1)).exactly(1)
	}
	if ahead {
		p.begin("enter the network namespace")
		p.call(unix.SYS_SETNS, fd(copyDoors+s.doors).arg(), num(unix.CLONE_NEWNET))
	}
	p.begin("own cgroup namespace")
	p.call(unix.SYS_UNSHARE, num(unix.CLONE_NEWCGROUP))
	p.begin("clear the file mode mask")
	p.call(unix.SYS_UMASK, num(0))
}

// furnishCopy covers all that is the zygote's own with what is the copy's own:
// the store, /proc and who the script is. Everything else is read-only and seen
// as the zygote sees it. Nothing is taken away: that would make the kernel wait.
func furnishCopy(p *program, pol Policy, s site) slot {
	p.call(unix.SYS_CHDIR, p.str("/"))
	var tops []Dir
	for _, d := range pol.Writable {
		p.made[d.Path] = true
		if !nested(pol, d.Path) {
			tops = append(tops, d)
		}
	}
	// The store stands where one of its directories will cover it.
	store := tops[len(tops)-1].Path
	p.begin("mount the store")
	fd := openStore(p, pol, store)
	for _, d := range pol.Writable {
		p.begin("make " + d.Path)
		p.call(unix.SYS_MKDIRAT, num(cwd), p.str(rel(store+"/"+d.Name)), num(d.Mode))
	}
	text := uint64(s.id.at) + 8
	for _, f := range []struct {
		name string
		size int
	}{{"passwd", len(passwd(s.id, pol.Dir).Data)}, {"group", len(group(s.id).Data)}} {
		p.begin("write /etc/" + f.name)
		p.createFrom(store+"/"+f.name, 0o444, text, f.size)
		s.id.leave(p, store+"/"+f.name)
		text += copyPasswd
		p.call(unix.SYS_MOUNT, p.str(rel(store+"/"+f.name)), p.str("/etc/"+f.name), num(0), num(unix.MS_BIND), num(0))
		p.setAttr(num(cwd), "/etc/"+f.name, 0, attrSealed)
	}
	for _, d := range tops {
		p.begin("show " + d.Path)
		p.call(unix.SYS_MOUNT, p.str(rel(store+"/"+d.Name)), p.str(rel(d.Path)), num(0), num(unix.MS_BIND), num(0))
	}
	for _, dir := range pol.Sealed {
		p.begin("make " + dir)
		p.call(unix.SYS_MKDIRAT, num(cwd), p.str(rel(dir)), num(0o755))
		s.id.leave(p, dir)
		p.call(unix.SYS_MOUNT, p.str(rel(dir)), p.str(rel(dir)), num(0), num(unix.MS_BIND), num(0))
		p.begin("seal " + dir)
		p.setAttr(num(cwd), rel(dir), 0, attrSealed)
	}
	// Last, and the inner ones first: what is given away cannot be entered any more.
	p.begin("give the script what is its own")
	for _, d := range slices.Backward(pol.Writable) {
		s.id.give(p, d.Path)
	}
	p.made["/proc"] = true
	mountProc(p, flagsData|unix.MS_RDONLY, s.noProc) // else the zygote's would be seen
	return fd
}

// wallInCopy is becomeScript for a copy: it goes on being a program that runs.
func wallInCopy(p *program, pol Policy, s site, fd func(int) slot, rules slot) {
	p.begin("the script's own socket")
	p.call(unix.SYS_DUP3, fd(copyJob).arg(), num(fdParent), num(unix.O_CLOEXEC))
	p.begin("the script's own session")
	p.call(unix.SYS_SETSID)
	p.begin("set limits")
	limits(p, pol.Limits, s.bounds)
	p.call(unix.SYS_SETPRIORITY, num(unix.PRIO_PROCESS), num(0), num(5)).allow(unix.EACCES) // whoever started pyrun was nicer still
	p.begin("enter the working directory")
	p.call(unix.SYS_UMASK, num(0o077))
	p.call(unix.SYS_CHDIR, p.str(pol.Dir))
	// Before there is somebody else who has the script's memory: the zygote's
	// socket and the cgroup's doors are among them.
	p.begin("close the script's descriptors")
	p.call(unix.SYS_DUP3, rules.arg(), num(fdRules), num(unix.O_CLOEXEC))
	p.call(unix.SYS_DUP3, fd(copyOut).arg(), num(fdOut), num(unix.O_CLOEXEC))
	p.call(unix.SYS_DUP3, fd(copyErr).arg(), num(fdErr), num(unix.O_CLOEXEC))
	p.call(unix.SYS_CLOSE_RANGE, num(fdErr+1), num(uint32(0xffffffff)), num(0))
	narrow := fprog(p, s.filter)
	keepMemory(p, narrow)
	// Only now, or the keeper would have them too, and what a script did to an open
	// file, locks among it, would outlast it.
	p.begin("the script's own streams")
	null := p.slot()
	p.call(unix.SYS_OPENAT, num(cwd), p.str("/dev/null"), num(unix.O_RDWR|unix.O_CLOEXEC), num(0)).keep(null)
	for i, own := range []arg{null.arg(), num(fdOut), num(fdErr)} {
		p.call(unix.SYS_DUP3, own, num(i), num(0))
		p.call(unix.SYS_CLOSE, own)
	}
	p.begin("restrict files (Landlock)")
	p.call(unix.SYS_LANDLOCK_RESTRICT_SELF, num(fdRules), num(0))
	p.call(unix.SYS_CLOSE, num(fdRules))
	p.begin("filter calls (seccomp)")
	p.call(unix.SYS_SECCOMP, num(unix.SECCOMP_SET_MODE_FILTER), num(0), num(narrow))
}

// composeInit writes what pid 1 of a copy becomes.
func composeInit(p *program, guard []byte) {
	p.begin("name pid 1")
	p.call(unix.SYS_PRCTL, num(unix.PR_SET_NAME), p.str("pyrun-init"), num(0), num(0), num(0))
	p.begin("hide pid 1's memory")
	p.call(unix.SYS_PRCTL, num(unix.PR_SET_DUMPABLE), num(0), num(0), num(0), num(0))
	seeKeeper(p)
	p.begin("wall in pid 1")
	wallInInit(p, fprog(p, guard))
	p.begin("say that the walls stand")
	p.call(unix.SYS_WRITE, num(fdParent), num(p.words(tagStarted, 0)), num(16)).exactly(16)
	waitForScript(p, slot(p.bytes([]byte{2, 0, 0, 0}, 4)), true)
}
