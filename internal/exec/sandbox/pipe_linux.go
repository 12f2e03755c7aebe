package sandbox

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Pipe is os.Pipe without the calls that are of no use to an end which is handed
// to a program: only the other one, to write to if the program is to be fed, is
// waited for by goroutines and has deadlines.
func Pipe(feed bool) (r, w *os.File, err error) {
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
		return nil, nil, os.NewSyscallError("pipe2", err)
	}
	own := fds[0]
	if feed {
		own = fds[1]
	}
	if err := unix.SetNonblock(own, true); err != nil {
		return nil, nil, os.NewSyscallError("fcntl", errors.Join(err, unix.Close(fds[0]), unix.Close(fds[1])))
	}
	return os.NewFile(uintptr(fds[0]), "|0"), os.NewFile(uintptr(fds[1]), "|1"), nil
}
