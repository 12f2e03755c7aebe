package exec

// What is on this machine and must not be seen inside.

import (
	"os"
	"path/filepath"
	"time"

	"github.com/pyrun-dev/pyrun/internal/exec/python"
)

const (
	canary      = "pyrun-canary-" // and digits: a file that no script may see
	staleCanary = time.Hour       // none is needed for so long
)

// hidden lists what exists on this machine and must not be seen inside: a file
// made for it, pyrun itself, and places that most machines have. undo removes what was made.
func hidden(in *python.Interpreter) (paths []string, undo func()) {
	undo = func() {}
	var all []string
	sweepCanaries(os.TempDir(), time.Now().Add(-staleCanary))
	if f, err := os.CreateTemp("", canary); err == nil {
		f.Close()
		all = append(all, f.Name())
		undo = func() { _ = os.Remove(f.Name()) }
	}
	if self, err := os.Executable(); err == nil {
		all = append(all, self)
	}
	all = append(all, "/etc/hostname", "/etc/shadow", "/etc/machine-id", "/root", "/home", "/var", "/sys", "/boot")
	for _, path := range all {
		if _, err := os.Lstat(path); err == nil && !in.Touches(path) {
			paths = append(paths, path)
		}
	}
	return paths, undo
}

// sweepCanaries removes what was left by those who were killed. Nothing is removed
// but an empty file, by its own name.
func sweepCanaries(dir string, before time.Time) {
	left, err := filepath.Glob(filepath.Join(dir, canary+"*"))
	if err != nil {
		return
	}
	for _, path := range left {
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && info.Size() == 0 && info.ModTime().Before(before) {
			_ = os.Remove(path)
		}
	}
}
