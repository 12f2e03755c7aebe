//go:build amd64 || arm64

package sandbox

import (
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// hostName gives the run's own host a name.
func hostName(p *program) {
	p.begin("set the host name")
	// A container's profile may refuse it; the name is no wall.
	p.call(unix.SYS_SETHOSTNAME, p.str("sandbox"), num(len("sandbox"))).allow(unix.EPERM)
	p.call(unix.SYS_SETDOMAINNAME, p.str("(none)"), num(len("(none)"))).allow(unix.EPERM)
}

// network gives the empty network namespace its lo, when asked for.
func network(p *program, n Network) {
	if n != NetworkLoopback {
		return
	}
	p.begin("bring up loopback")
	ifreq := make([]byte, 40) // struct ifreq: the name, then the flags
	copy(ifreq, "lo")
	binary.LittleEndian.PutUint16(ifreq[16:], unix.IFF_UP|unix.IFF_RUNNING)
	sock := p.slot()
	p.call(unix.SYS_SOCKET, num(unix.AF_INET), num(unix.SOCK_DGRAM|unix.SOCK_CLOEXEC), num(0)).keep(sock)
	p.call(unix.SYS_IOCTL, sock.arg(), num(unix.SIOCSIFFLAGS), num(p.bytes(ifreq, 8)))
	p.call(unix.SYS_CLOSE, sock.arg())
}
