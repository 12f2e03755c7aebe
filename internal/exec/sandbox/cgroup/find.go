//go:build linux

package cgroup

// Which of the located cgroups can be used, by looking at their files.

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// What to do, by what is the matter.
const (
	remedyDelegate  = "start pyrun with: systemd-run --user --scope -p Delegate=yes pyrun ..."
	remedyRoot      = "run pyrun as root, or have root hand a memory cgroup to this user"
	remedyContainer = "give the container its own writable cgroup"
)

func remedy(p place) string {
	if p.frozen {
		return remedyContainer
	}
	return remedyDelegate
}

// findV2 takes our own cgroup of version 2 if it is ours to divide: it has the
// controllers, its files can be written, and nobody but us is in it.
func findV2(sys host, at places) (*Hierarchy, *Unavailable) {
	if at.v2.dir == "" {
		return nil, &Unavailable{Why: at.v2.why, Remedy: remedy(at.v2)}
	}
	h := &Hierarchy{host: sys, mode: V2, memory: at.v2.dir}
	no := func(format string, args ...any) (*Hierarchy, *Unavailable) {
		return nil, &Unavailable{Why: fmt.Sprintf(format, args...), Remedy: remedyDelegate}
	}
	if base := filepath.Base(h.memory); strings.HasPrefix(base, "pyrun-") {
		// Perhaps an earlier Hierarchy of this process has moved us into its leaf.
		if me, err := h.self(); err == nil && base == me.name(0) {
			h.memory, h.leaf, h.settled = filepath.Dir(h.memory), h.memory, true
		}
	}
	text, err := read(filepath.Join(h.memory, "cgroup.controllers"), 4096)
	if err != nil {
		return no("%v", err)
	}
	controllers := strings.Fields(text)
	for _, c := range []string{"memory", "pids"} {
		if !slices.Contains(controllers, c) {
			return no("%s has no %s controller", h.memory, c)
		}
	}
	if kind, err := read(filepath.Join(h.memory, "cgroup.type"), 4096); err == nil && strings.TrimSpace(kind) != "domain" {
		return no("%s is of type %q, which cannot hold processes with memory limits", h.memory, strings.TrimSpace(kind))
	}
	for _, f := range []string{"cgroup.procs", "cgroup.subtree_control"} {
		if err := writable(filepath.Join(h.memory, f)); err != nil {
			return no("%v", err)
		}
	}
	if err := h.alone(); err != nil {
		return no("%v", err)
	}
	return h, nil
}

// findV1 takes our own memory cgroup of version 1, and pids and cpuacct if they can be had too.
func findV1(sys host, at places) (*Hierarchy, *Unavailable) {
	h := &Hierarchy{host: sys, mode: V1, settled: true}
	memory := at.v1["memory"]
	if memory.dir == "" {
		why := memory.why
		if !memory.mounted {
			why = "no memory cgroup of version 1 is mounted"
		}
		return nil, &Unavailable{Why: why, Remedy: remedy(memory)}
	}
	if err := writable(filepath.Join(memory.dir, "cgroup.procs")); err != nil {
		return nil, &Unavailable{Why: err.Error(), Remedy: remedyRoot}
	}
	h.memory = memory.dir
	for c, to := range map[string]*string{"pids": &h.pids, "cpuacct": &h.cpu} {
		if dir := at.v1[c].dir; dir != "" && writable(filepath.Join(dir, "cgroup.procs")) == nil {
			*to = dir
		}
	}
	return h, nil
}

// alone reports, on version 2, whether we may move everybody out of our
// cgroup, which is to say, whether that is only us. The root of the whole tree
// (it has no type) may hold processes and hand down controllers at once.
func (h *Hierarchy) alone() error {
	if h.settled || h.isRoot() {
		return nil
	}
	pids, err := members(h.memory)
	if err != nil {
		return err
	}
	others := slices.DeleteFunc(pids, func(pid int) bool { return pid == h.host.pid })
	if len(others) > 0 {
		return fmt.Errorf("%s holds %d other processes, so it cannot be divided", h.memory, len(others))
	}
	return nil
}

func (h *Hierarchy) isRoot() bool {
	_, err := read(filepath.Join(h.memory, "cgroup.type"), 4096)
	return err != nil
}
