//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// threadsBelow counts the threads of all processes below pid 1: the program's.
func threadsBelow(pid1 int) int {
	n := 0
	for _, pid := range descendants(pid1, nil) {
		if tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid)); err == nil {
			n += len(tasks)
		}
	}
	return n
}

// sharedBelow says whether a process below pid 1 can write memory that its copies
// would share with it and with each other. What cannot be read counts as such.
func sharedBelow(pid1 int) bool {
	for _, pid := range descendants(pid1, nil) {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
		if err != nil {
			return true
		}
		for line := range bytes.Lines(text) {
			if f := bytes.Fields(line); len(f) > 1 && len(f[1]) == 4 && f[1][1] == 'w' && f[1][3] == 's' {
				return true
			}
		}
	}
	return false
}

// mappedBelow is the address space of the largest process below pid 1, in bytes.
func mappedBelow(pid1 int) (most int64) {
	for _, pid := range descendants(pid1, nil) {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
		if f := bytes.Fields(text); err == nil && len(f) > 0 {
			pages, _ := strconv.ParseInt(string(f[0]), 10, 64)
			most = max(most, pages*int64(os.Getpagesize()))
		}
	}
	return most
}

// send sends one message with descriptors.
func send(sock *os.File, b []byte, files ...*os.File) error {
	fds := make([]int, len(files))
	for i, f := range files {
		fds[i] = int(f.Fd())
	}
	conn, err := sock.SyscallConn()
	if err != nil {
		return err
	}
	var oob []byte
	if len(fds) > 0 {
		oob = unix.UnixRights(fds...)
	}
	var out error
	err = conn.Write(func(fd uintptr) bool {
		out = unix.Sendmsg(int(fd), b, oob, nil, unix.MSG_NOSIGNAL)
		return !errors.Is(out, unix.EAGAIN)
	})
	return errors.Join(err, out)
}

// notes keeps the end of what a zygote prints, for whoever asks why it failed.
type notes struct {
	mu   sync.Mutex
	end  []byte
	done chan struct{} // closed when it can print no more
}

func (n *notes) take(from *os.File) {
	defer close(n.done)
	defer from.Close()
	b := make([]byte, 4096)
	for {
		k, err := from.Read(b)
		n.mu.Lock()
		n.end = append(n.end, b[:k]...)
		if over := len(n.end) - maxNotes; over > 0 {
			n.end = append(n.end[:0], n.end[over:]...)
		}
		n.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (n *notes) last() string {
	select {
	case <-n.done:
	case <-time.After(time.Second):
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	lines := bytes.Split(bytes.TrimSpace(n.end), []byte("\n"))
	return strings.ToValidUTF8(string(lines[len(lines)-1]), "?")
}
