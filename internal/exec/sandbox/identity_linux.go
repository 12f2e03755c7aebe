//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"syscall"

	"golang.org/x/sys/unix"
)

// Who the script is. It is never the kernel's user 0, not even mapped: files of
// /proc/sys ask for the owner only.
//
//	root with the capabilities it needs   an id of the run's own from firstID, no user namespace
//	root without them                     a user namespace with such an id and, for pid 1 alone, root: paths of
//	                                      root's have to be opened before that id is taken
//	anyone else                           a user namespace that maps to the caller's id

const (
	firstID  = 60000 // Debian's range for ids that are given out dynamically
	manyIDs  = 4096
	insideID = 1000 // in a user namespace; 65534 would make all of /usr look like the script's own
)

// identity is who one run is.
type identity struct {
	userns   bool
	uid, gid int      // as the script sees itself
	hostID   int      // the kernel's uid and gid when the parent is root, else -1
	many     bool     // a zygote's in a user namespace: the ids of all runs are mapped
	at       slot     // in a list for many runs: where uid stands, and gid behind it
	lease    *os.File // holds hostID against other runs
}

// nests says that a zygote's copies have user namespaces of their own.
func (id identity) nests() bool { return id.userns && !id.drops() }

// forCopies makes it a zygote's. Its copies map their own id to it, or have ids of the same range.
func (id *identity) forCopies() {
	switch {
	case id.nests():
		id.uid, id.gid = 0, 0 // to which alone /proc/self/uid_map belongs
	case id.userns:
		id.many = true
		id.uid, id.gid = id.inRange(), id.inRange()
	}
}

// inRange is hostID as a namespace sees it that has all of them.
func (id identity) inRange() int { return insideID + id.hostID - firstID }

// copyIdentity takes the identity of one of z's copies.
func copyIdentity(z identity) (identity, error) {
	id, err := newIdentity(z.userns, z.drops())
	if z.many && err == nil {
		id.uid, id.gid = id.inRange(), id.inRange()
	}
	return id, err
}

// ids are uid and gid as arguments.
func (id identity) ids() (uid, gid arg) {
	if id.at != 0 {
		return id.at.arg(), (id.at + 4).arg()
	}
	return num(id.uid), num(id.gid)
}

// drops says that pid 1 begins as another user and becomes this one on its way.
func (id identity) drops() bool { return id.hostID >= 0 }

// caps that setting up needs without a user namespace.
const needed = 1<<unix.CAP_SYS_ADMIN | 1<<unix.CAP_NET_ADMIN | 1<<unix.CAP_SETUID |
	1<<unix.CAP_SETGID | 1<<unix.CAP_SETPCAP | 1<<unix.CAP_CHOWN | 1<<unix.CAP_KILL | 1<<unix.CAP_FOWNER

// ambient is what the child keeps through execve in a user namespace until it drops it.
var ambient = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP, unix.CAP_SYS_RESOURCE, unix.CAP_SYS_CHROOT}

// chooseIdentity decides from the effective user and capabilities.
func chooseIdentity(euid int, effective uint64) (userns, ownID bool, err error) {
	const mapIDs = 1<<unix.CAP_SETUID | 1<<unix.CAP_SETGID
	switch {
	case euid != 0:
		return true, false, nil
	case effective&needed == needed:
		return false, true, nil
	case effective&mapIDs == mapIDs:
		return true, true, nil
	default:
		return false, false, &Error{
			Step: "choose an identity", Err: unix.EPERM,
			Why:    "this process is root without CAP_SETUID and CAP_SETGID, and a script never runs as root",
			Remedy: "run pyrun as an ordinary user (in a container: --user 1000), or give it both capabilities",
		}
	}
}

// newIdentity takes the identity of one run; release it with close.
func newIdentity(userns, ownID bool) (identity, error) {
	if !ownID {
		return identity{userns: true, uid: insideID, gid: insideID, hostID: -1}, nil
	}
	id, lease, err := leaseID()
	if err != nil {
		return identity{}, &Error{Step: "take a user id", Err: err, Remedy: "fewer runs at once"}
	}
	if userns {
		return identity{userns: true, uid: insideID, gid: insideID, hostID: id, lease: lease}, nil
	}
	return identity{uid: id, gid: id, hostID: id, lease: lease}, nil
}

// leaseID finds an id no other run of this network namespace has. The holder is
// an abstract socket's name: it needs no file and is gone with its process.
func leaseID() (int, *os.File, error) {
	start := rand.IntN(manyIDs)
	for i := range manyIDs {
		id := firstID + (start+i)%manyIDs
		fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return 0, nil, err
		}
		err = unix.Bind(fd, &unix.SockaddrUnix{Name: fmt.Sprintf("@pyrun-uid-%d", id)})
		if err == nil {
			return id, os.NewFile(uintptr(fd), "uid lease"), nil
		}
		unix.Close(fd)
		if !errors.Is(err, unix.EADDRINUSE) {
			return 0, nil, err
		}
	}
	return 0, nil, unix.EAGAIN
}

func (id identity) close() {
	if id.lease != nil {
		id.lease.Close()
	}
}

// give makes a file or link of the new root the script's, unless pid 1 is the
// script's user already.
func (id identity) give(p *program, at string) {
	if id.drops() {
		uid, gid := id.ids()
		p.call(unix.SYS_FCHOWNAT, num(cwd), p.str(rel(at)), uid, gid, num(unix.AT_SYMLINK_NOFOLLOW))
	}
}

// leave makes a file of a copy's store what it is in a cold run: root's, where
// the script has another user. The zygote that makes it is neither.
func (id identity) leave(p *program, at string) {
	if id.drops() {
		p.call(unix.SYS_FCHOWNAT, num(cwd), p.str(rel(at)), num(0), num(0), num(unix.AT_SYMLINK_NOFOLLOW))
	}
}

// attrs asks the kernel for the namespaces.
func (id identity) attrs(a *syscall.SysProcAttr) {
	if !id.userns {
		return
	}
	a.Cloneflags |= unix.CLONE_NEWUSER
	if id.drops() {
		both := []syscall.SysProcIDMap{{ContainerID: 0, HostID: 0, Size: 1}, {ContainerID: id.uid, HostID: id.hostID, Size: 1}}
		if id.many {
			both[1] = syscall.SysProcIDMap{ContainerID: insideID, HostID: firstID, Size: manyIDs}
		}
		a.UidMappings, a.GidMappings, a.GidMappingsEnableSetgroups = both, both, true
		return
	}
	a.UidMappings = []syscall.SysProcIDMap{{ContainerID: id.uid, HostID: os.Geteuid(), Size: 1}}
	a.GidMappings = []syscall.SysProcIDMap{{ContainerID: id.gid, HostID: os.Getegid(), Size: 1}}
	a.AmbientCaps = ambient
}

// identityFiles are the few files of /etc that libraries look into, but for passwd.
func identityFiles(id identity) []File {
	return []File{
		group(id),
		// With files alone a lookup fails at once and says so, instead of inviting a retry.
		etc("nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n"),
		etc("hosts", "127.0.0.1 localhost sandbox\n::1 localhost\n"),
		etc("host.conf", "multi on\n"), // or localhost has no ::1
	}
}

// passwd knows the script's user alone.
func passwd(id identity, home string) File {
	return etc("passwd", fmt.Sprintf("sandbox:x:%d:%d::%s:/sbin/nologin\n", id.uid, id.gid, home))
}

func group(id identity) File { return etc("group", fmt.Sprintf("sandbox:x:%d:\n", id.gid)) }

func etc(name, text string) File {
	return File{Path: path.Join("/etc", name), Mode: 0o444, Data: []byte(text)}
}
