//go:build linux

package cgroup

// Which file holds what, on each version.

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"
)

// setting is one value written to a new group.
type setting struct {
	pids    bool // it belongs to the pids controller, else to memory
	file    string
	value   string
	instead *setting // what to write if the kernel does not have the file
	mayLack bool     // the kernel need not have the file
}

// settings returns what is written to a new group, in order.
func settings(mode Mode, l Limits, hasPids bool) []setting {
	var s []setting
	memory := strconv.FormatInt(l.Memory, 10)
	processes := strconv.Itoa(l.Processes)
	switch {
	case mode == V2 && l.Memory > 0:
		s = append(
			s,
			setting{file: "memory.max", value: memory},
			setting{file: "memory.swap.max", value: "0", mayLack: true},  // lacks where there is no swap
			setting{file: "memory.oom.group", value: "1", mayLack: true}, // since Linux 4.19
		)
	case mode == V1 && l.Memory > 0:
		// The limit with swap may not be below the one without, so it comes second.
		s = append(
			s,
			setting{file: "memory.limit_in_bytes", value: memory},
			setting{
				file: "memory.memsw.limit_in_bytes", value: memory,
				// Swap is not counted by this kernel: then the group shall not use any.
				instead: &setting{file: "memory.swappiness", value: "0"},
			},
		)
	}
	if l.Processes > 0 && (mode == V2 || hasPids) {
		s = append(s, setting{pids: true, file: "pids.max", value: processes})
	}
	return s
}

// Usage is what a group has taken so far, all its members together, those that
// have ended too. What the kernel does not tell is 0.
type Usage struct {
	Peak     int64         // the most memory at once, bytes, page cache included
	OOMKills int           // processes killed for the memory limit
	CPU      time.Duration // user and system
}

// Usage reads the counters. It may be called until Close.
func (g *Group) Usage() (Usage, error) {
	var u Usage
	r := reader{from: &g.counters}
	switch g.mode {
	case V2:
		u.Peak = r.number(g.memory, "memory.peak", "") // since Linux 5.19
		u.OOMKills = int(r.number(g.memory, "memory.events", "oom_kill"))
		u.CPU = time.Duration(r.number(g.memory, "cpu.stat", "usage_usec")) * time.Microsecond
	case V1:
		u.Peak = r.number(g.memory, "memory.max_usage_in_bytes", "")
		u.OOMKills = int(r.number(g.memory, "memory.oom_control", "oom_kill"))
		u.CPU = time.Duration(r.number(g.cpu, "cpuacct.usage", ""))
	}
	return u, r.err
}

// Processes is how many processes and threads are in the group at present, those
// among them that have ended and were not reaped; 0 when it cannot be told.
func (g *Group) Processes() int {
	folder := g.memory
	if g.mode == V1 {
		folder = g.pids
	}
	r := reader{from: &g.counters}
	return int(r.number(folder, "pids.current", ""))
}

// reader reads counters and keeps the first error. Files and folders that are not there count 0.
type reader struct {
	from *counters
	err  error
}

func (r *reader) number(folder, file, key string) int64 {
	if folder == "" || r.err != nil {
		return 0
	}
	text, err := r.from.read(folder, file)
	if errors.Is(err, fs.ErrNotExist) {
		return 0
	}
	if err != nil {
		r.err = fmt.Errorf("cgroup: read usage: %w", err)
		return 0
	}
	if key != "" {
		n, _ := field(text, key)
		return n
	}
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil {
		r.err = fmt.Errorf("cgroup: read usage: %s: %w", file, err)
	}
	return n
}

// field returns the number behind a key in a file of "key number" lines.
func field(text, key string) (int64, bool) {
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) == 2 && f[0] == key {
			n, err := strconv.ParseInt(f[1], 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}
