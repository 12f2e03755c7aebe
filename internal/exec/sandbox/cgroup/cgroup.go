//go:build linux

// Package cgroup gives each run a control group of its own, as files and
// folders of the kernel's cgroup file system, version 2 or 1.
//
// The promise: what is put into a [Group] before it grows cannot, with all
// that descends from it, take more memory or processes than its [Limits], is
// counted as a whole, and can be killed as a whole. Nothing is written outside
// the folders this package has made, each named after the process that made
// it, with one exception on version 2: a cgroup that hands controllers down may
// not hold processes itself, so there the first [Hierarchy.New] moves this
// process into a leaf and turns the controllers on; [Hierarchy.Close] undoes both.
//
// Not promised: memory that a process took before it joined stays charged to
// the group it came from. On version 1 join it, then let it grow; on version 2
// start it inside with [Group.FD].
package cgroup

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// ErrUnavailable is wrapped by every error that says that this process cannot
// have groups of its own here. It is a fact about the system, not a fault.
var ErrUnavailable = errors.New("no cgroup of our own")

// Unavailable says why there are no groups, and what to do about it.
type Unavailable struct {
	Why    string // what was found, one or more sentences joined by "; "
	Remedy string // what to do
}

func (e *Unavailable) Error() string {
	return fmt.Sprintf("cgroup: %v: %s; %s", ErrUnavailable, e.Why, e.Remedy)
}

// Unwrap is [ErrUnavailable].
func (e *Unavailable) Unwrap() error { return ErrUnavailable }

// Mode is the version of the kernel's interface.
type Mode string

// The two versions.
const (
	V2 Mode = "cgroup2"
	V1 Mode = "cgroup1"
)

// Limits bounds one group. A value that is not positive sets no bound.
type Limits struct {
	Memory    int64 // bytes of memory and swap together; the kernel rounds down to whole pages
	Processes int   // processes and threads at once
}

// Hierarchy is the place where this process may make groups. Its methods may
// be called from many goroutines.
type Hierarchy struct {
	host host
	mode Mode

	// The folders of our own cgroup. On version 2 memory is the only one and
	// stands for all; on version 1 pids and cpu are empty if they are not to be had.
	memory, pids, cpu string

	made atomic.Int64 // groups, for their names

	know sync.Once // who we are
	me   owner
	err  error

	mu      sync.Mutex // guards all below
	settled bool       // version 2: groups can be made under memory
	leaf    string     // version 2: the folder we have moved into, or empty
}

// host is what a Hierarchy needs of the system; tests bring their own.
type host struct {
	proc  string
	pid   int
	mkdir func(string) error
	rmdir func(string) error
}

func system() host {
	return host{
		proc:  "/proc",
		pid:   os.Getpid(),
		mkdir: func(path string) error { return os.Mkdir(path, 0o755) },
		rmdir: rmdir,
	}
}

// rmdir is os.Remove without trying first whether a folder is a file.
func rmdir(path string) error {
	if err := syscall.Rmdir(path); err != nil {
		return &os.PathError{Op: "rmdir", Path: path, Err: err}
	}
	return nil
}

// Current finds the Hierarchy of this process, given the text of
// /proc/self/mountinfo; see [Find].
func Current(mountinfo string) (*Hierarchy, error) {
	self, err := read("/proc/self/cgroup", 64<<10)
	if err != nil {
		return nil, &Unavailable{Why: err.Error(), Remedy: "use a kernel with cgroups and mount /proc"}
	}
	return Find(mountinfo, self)
}

// Find finds where this process may make groups, from the texts of
// /proc/self/mountinfo and /proc/self/cgroup and a look at the folders they
// name. It changes nothing. Version 2 is taken if it has both the memory and
// the pids controller for us, else version 1 if it has memory. Every error is
// an [*Unavailable].
func Find(mountinfo, selfcgroup string) (*Hierarchy, error) {
	return find(system(), mountinfo, selfcgroup)
}

func find(sys host, mountinfo, selfcgroup string) (*Hierarchy, error) {
	at := locate(mountinfo, selfcgroup)
	h, no2 := findV2(sys, at)
	if no2 == nil {
		return h, nil
	}
	h, no1 := findV1(sys, at)
	if no1 == nil {
		return h, nil
	}
	switch {
	case !at.hasV2() && !at.hasV1():
		return nil, &Unavailable{Why: "no cgroup file system is mounted", Remedy: "mount cgroup2 at /sys/fs/cgroup"}
	case !at.hasV1():
		return nil, no2
	case !at.hasV2():
		return nil, no1
	}
	return nil, &Unavailable{Why: no2.Why + "; " + no1.Why, Remedy: no1.Remedy}
}

// Mode is "cgroup2" or "cgroup1".
func (h *Hierarchy) Mode() Mode { return h.mode }

// LimitsProcesses reports whether [Limits.Processes] is kept: always on
// version 2, on version 1 only where the pids controller is to be had.
func (h *Hierarchy) LimitsProcesses() bool { return h.mode == V2 || h.pids != "" }

// folders are the places in which a group has a folder, memory first.
func (h *Hierarchy) folders() []string {
	var all []string
	for _, folder := range []string{h.memory, h.pids, h.cpu} {
		if folder != "" && !slices.Contains(all, folder) { // controllers may share a mount
			all = append(all, folder)
		}
	}
	return all
}

// until calls done, at once and then after growing pauses, until it returns
// true or the time is up, and returns its last answer.
func until(limit time.Duration, done func() bool) bool {
	end := time.Now().Add(limit)
	for pause := 100 * time.Microsecond; !done(); pause = min(2*pause, 20*time.Millisecond) {
		if time.Now().After(end) {
			return false
		}
		time.Sleep(pause)
	}
	return true
}
