//go:build amd64 || arm64

package sandbox

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// mountStore makes the one bounded memory file system that all writable
// directories are parts of, and returns a descriptor of it.
func mountStore(p *program, pol Policy, s site) slot {
	const store = "/.store"
	p.begin("mount the store")
	p.mkdir(store, 0o700)
	fd := openStore(p, pol, store)
	for _, d := range pol.Writable {
		p.begin("make " + d.Path)
		inside := store + "/" + d.Name
		p.call(unix.SYS_MKDIRAT, num(cwd), p.str(rel(inside)), num(d.Mode))
		s.id.give(p, inside)
		if nested(pol, d.Path) {
			p.made[d.Path] = true
			continue
		}
		p.mkdir(d.Path, 0o755)
		p.call(unix.SYS_MOUNT, p.str(rel(inside)), p.str(rel(d.Path)), num(0), num(unix.MS_BIND), num(0))
	}
	p.begin("hide the store")
	p.call(unix.SYS_UMOUNT2, p.str(rel(store)), num(unix.MNT_DETACH))
	p.call(unix.SYS_UNLINKAT, num(cwd), p.str(rel(store)), num(unix.AT_REMOVEDIR))
	return fd
}

// openStore mounts the file system and opens it.
func openStore(p *program, pol Policy, at string) slot {
	opts := "mode=755"
	if pol.Limits.Disk > 0 {
		opts += fmt.Sprintf(",size=%d", pol.Limits.Disk)
	}
	if pol.Limits.Inodes > 0 {
		opts += fmt.Sprintf(",nr_inodes=%d", pol.Limits.Inodes)
	}
	p.call(unix.SYS_MOUNT, p.str("tmpfs"), p.str(rel(at)), p.str("tmpfs"), num(flagsData), p.str(opts))
	fd := p.slot()
	p.call(unix.SYS_OPENAT, num(cwd), p.str(rel(at)), num(unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC), num(0)).keep(fd)
	return fd
}

// handOut sends the store's descriptor to the parent, which reads artifacts
// through it when nothing can write there any more. Others may go with it.
func handOut(p *program, store slot, more ...slot) {
	p.begin("hand out the store")
	fds := append([]slot{store}, more...)
	size := uint64(16 + 4*len(fds)) // struct cmsghdr and the descriptors
	control := p.words(size, unix.SOL_SOCKET|unix.SCM_RIGHTS<<32)
	p.bytes(make([]byte, (4*len(fds)+7)&^7), 4)
	iov := p.words(p.words(tagStore, 0), 16)
	msg := p.words(0, 0, iov, 1, control, size, 0)
	for i, fd := range fds {
		// dup is the one call that puts a number where another call left it.
		p.call(unix.SYS_DUP, fd.arg()).keep(slot(control + 16 + 4*uint64(i)))
	}
	p.call(unix.SYS_SENDMSG, num(fdParent), num(msg), num(unix.MSG_NOSIGNAL)).exactly(16)
}
