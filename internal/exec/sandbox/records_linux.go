//go:build amd64 || arm64

package sandbox

import (
	"encoding/binary"
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// receive takes one record, with a descriptor if one came along.
func receive(sock *os.File) (tag, value uint64, dir *os.File, err error) {
	conn, err := sock.SyscallConn()
	if err != nil {
		return 0, 0, nil, err
	}
	var (
		buf  [16]byte
		oob  [64]byte
		n, m int
		in   error
	)
	err = conn.Read(func(fd uintptr) bool {
		n, m, _, _, in = unix.Recvmsg(int(fd), buf[:], oob[:], unix.MSG_CMSG_CLOEXEC)
		return !errors.Is(in, unix.EAGAIN)
	})
	if err = errors.Join(err, in); err != nil {
		return 0, 0, nil, err
	}
	if n != len(buf) {
		return 0, 0, nil, os.ErrClosed
	}
	if m > 0 {
		dir = passedFile(oob[:m])
	}
	return binary.LittleEndian.Uint64(buf[:]), binary.LittleEndian.Uint64(buf[8:]), dir, nil
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
