//go:build amd64 || arm64

package sandbox

import (
	"encoding/binary"
	"errors"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// What no policy changes is played before one is known: pid 1 is started, makes
// what every script sees, and waits for the rest of its list. A waiting one
// serves one run or none. It holds no request, and it is gone when the thread
// that started it is, or when its socket is closed.

// opened is pid 1 of a run that has no policy yet.
type opened struct {
	r     *running
	s     site          // what the opening was written from
	known chan struct{} // closed when s and r.opening are settled; there is none when that failed
	done  chan struct{} // closed when pid 1 runs, or err says why there is none and nothing is left of it
	err   error
}

// newOpened is one that can show these binds, and any others that its anchor does not cover.
func newOpened(binds []source) *opened {
	return &opened{
		r:     &running{exited: make(chan struct{}), started: make(chan struct{})},
		s:     site{binds: binds},
		known: make(chan struct{}), done: make(chan struct{}),
	}
}

// open starts it; thread has a function done by the machine's thread.
func (m *machine) open(o *opened, thread func(func())) {
	defer close(o.done)
	h, doors, err := m.prepare(o)
	defer closeAll(doors)
	close(o.known)
	if err == nil {
		err = spawn(o.r, h, doors, thread)
	}
	if err != nil {
		o.err = errors.Join(err, o.r.release())
	}
}

// prepare takes what pid 1 starts with.
func (m *machine) prepare(o *opened) (h host, doors []*os.File, err error) {
	if h, err = m.host(); err != nil {
		return h, nil, err
	}
	mounts, err := m.mounts()
	if err != nil {
		return h, nil, err
	}
	if o.s.anchor, err = findAnchor(o.s.binds, mounts); err != nil {
		return h, nil, err
	}
	groups, err := m.groups()
	if err != nil {
		return h, nil, err
	}
	if o.r.meter, err = newMeter(groups); err != nil {
		return h, nil, err
	}
	if doors, err = o.r.meter.doors(true); err != nil {
		return h, nil, &Error{Step: "join the cgroup", Err: err}
	}
	if o.s.devices, err = inspectDevices(); err != nil {
		return h, doors, err
	}
	if o.r.id, err = newIdentity(h.userns || o.s.alien, h.ownID); err != nil {
		return h, doors, err
	}
	o.r.opening = newOpening(m.fault)
	if o.s.copies {
		o.r.id.forCopies()
		if o.r.id.nests() {
			o.s.sysctl = o.r.opening.slot()
		}
	}
	o.s.id, o.s.doors = o.r.id, len(doors)
	open(o.r.opening, o.s)
	return h, doors, nil
}

// discard ends a waiting pid 1 that is not wanted.
func (o *opened) discard() error {
	<-o.done
	if o.err != nil {
		return nil // a start that asked for it would have been told
	}
	go o.r.listen()
	return o.r.close()
}

// What goes to pid 1 with the rest of its list: four descriptors, and how many
// bytes of ops and of data the first one holds.
const (
	restSizes       = 8
	restDescriptors = 4                                           // the list, then the three standard streams
	restControl     = 16 + restDescriptors*4                      // struct cmsghdr and the descriptors
	restRights      = unix.SOL_SOCKET | unix.SCM_RIGHTS<<32       // its level and its type
	restMap         = unix.MAP_PRIVATE | unix.MAP_FIXED_NOREPLACE // over no other mapping
)

// receiveRest is the opening's end: pid 1 waits, takes the rest and goes on
// there. The kernel is what checks it: the file must be one that cannot change,
// and neither part may lie where something is already.
func receiveRest(p *program) {
	p.begin("receive the rest of the list")
	sizes := p.bytes(make([]byte, restSizes), 8)
	control := p.bytes(make([]byte, restControl), 8)
	msg := p.words(0, 0, p.words(sizes, restSizes), 1, control, restControl, 0)
	p.call(unix.SYS_RECVMSG, num(fdParent), num(msg), num(unix.MSG_CMSG_CLOEXEC)).exactly(restSizes)
	p.check(control, ^uint64(0), restControl, unix.EBADMSG)
	p.check(control+8, ^uint64(0), restRights, unix.EBADMSG)
	sent := func(i uint64) arg { return slot(control + 16 + 4*i).arg() }

	held := p.words(0)
	p.call(unix.SYS_FCNTL, sent(0), num(unix.F_GET_SEALS)).keep(slot(held))
	p.check(held, seals, seals, unix.EPERM)
	p.call(unix.SYS_MMAP, num(restBase), slot(sizes).arg(), num(unix.PROT_READ), num(restMap), sent(0), num(0))
	p.call(unix.SYS_MMAP, num(restData), slot(sizes+4).arg(), num(unix.PROT_READ|unix.PROT_WRITE), num(restMap), sent(0), num(restDataAt))
	for i := range uint64(3) {
		p.call(unix.SYS_DUP3, sent(1+i), num(i), num(0))
	}
	p.call(unix.SYS_CLOSE, sent(0)).onZero = restOp
}

// hand gives pid 1 the rest of its list and the script's streams.
func (r *running) hand(list *os.File, std Stdio) error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return &Error{Step: "open the null device", Err: err}
	}
	defer null.Close()
	files := [restDescriptors]*os.File{list, std.Stdin, std.Stdout, std.Stderr}
	var fds [restDescriptors]int
	for i, f := range files {
		if f == nil {
			f = null
		}
		fds[i] = int(f.Fd())
	}
	sizes := binary.LittleEndian.AppendUint32(nil, uint32(len(r.rest.ops)*opSize))
	sizes = binary.LittleEndian.AppendUint32(sizes, uint32(len(r.rest.data)))
	conn, err := r.sock.SyscallConn()
	if err != nil {
		return err
	}
	var out error
	err = conn.Write(func(fd uintptr) bool {
		out = unix.Sendmsg(int(fd), sizes, unix.UnixRights(fds[:]...), nil, unix.MSG_NOSIGNAL)
		return !errors.Is(out, unix.EAGAIN)
	})
	runtime.KeepAlive(files)
	err = errors.Join(err, out)
	if errors.Is(err, unix.EPIPE) || errors.Is(err, unix.ECONNRESET) {
		return nil // pid 1 has failed before, and its last word is still to be read
	}
	if err != nil {
		return &Error{Step: "hand the list to pid 1", Err: err}
	}
	return nil
}
