//go:build amd64 || arm64

package sandbox

import (
	"path"
	"sort"
	"strings"

	"golang.org/x/sys/unix"
)

// What can be seen. The new root is a small memory file system, mounted over a
// folder of the host that no bind comes from; the host shows in it only through
// binds, each compared with what the parent saw. Paths of the new root are
// relative to it while it is built.

const (
	flagsData  = unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC
	attrNoSUID = unix.MOUNT_ATTR_NOSUID
	attrSealed = unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV | unix.MOUNT_ATTR_NOEXEC
)

// beginRoot makes of the new root what every script sees.
func beginRoot(p *program, s site) {
	p.begin("make mounts private")
	p.call(unix.SYS_MOUNT, num(0), p.str("/"), num(0), num(unix.MS_REC|unix.MS_PRIVATE), num(0))

	p.begin("mount the root")
	p.call(unix.SYS_MOUNT, p.str("tmpfs"), p.str(s.anchor), p.str("tmpfs"), num(flagsData), p.str("size=2m,nr_inodes=2k,mode=755"))
	p.call(unix.SYS_CHDIR, p.str(s.anchor))

	p.begin("mount /dev")
	p.mkdir("/dev", 0o755)
	p.call(unix.SYS_MOUNT, p.str("tmpfs"), p.str(rel("/dev")), p.str("tmpfs"), num(unix.MS_NOSUID|unix.MS_NOEXEC), p.str("size=64k,nr_inodes=64,mode=755"))
	seen := p.statx()
	for _, d := range s.devices {
		mountBind(p, d, seen)
	}
	none := Policy{} // nothing here is the script's
	for _, l := range deviceLinks() {
		makeLink(p, none, s.id, l)
	}
	for _, f := range identityFiles(s.id) {
		writeFile(p, none, s.id, f)
	}
	flags := flagsData
	if s.sysctl == 0 { // a zygote whose copies have user namespaces writes there who its copies are, and no copy sees it
		flags |= unix.MS_RDONLY
	}
	mountProc(p, flags, true)
}

// furnishRoot adds what this policy lets the script see.
func furnishRoot(p *program, pol Policy, s site) {
	store := mountStore(p, pol, s)
	for _, dir := range pol.Sealed {
		// A mount of its own, so that it can turn read-only when it is full.
		p.begin("make " + dir)
		p.mkdir(dir, 0o755)
		p.call(unix.SYS_MOUNT, p.str(rel(dir)), p.str(rel(dir)), num(0), num(unix.MS_BIND), num(0))
	}
	seen := p.statx()
	for _, b := range s.binds {
		mountBind(p, b, seen)
	}
	for _, l := range pol.Links {
		makeLink(p, pol, s.id, l)
	}
	for _, f := range append([]File{passwd(s.id, pol.Dir)}, pol.Files...) {
		writeFile(p, pol, s.id, f)
	}
	for _, dir := range pol.Sealed {
		p.begin("seal " + dir)
		p.setAttr(num(cwd), rel(dir), 0, attrSealed)
	}
	handOut(p, store)
}

// statx is room for a struct statx.
func (p *program) statx() uint64 { return p.bytes(make([]byte, 256), 8) }

// mountBind shows a source at its target and makes sure that it is still the
// object the parent looked at. Then it turns read-only in its whole depth.
func mountBind(p *program, b source, seen uint64) {
	p.begin("show " + b.Target)
	if b.stat.Mode&unix.S_IFMT == unix.S_IFDIR {
		p.mkdir(b.Target, 0o755)
	} else {
		p.mkdir(path.Dir(b.Target), 0o755)
		p.create(b.Target, 0o444, nil)
	}
	flags := unix.MS_BIND
	if b.deep {
		flags |= unix.MS_REC
	}
	p.call(unix.SYS_MOUNT, p.str(b.Source), p.str(rel(b.Target)), num(0), num(flags), num(0))

	p.begin("verify " + b.Source)
	p.call(unix.SYS_STATX, num(cwd), p.str(rel(b.Target)), num(unix.AT_SYMLINK_NOFOLLOW), num(unix.STATX_BASIC_STATS), num(seen))
	const all = ^uint64(0)
	p.check(seen+0x1c, 0xf000, uint64(b.stat.Mode&unix.S_IFMT), unix.ESTALE) // stx_mode
	p.check(seen+0x20, all, b.stat.Ino, unix.ESTALE)                         // stx_ino
	if b.device != 0 {                                                       // stx_rdev_major, stx_rdev_minor
		p.check(seen+0x80, all, uint64(unix.Major(b.device))|uint64(unix.Minor(b.device))<<32, unix.ENODEV)
	} else { // stx_dev_major, stx_dev_minor
		p.check(seen+0x88, all, uint64(b.stat.Dev_major)|uint64(b.stat.Dev_minor)<<32, unix.ESTALE)
	}

	p.begin("close " + b.Target + " to writing")
	attr := uint64(attrNoSUID)
	if b.device != 0 {
		attr |= unix.MOUNT_ATTR_NOEXEC
	} else {
		attr |= unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NODEV
	}
	if b.NoExec {
		attr |= unix.MOUNT_ATTR_NOEXEC
	}
	p.setAttr(num(cwd), rel(b.Target), unix.AT_RECURSIVE, attr)
}

// mountProc mounts a /proc that shows processes only. A container with masks
// on its own /proc refuses that; then, where it can be done without, there is none,
// and never the host's. The parent is told which: the value, which was 1,
// becomes 0 when it stands.
func mountProc(p *program, flags int, dispensable bool) {
	p.begin("mount /proc")
	p.mkdir("/proc", 0o555)
	record := p.words(tagOpened, 1)
	mount := p.call(unix.SYS_MOUNT, p.str("proc"), p.str(rel("/proc")), p.str("proc"), num(flags), p.str("subset=pid,hidepid=invisible")).keep(slot(record + 8))
	if dispensable {
		mount.allow(unix.EPERM)
	}
	p.call(unix.SYS_WRITE, num(fdParent), num(record), num(16)).exactly(16)
}

// makeLink makes a symbolic link. It is the script's when it lies where the
// script may write.
func makeLink(p *program, pol Policy, id identity, l Link) {
	p.begin("link " + l.Path)
	p.mkdir(path.Dir(l.Path), 0o755)
	p.call(unix.SYS_SYMLINKAT, p.str(l.Target), num(cwd), p.str(rel(l.Path)))
	if writable(pol, l.Path) {
		id.give(p, l.Path)
	}
}

// enterRoot makes the new root the only one and closes it to writing.
func enterRoot(p *program) {
	moved, done := &label{}, &label{}
	p.begin("enter the root")
	p.call(unix.SYS_PIVOT_ROOT, p.str("."), p.str(".")).allow(unix.EPERM)
	p.ifErrno(moved)
	p.call(unix.SYS_UMOUNT2, p.str("."), num(unix.MNT_DETACH))
	p.call(unix.SYS_CHDIR, p.str("/"))
	p.ifZero(done)
	// Some containers' profiles refuse pivot_root and allow this.
	p.here(moved)
	p.call(unix.SYS_MOUNT, p.str("."), p.str("/"), num(0), num(unix.MS_MOVE), num(0))
	p.call(unix.SYS_CHROOT, p.str("."))
	p.call(unix.SYS_CHDIR, p.str("/"))
	p.here(done)
	p.begin("close the root to writing")
	p.setAttr(num(cwd), "/dev", 0, unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NOEXEC)
	p.setAttr(num(cwd), "/", 0, attrSealed)
}

// writeFile creates a file with its content. It is the script's when it lies
// where the script may write.
func writeFile(p *program, pol Policy, id identity, f File) {
	p.begin("write " + f.Path)
	own := writable(pol, f.Path)
	p.mkdirFor(pol, id, path.Dir(f.Path))
	p.create(f.Path, f.Mode, f.Data)
	if own {
		id.give(p, f.Path)
	}
}

// create makes one new file and fills it.
func (p *program) create(at string, mode uint32, data []byte) {
	var from uint64
	if len(data) > 0 {
		from = p.bytes(data, 1)
	}
	p.createFrom(at, mode, from, len(data))
}

// createFrom fills it with what lies at an address when the list is played.
func (p *program) createFrom(at string, mode uint32, from uint64, size int) {
	fd := p.slot()
	p.call(unix.SYS_OPENAT, num(cwd), p.str(rel(at)), num(unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC), num(mode)).keep(fd)
	if size > 0 {
		p.call(unix.SYS_WRITE, fd.arg(), num(from), num(size)).exactly(size)
	}
	p.call(unix.SYS_CLOSE, fd.arg())
}

// mkdir makes a directory of the new root and its parents, each once.
func (p *program) mkdir(dir string, mode uint32) {
	if dir == "/" || p.made[dir] {
		return
	}
	p.mkdir(path.Dir(dir), 0o755)
	p.made[dir] = true
	p.call(unix.SYS_MKDIRAT, num(cwd), p.str(rel(dir)), num(mode))
}

// mkdirFor is mkdir that gives what it makes to the script where it may write.
func (p *program) mkdirFor(pol Policy, id identity, dir string) {
	if dir == "/" || p.made[dir] {
		return
	}
	p.mkdirFor(pol, id, path.Dir(dir))
	p.mkdir(dir, 0o755)
	if writable(pol, dir) {
		id.give(p, dir)
	}
}

func (p *program) setAttr(dir arg, at string, flags int, attr uint64) {
	p.call(unix.SYS_MOUNT_SETATTR, dir, p.str(at), num(flags), num(p.words(attr, 0, 0, 0)), num(32))
}

func deviceLinks() []Link {
	return []Link{
		{"/dev/fd", "/proc/self/fd"},
		{"/dev/stdin", "/proc/self/fd/0"},
		{"/dev/stdout", "/proc/self/fd/1"},
		{"/dev/stderr", "/proc/self/fd/2"},
	}
}

// byDepth sorts binds so that a target never hides one that was mounted before.
func byDepth(bs []source) {
	sort.SliceStable(bs, func(i, j int) bool {
		return strings.Count(bs[i].Target, "/") < strings.Count(bs[j].Target, "/")
	})
}
