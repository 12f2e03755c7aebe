//go:build linux

package cgroup

// One group: made, filled, killed, removed.

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// removeLimit is how long the kernel is given to let an empty folder go: far
// above what it needs.
const removeLimit = 2 * time.Second

// Group is one control group. Its methods may be called from many goroutines,
// but nothing may be added once Close has been called.
type Group struct {
	mode   Mode
	memory string   // as in Hierarchy, but the group's own folders
	pids   string   //
	cpu    string   //
	all    []string // each folder once, memory first
	dir    *os.File // version 2: the folder, for clone
	rmdir  func(string) error

	counters counters

	once sync.Once
	err  error // of Close
}

// New makes a group with its limits set and nobody in it. On failure nothing
// of it is left. Where the kernel refuses to make or to limit groups at all,
// the error wraps [ErrUnavailable].
func (h *Hierarchy) New(l Limits) (*Group, error) {
	me, err := h.self()
	if err != nil {
		return nil, err
	}
	if err := h.divide(me); err != nil {
		return nil, &Unavailable{Why: err.Error(), Remedy: remedyDelegate}
	}
	for {
		name := me.name(h.made.Add(1))
		g := &Group{mode: h.mode, rmdir: h.host.rmdir, memory: filepath.Join(h.memory, name)}
		if h.pids != "" {
			g.pids = filepath.Join(h.pids, name)
		}
		if h.cpu != "" {
			g.cpu = filepath.Join(h.cpu, name)
		}
		err := g.build(h, name, l)
		if err == nil {
			return g, nil
		}
		err = errors.Join(err, g.Close())
		if !errors.Is(err, fs.ErrExist) { // another Hierarchy of this process counts too
			return nil, refusal(h.mode, err)
		}
	}
}

func (g *Group) build(h *Hierarchy, name string, l Limits) error {
	for _, place := range h.folders() {
		folder := filepath.Join(place, name)
		if err := h.host.mkdir(folder); err != nil {
			return err
		}
		g.all = append(g.all, folder)
	}
	if err := g.limit(l); err != nil {
		return err
	}
	if g.mode != V2 {
		return nil
	}
	dir, err := os.Open(g.memory)
	g.dir = dir
	return err
}

// Limit sets the bounds of a group that was made without. What is in it must
// not have grown past them yet. Where the kernel refuses to limit groups at all,
// the error wraps [ErrUnavailable].
func (g *Group) Limit(l Limits) error {
	if err := g.limit(l); err != nil {
		return refusal(g.mode, err)
	}
	return nil
}

func (g *Group) limit(l Limits) error {
	for _, s := range settings(g.mode, l, g.pids != "") {
		if err := g.set(s); err != nil {
			return err
		}
	}
	return nil
}

// set writes one limit. Only a file that does not exist may be done without, and only where that is said.
func (g *Group) set(s setting) error {
	folder := g.memory
	if s.pids && g.mode == V1 {
		folder = g.pids
	}
	err := write(filepath.Join(folder, s.file), s.value)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if s.instead != nil {
		return g.set(*s.instead)
	}
	if s.mayLack {
		return nil
	}
	return err
}

// refusal turns the kernel's "you may not" into [ErrUnavailable].
func refusal(mode Mode, err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		if mode == V1 {
			return &Unavailable{Why: err.Error(), Remedy: remedyRoot}
		}
		return &Unavailable{Why: err.Error(), Remedy: remedyDelegate}
	}
	return fmt.Errorf("cgroup: make or limit a group: %w", err)
}

// FD returns the descriptor of the group's folder, by which a process is
// started inside it (SysProcAttr.UseCgroupFD). It is valid until Close. Only
// version 2 has it.
func (g *Group) FD() (fd int, ok bool) {
	if g.dir == nil {
		return -1, false
	}
	return int(g.dir.Fd()), true
}

// Doors returns one open file for each folder: a process of one thread that writes
// "0" into all of them moves itself in, whoever it is, because the kernel asks
// for the rights of the one who opened. On version 1 it is the quick way in. To
// move another process, or any on version 2, the kernel first waits until no
// processor is in the midst of a fork or an exit: 10 ms and more on an idle
// machine, less where others have just waited. The caller closes the files.
func (g *Group) Doors() ([]*os.File, error) {
	name := "tasks"
	if g.mode == V2 {
		name = "cgroup.procs"
	}
	var doors []*os.File
	for _, folder := range g.all {
		f, err := os.OpenFile(filepath.Join(folder, name), os.O_WRONLY|syscall.O_CLOEXEC, 0)
		if err != nil {
			for _, d := range doors {
				_ = d.Close()
			}
			return nil, fmt.Errorf("cgroup: open the way in: %w", err)
		}
		doors = append(doors, f)
	}
	return doors, nil
}

// Add moves a process, with all its threads, into the group. What it starts
// later is in the group too; what it has started already is not, and memory it
// has taken already stays charged where it was.
func (g *Group) Add(pid int) error {
	if pid <= 0 {
		return fmt.Errorf("cgroup: add a process: %d is no pid", pid) // 0 would be ourselves
	}
	for _, folder := range g.all {
		if err := write(filepath.Join(folder, "cgroup.procs"), strconv.Itoa(pid)); err != nil {
			return fmt.Errorf("cgroup: add process %d: %w", pid, err)
		}
	}
	return nil
}

// Close removes the group, which must be empty or about to be, waiting 2
// seconds at most. The error names the folder that stays. Only the first call
// does anything; later ones return the same.
func (g *Group) Close() error {
	g.once.Do(func() {
		errs := []error{g.counters.close()}
		if g.dir != nil {
			errs = append(errs, g.dir.Close())
		}
		end := time.Now().Add(removeLimit)
		for _, folder := range slices.Backward(g.all) {
			errs = append(errs, remove(g.rmdir, folder, time.Until(end)))
		}
		g.err = errors.Join(errs...)
	})
	return g.err
}

// remove removes an empty folder. The kernel may call it busy for a moment
// after its last member has ended.
func remove(rmdir func(string) error, folder string, limit time.Duration) error {
	var err error
	until(limit, func() bool {
		err = rmdir(folder)
		return !errors.Is(err, syscall.EBUSY)
	})
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if errors.Is(err, syscall.EBUSY) {
		pids, _ := members(folder)
		return fmt.Errorf("cgroup: remove %s: %d processes are in it: %w", folder, len(pids), err)
	}
	return fmt.Errorf("cgroup: remove a group: %w", err)
}
