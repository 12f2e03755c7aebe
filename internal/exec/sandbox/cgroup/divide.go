//go:build linux

package cgroup

// Making our own cgroup a parent of groups, which only version 2 needs, and undoing it.

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// divide makes sure that groups with memory and pids limits can be made. On
// version 2, a cgroup that hands controllers down may hold no processes, so
// first we move into a leaf. If the second step is refused the first is undone.
func (h *Hierarchy) divide(me owner) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.settled {
		return nil
	}
	control := filepath.Join(h.memory, "cgroup.subtree_control")
	on, err := read(control, 4096)
	if err != nil {
		return err
	}
	if have := strings.Fields(on); slices.Contains(have, "memory") && slices.Contains(have, "pids") {
		h.settled = true
		return nil
	}
	if err := h.alone(); err != nil {
		return err
	}
	if !h.isRoot() {
		leaf := filepath.Join(h.memory, me.name(0))
		if err := h.host.mkdir(leaf); err != nil {
			return err
		}
		if err := write(filepath.Join(leaf, "cgroup.procs"), strconv.Itoa(me.pid)); err != nil {
			return errors.Join(err, h.host.rmdir(leaf))
		}
		h.leaf = leaf
	}
	if err := write(control, "+memory +pids"); err != nil {
		return errors.Join(fmt.Errorf("hand the controllers of %s down: %w", h.memory, err), h.moveBack())
	}
	h.settled = true
	return nil
}

// moveBack leaves the leaf, if we are in one, and removes it.
func (h *Hierarchy) moveBack() error {
	if h.leaf == "" {
		return nil
	}
	if err := write(filepath.Join(h.memory, "cgroup.procs"), strconv.Itoa(h.host.pid)); err != nil {
		return err
	}
	leaf := h.leaf
	h.leaf = ""
	return remove(h.host.rmdir, leaf, removeLimit)
}

// Close puts our own cgroup back as it was found. All groups must have been
// closed. It does nothing on version 1, or when no group was ever made.
func (h *Hierarchy) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.leaf == "" {
		return nil
	}
	if err := write(filepath.Join(h.memory, "cgroup.subtree_control"), "-memory -pids"); err != nil {
		return fmt.Errorf("cgroup: leave our leaf: %w", err)
	}
	h.settled = false
	if err := h.moveBack(); err != nil {
		return fmt.Errorf("cgroup: leave our leaf: %w", err)
	}
	return nil
}
