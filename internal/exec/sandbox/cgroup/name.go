//go:build linux

package cgroup

// Names of folders, and whether the process that made one still lives.

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// owner is a process for all time, not just while its number is not used
// again: pid namespace, pid in it, and start in clock ticks since boot.
type owner struct {
	space uint64
	pid   int
	start uint64
}

// name is the folder of the owner's nth group; the 0th is its own leaf on version 2.
func (o owner) name(n int64) string {
	return fmt.Sprintf("pyrun-%d-%d-%d-%d", o.space, o.pid, o.start, n)
}

// parseName reads what name has written, and nothing else.
func parseName(s string) (owner, bool) {
	f := strings.Split(s, "-")
	if len(f) != 5 || f[0] != "pyrun" {
		return owner{}, false
	}
	space, e1 := strconv.ParseUint(f[1], 10, 64)
	pid, e2 := strconv.ParseUint(f[2], 10, 31)
	start, e3 := strconv.ParseUint(f[3], 10, 64)
	n, e4 := strconv.ParseUint(f[4], 10, 63)
	o := owner{space, int(pid), start}
	if errors.Join(e1, e2, e3, e4) != nil || pid == 0 || s != o.name(int64(n)) {
		return owner{}, false
	}
	return o, true
}

// self is who this process is, found out when first asked.
func (h *Hierarchy) self() (owner, error) {
	h.know.Do(func() { h.me, h.err = h.host.identity() })
	return h.me, h.err
}

// identity returns who this process is. A pid namespace that /proc does not
// tell is 0, which [Hierarchy.Sweep] never judges.
func (sys host) identity() (owner, error) {
	start, err := sys.started(sys.pid)
	if err != nil {
		return owner{}, fmt.Errorf("cgroup: find our own start time: %w", err)
	}
	return owner{space: sys.pidSpace(), pid: sys.pid, start: start}, nil
}

func (sys host) pidSpace() uint64 {
	link, err := os.Readlink(filepath.Join(sys.proc, strconv.Itoa(sys.pid), "ns", "pid"))
	if err != nil {
		return 0
	}
	inner, ok := strings.CutPrefix(strings.TrimSuffix(link, "]"), "pid:[")
	if !ok {
		return 0
	}
	n, err := strconv.ParseUint(inner, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// started returns when a process started: field 22 of its stat, counted from
// behind the last ")" because its name may hold anything.
func (sys host) started(pid int) (uint64, error) {
	file := filepath.Join(sys.proc, strconv.Itoa(pid), "stat")
	text, err := read(file, 4096)
	if err != nil {
		return 0, err
	}
	f := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	if len(f) < 20 {
		return 0, fmt.Errorf("read %s: too few fields", file)
	}
	return strconv.ParseUint(f[19], 10, 64)
}

// lives reports whether the owner may still be there: in doubt it is. Both
// witnesses are asked, for /proc may hide the processes of others.
func (sys host) lives(o owner) bool {
	start, err := sys.started(o.pid)
	switch {
	case err == nil:
		return start == o.start
	case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ESRCH):
		return true
	}
	p, err := os.FindProcess(o.pid)
	if err != nil {
		return true
	}
	defer p.Release()
	return !errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}
