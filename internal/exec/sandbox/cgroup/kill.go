//go:build linux

package cgroup

// Killing what is in a group.

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// killLimit is how long all members are given to be gone: far above what the kernel needs.
const killLimit = 2 * time.Second

// Kill kills all members and returns when there are none, after 2 seconds at
// most. The error names the folder and how many are left.
func (g *Group) Kill() error {
	if g.mode == V1 && g.pids != "" {
		// Nothing new is born while the old ones are killed one by one.
		if err := write(filepath.Join(g.pids, "pids.max"), "0"); err != nil {
			return fmt.Errorf("cgroup: kill: %w", err)
		}
	}
	return kill(g.memory, g.mode, killLimit)
}

// kill empties a folder.
func kill(folder string, mode Mode, limit time.Duration) error {
	byHand := true
	if mode == V2 {
		switch err := write(filepath.Join(folder, "cgroup.kill"), "1"); {
		case err == nil:
			byHand = false
		case !errors.Is(err, fs.ErrNotExist): // it is there since Linux 5.14
			return fmt.Errorf("cgroup: kill: %w", err)
		}
	}
	left, err := 0, error(nil)
	empty := until(limit, func() bool {
		var pids []int
		if pids, err = members(folder); err != nil {
			return true
		}
		if left = len(pids); left > 0 && byHand {
			killEach(folder, pids)
		}
		return left == 0
	})
	if err != nil {
		return fmt.Errorf("cgroup: kill: %w", err)
	}
	if !empty {
		return fmt.Errorf("cgroup: kill: %d processes of %s are still there after %v", left, folder, limit)
	}
	return nil
}

// killEach kills these members. A number may have been given to a stranger
// since it was read, so each process is held first (by its pidfd) and is
// killed only if its number is still in the folder after that.
func killEach(folder string, pids []int) {
	held := map[int]*os.Process{}
	for _, pid := range pids {
		if p, err := os.FindProcess(pid); err == nil && pid > 0 {
			held[pid] = p
		}
	}
	still, err := members(folder)
	for pid, p := range held {
		if err == nil && slices.Contains(still, pid) {
			_ = p.Kill() // gone meanwhile is as good
		}
		_ = p.Release()
	}
}
