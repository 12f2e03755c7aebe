//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// aloneBelow says whether there is one process below pid 1, with one thread and
// without memory that it can write and its copies would share with it and with
// each other. It waits for those that are about to end, as the one is that used up a pid.
func aloneBelow(pid1 int) bool {
	const patience = 5 * time.Second
	var below []int
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		below = slices.DeleteFunc(descendants(pid1, nil), ended)
		if len(below) == 1 || time.Now().After(end) {
			break
		}
	}
	if len(below) != 1 {
		return false
	}
	dir := fmt.Sprintf("/proc/%d/", below[0])
	tasks, err := os.ReadDir(dir + "task")
	maps, merr := os.ReadFile(dir + "maps")
	if err != nil || merr != nil || len(tasks) != 1 {
		return false
	}
	for line := range bytes.Lines(maps) {
		if f := bytes.Fields(line); len(f) > 1 && len(f[1]) == 4 && f[1][1] == 'w' && f[1][3] == 's' {
			return false
		}
	}
	return true
}

// ended says whether a process is gone, or waits to be reaped.
func ended(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	f := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:]) // the name may hold anything
	return err != nil || len(f) == 0 || f[0][0] == 'Z' || f[0][0] == 'X'
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
