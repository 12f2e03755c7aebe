//go:build linux

package cgroup

// What a pyrun that was killed has left behind.

import (
	"os"
	"path/filepath"
	"time"
)

// Bounds of a Sweep: of the whole, and of one folder.
const (
	sweepLimit  = 2 * time.Second
	folderLimit = 250 * time.Millisecond
)

// Sweep removes the folders of pyrun processes that are gone, kills what is
// still in them, and returns how many groups that were. Only a folder whose
// name says who made it is touched, only if that process was in our own pid
// namespace, for of others we cannot know whether they live, and only if there
// is no such process any more. What cannot be removed now stays for the next
// Sweep. It takes 2 seconds at most.
func (h *Hierarchy) Sweep() int {
	me, err := h.self()
	if err != nil || me.space == 0 {
		return 0
	}
	end := time.Now().Add(sweepLimit)
	swept, kept := map[string]bool{}, map[string]bool{}
	for _, place := range h.folders() {
		entries, err := os.ReadDir(place)
		if err != nil {
			continue
		}
		for _, e := range entries {
			o, ok := parseName(e.Name())
			if !ok || !e.IsDir() || o.space != me.space || h.host.lives(o) {
				continue
			}
			folder := filepath.Join(place, e.Name())
			limit := min(folderLimit, time.Until(end))
			if kill(folder, h.mode, limit) != nil || remove(h.host.rmdir, folder, limit) != nil {
				kept[e.Name()] = true
				continue
			}
			swept[e.Name()] = true
		}
	}
	n := 0
	for name := range swept {
		if !kept[name] {
			n++
		}
	}
	return n
}
