//go:build amd64 || arm64

package sandbox

import (
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// What can be opened, said a second time: a hole in the mounts is not a hole in
// this. Rights are named as the kernel's landlock(7) does.
const (
	llExecute  = 1 << 0
	llWrite    = 1 << 1
	llRead     = 1 << 2
	llList     = 1 << 3
	llMakeChar = 1 << 6
	llMakeBlk  = 1 << 11
	llRefer    = 1 << 13 // ABI 2
	llTruncate = 1 << 14 // ABI 3
	llIoctl    = 1 << 15 // ABI 5

	llBind    = 1 << 0 // ABI 4
	llConnect = 1 << 1

	llAbstract = 1 << 0 // ABI 6
	llSignal   = 1 << 1
)

// handled is every file right a Landlock ABI knows: what no rule grants is denied.
func handled(abi int) uint64 {
	switch {
	case abi >= 5:
		return 1<<16 - 1
	case abi >= 3:
		return 1<<15 - 1
	case abi == 2:
		return 1<<14 - 1
	default:
		return 1<<13 - 1
	}
}

// landlockRules makes the rule set while paths can still be opened and returns
// its descriptor's slot. pid 2 enters it last but for the system call filter.
func landlockRules(p *program, pol Policy, s site) slot {
	p.begin("make file rules (Landlock)")
	fs, net, scope, size := handled(s.landlock), uint64(0), uint64(0), 8
	if s.landlock >= 4 {
		size = 16
		// With loopback, bind and connect are for lo alone: there is nothing else.
		if pol.Network == NetworkNone {
			net = llBind | llConnect
		}
	}
	if s.landlock >= 6 {
		size, scope = 24, llAbstract|llSignal
	}
	rules := p.slot()
	p.call(unix.SYS_LANDLOCK_CREATE_RULESET, num(p.words(fs, net, scope)), num(size), num(0)).keep(rules)

	allow := func(at string, rights uint64) {
		// struct landlock_path_beneath_attr, packed: the rights, then the descriptor
		rule := p.bytes(append(binary.LittleEndian.AppendUint64(nil, rights&fs), 0, 0, 0, 0), 8)
		fd := slot(rule + 8)
		p.call(unix.SYS_OPENAT, num(cwd), p.str(at), num(unix.O_PATH|unix.O_CLOEXEC), num(0)).keep(fd)
		p.call(unix.SYS_LANDLOCK_ADD_RULE, rules.arg(), num(1), num(rule), num(0))
		p.call(unix.SYS_CLOSE, fd.arg())
	}
	allow("/", llList)
	for _, dir := range rootDirs(pol) {
		allow(dir, llRead|llList)
	}
	for _, b := range append(s.binds, s.devices...) {
		rights := uint64(llRead | llList | llExecute)
		switch {
		case b.device != 0:
			rights = llRead | llWrite
		case b.NoExec:
			rights &^= llExecute
		}
		if b.stat.Mode&unix.S_IFMT != unix.S_IFDIR {
			rights &^= llList // the kernel refuses rights that a file cannot have
		}
		allow(b.Target, rights)
	}
	for _, d := range pol.Writable {
		if !nested(pol, d.Path) {
			allow(d.Path, fs&^(llExecute|llMakeChar|llMakeBlk|llIoctl))
		}
	}
	return rules
}
