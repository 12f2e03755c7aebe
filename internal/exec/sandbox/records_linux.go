//go:build amd64 || arm64

package sandbox

import (
	"encoding/binary"
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// record is one message of pid 1.
type record struct {
	tag, value uint64
	peak       int64    // with tagExit: the most memory one of the script's processes had, bytes
	dir        *os.File // with tagStore
}

// receive takes one record.
func receive(sock *os.File) (r record, err error) {
	conn, err := sock.SyscallConn()
	if err != nil {
		return r, err
	}
	var (
		buf  [16 + rusageSize]byte
		oob  [64]byte
		n, m int
		in   error
	)
	err = conn.Read(func(fd uintptr) bool {
		n, m, _, _, in = unix.Recvmsg(int(fd), buf[:], oob[:], unix.MSG_CMSG_CLOEXEC)
		return !errors.Is(in, unix.EAGAIN)
	})
	if err = errors.Join(err, in); err != nil {
		return r, err
	}
	if n < 16 {
		return r, os.ErrClosed
	}
	if m > 0 {
		r.dir = passedFile(oob[:m])
	}
	le := binary.LittleEndian
	r.tag, r.value = le.Uint64(buf[:]), le.Uint64(buf[8:])
	const maxrss = 16 + 32 // behind two struct timeval
	r.peak = int64(le.Uint64(buf[maxrss:])) << 10
	return r, nil
}

// passedFile is the first descriptor of a control message; any other is closed.
func passedFile(oob []byte) *os.File {
	msgs, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return nil
	}
	var first *os.File
	for i := range msgs {
		fds, err := unix.ParseUnixRights(&msgs[i])
		if err != nil {
			continue
		}
		for _, fd := range fds {
			if first == nil {
				first = os.NewFile(uintptr(fd), "store")
			} else {
				unix.Close(fd)
			}
		}
	}
	return first
}
