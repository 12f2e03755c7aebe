//go:build amd64 || arm64

package sandbox

import (
	"encoding/binary"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// record is one message of pid 1.
type record struct {
	tag, value uint64
	cpu        time.Duration // with tagExit: what the script and all it waited for took
	peak       int64         // likewise: the most memory one of those processes had, bytes
	files      [2]*os.File   // with tagStore: the store and, of a copy, pid 1
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
		r.files = passedFiles(oob[:m])
	}
	le := binary.LittleEndian
	r.tag, r.value = le.Uint64(buf[:]), le.Uint64(buf[8:])
	for at := 16; at < 48; at += 16 { // two struct timeval
		r.cpu += time.Duration(le.Uint64(buf[at:]))*time.Second + time.Duration(le.Uint64(buf[at+8:]))*time.Microsecond
	}
	const maxrss = 16 + 32
	r.peak = int64(le.Uint64(buf[maxrss:])) << 10
	return r, nil
}

// passedFiles are the first descriptors of a control message; any other is closed.
func passedFiles(oob []byte) (files [2]*os.File) {
	msgs, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return files
	}
	n := 0
	for i := range msgs {
		fds, err := unix.ParseUnixRights(&msgs[i])
		if err != nil {
			continue
		}
		for _, fd := range fds {
			if n < len(files) {
				files[n] = os.NewFile(uintptr(fd), "passed")
			} else {
				unix.Close(fd)
			}
			n++
		}
	}
	return files
}
