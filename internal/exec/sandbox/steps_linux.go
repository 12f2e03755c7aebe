//go:build amd64 || arm64

package sandbox

import "golang.org/x/sys/unix"

// site is what the parent found out before it wrote the list: facts of this
// machine and of this run, so that the list itself needs no decision.
type site struct {
	id      identity
	devices []source // as they were when the parent looked
	binds   []source // Policy.Binds, likewise; the opening only keeps clear of them
	anchor  string   // an existing directory of the host to mount the new root on
	doors   int      // descriptors from fdDoors on that lead into the cgroup

	// For the rest alone.
	lastCap  int // the highest capability the kernel knows
	landlock int // ABI version
	bounds   bounds
	guard    []byte // seccomp program of pid 1
	filter   []byte // and of the script

	// Of a zygote alone, see zygote_list_linux.go.
	copies bool   // it will make copies of itself
	alien  bool   // Policy.Foreign
	wide   []byte // its own seccomp program, which lets more pass
	narrow []byte // what its copies enter besides
	sysctl slot   // a descriptor of /proc/sys/user, where each copy has a user namespace
	noProc bool   // of copies: their zygote has no /proc
}

// Descriptors of the child. Everything else is CLOEXEC or closed.
const (
	fdParent = 3 // socket to the parent: one message a record, see process_linux.go
	fdImage  = 4 // the memory file that is being executed
	fdDoors  = 5 // and up: into the cgroup

	fdRelease = 4 // of pid 2: pid 1 writes when it is walled in
	fdSysctl  = 5 // of a zygote: see site.sysctl
)

// Records the child sends: 16 bytes, a tag and a value; behind an exit stands
// the script's struct rusage. A tag from opsBase on is the address of an op
// that failed and the value its errno.
const (
	tagOpened  = 1 // the opening is played; value: bit 0 set when /proc could not be mounted
	tagStore   = 2 // with the store's descriptor
	tagStarted = 3
	tagExit    = 4 // value: wait status of the script
)

// open writes the opening: what is the same for every policy. The order of it
// and of what compose adds is the security argument; docs/security.md prints it
// and a test holds the two together.
func open(p *program, s site) {
	attach(p, s)
	beginRoot(p, s)
	hostName(p)
	receiveRest(p)
}

// compose writes the rest of the list for one run.
func compose(p *program, pol Policy, s site) {
	furnishRoot(p, pol, s)
	enterRoot(p)
	network(p, pol.Network)

	p.begin("close descriptors")
	p.call(unix.SYS_CLOSE_RANGE, num(fdImage), num(uint32(0xffffffff)), num(0))

	rules := landlockRules(p, pol, s)
	dropPrivileges(p, s)
	run(p, pol, s, rules)
}

// attach ties pid 1 to its parent and cuts it from the terminal.
func attach(p *program, s site) {
	p.begin("name pid 1")
	p.call(unix.SYS_PRCTL, num(unix.PR_SET_NAME), p.str("pyrun-init"), num(0), num(0), num(0))

	p.begin("be the first the kernel kills")
	adj := p.slot()
	p.call(unix.SYS_OPENAT, num(cwd), p.str("/proc/self/oom_score_adj"), num(unix.O_WRONLY|unix.O_CLOEXEC), num(0)).keep(adj)
	p.call(unix.SYS_WRITE, adj.arg(), p.str("1000"), num(4)).exactly(4)

	if s.id.userns && s.sysctl == 0 {
		forbidUserNamespaces(p, num(cwd), "/proc/sys/user/max_user_namespaces")
	}

	if s.sysctl != 0 {
		p.begin("keep a way to forbid user namespaces")
		p.call(unix.SYS_OPENAT, num(cwd), p.str("/proc/sys/user"), num(unix.O_PATH|unix.O_DIRECTORY), num(0)).keep(s.sysctl)
	}

	p.begin("die with the parent")
	p.call(unix.SYS_PRCTL, num(unix.PR_SET_PDEATHSIG), num(int(unix.SIGKILL)), num(0), num(0), num(0))

	p.begin("leave the terminal")
	p.call(unix.SYS_SETSID)

	resetSignals(p) // whoever started pyrun may have it ignore some: nohup does

	p.begin("join the cgroup")
	for i := range s.doors {
		p.call(unix.SYS_WRITE, num(fdDoors+i), p.str("0"), num(1)).exactly(1)
	}
	p.begin("own cgroup namespace")
	// Not at the clone: made before joining, it would show a path that climbs out.
	p.call(unix.SYS_UNSHARE, num(unix.CLONE_NEWCGROUP))

	p.begin("clear the file mode mask")
	p.call(unix.SYS_UMASK, num(0))
}

// forbidUserNamespaces is the belt to seccomp's braces: the count belongs to
// this namespace alone. Where a container made /proc/sys read-only it stays as it is.
func forbidUserNamespaces(p *program, dir arg, at string) {
	p.begin("forbid user namespaces inside")
	past, max := &label{}, p.slot()
	p.call(unix.SYS_OPENAT, dir, p.str(at), num(unix.O_WRONLY|unix.O_CLOEXEC), num(0)).keep(max).allow(unix.EROFS)
	p.ifErrno(past)
	p.call(unix.SYS_WRITE, max.arg(), p.str("0"), num(1)).exactly(1)
	p.here(past)
}

// run forks the script's process, which stops before it becomes the script,
// walls pid 1 in, lets the script go and waits for it. The fork comes first: behind the filter neither
// Landlock nor another filter can be had.
func run(p *program, pol Policy, s site, rules slot) {
	guard, filter := fprog(p, s.guard), fprog(p, s.filter)
	failures, release, script := pipe(p, "pipe for failures"), pipe(p, "pipe for the release"), p.slot()
	child, started := &label{}, &label{}

	if s.copies {
		burnPID(p)
	}
	p.begin("fork the script's process")
	p.call(unix.SYS_CLONE, num(int(unix.SIGCHLD)), num(0), num(0), num(0), num(0)).keep(script)
	p.ifZero(child)

	p.begin("wall in pid 1")
	for _, fd := range []slot{rules, failures[1], release[0]} {
		if fd != 0 {
			p.call(unix.SYS_CLOSE, fd.arg())
		}
	}
	if s.sysctl != 0 {
		p.call(unix.SYS_CLOSE, num(fdSysctl))
	}
	null := p.slot()
	p.call(unix.SYS_OPENAT, num(cwd), p.str("/dev/null"), num(unix.O_RDWR|unix.O_CLOEXEC), num(0)).keep(null)
	for fd := range 3 {
		p.call(unix.SYS_DUP3, null.arg(), num(fd), num(0))
	}
	p.call(unix.SYS_CLOSE, null.arg())
	if s.copies { // what pid 1 kept, it kept for the zygote
		dropCapabilities(p)
	}
	wallInInit(p, guard)

	p.begin("release the script")
	// If it has failed on its way it is gone, and its failure waits below.
	p.call(unix.SYS_WRITE, release[1].arg(), p.str("x"), num(1)).exactly(1).allow(unix.EPIPE)
	p.call(unix.SYS_CLOSE, release[1].arg())
	failure := p.words(0, 0)
	// End of file means that execve took the pipe's other end away: the script runs.
	p.call(unix.SYS_READ, failures[0].arg(), num(failure), num(16))
	p.ifZero(started)
	p.call(unix.SYS_WRITE, num(fdParent), num(failure), num(16))
	p.call(unix.SYS_EXIT_GROUP, num(70))
	p.here(started)
	p.call(unix.SYS_CLOSE, failures[0].arg())
	p.call(unix.SYS_WRITE, num(fdParent), num(p.words(tagStarted, 0)), num(16)).exactly(16)

	if s.copies {
		waitForCopies(p)
	} else {
		waitForScript(p, script, false)
	}

	p.here(child)
	becomeScript(p, pol, s, rules, failures[1], release[0], filter)
}

// waitForScript reaps until the script's process is done, tells its status and
// ends; the kernel then kills and reaps whatever is left in the namespace. When
// it is asked to look, it also tells whether the keeper stands still, and ends
// when the parent has looked too.
func waitForScript(p *program, script slot, look bool) {
	p.begin("wait for the script")
	again := &label{}
	exit := p.words(tagExit, 0)
	usage := p.bytes(make([]byte, rusageSize), 8) // right behind it
	p.here(again)
	p.call(unix.SYS_WAIT4, num(-1), num(exit+8), num(0), num(usage)).until(script).allow(unix.EINTR)
	p.ifErrno(again)
	if look {
		// Whether the keeper stands still, where bit 32 and up are of the value. An
		// end of its own is told likewise, and is none of a process that stands still.
		p.call(unix.SYS_WAIT4, num(keeperPID), num(exit+12), num(unix.WNOHANG|unix.WUNTRACED), num(0)).allow(unix.ECHILD)
	}
	p.call(unix.SYS_WRITE, num(fdParent), num(exit), num(16+rusageSize)).exactly(16 + rusageSize)
	if look {
		// What is left stays as it is until the parent has looked at it.
		p.call(unix.SYS_READ, num(fdParent), num(exit), num(1))
	}
	p.call(unix.SYS_EXIT_GROUP, num(0))
}

func wallInInit(p *program, guard uint64) {
	for _, r := range initLimits {
		p.call(unix.SYS_PRLIMIT64, num(0), num(r.resource), num(p.words(r.soft, r.hard)), num(0))
	}
	p.call(unix.SYS_SECCOMP, num(unix.SECCOMP_SET_MODE_FILTER), num(0), num(guard))
}

func pipe(p *program, name string) [2]slot {
	p.begin(name)
	at := p.bytes(make([]byte, 8), 8)
	p.call(unix.SYS_PIPE2, num(at), num(unix.O_CLOEXEC))
	return [2]slot{slot(at), slot(at + 4)}
}

// fprog lays out the filter as seccomp(2) reads it.
func fprog(p *program, filter []byte) uint64 {
	code := p.bytes(filter, 8)
	return p.words(uint64(len(filter)/8), code)
}

// rusageSize is that of the kernel's struct on 64-bit systems.
const rusageSize = 144

// cwd is AT_FDCWD.
const cwd = unix.AT_FDCWD
