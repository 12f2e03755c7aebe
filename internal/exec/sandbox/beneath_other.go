//go:build !linux

package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// OpenBeneath opens the entry called name of dir for reading: one component,
// "." being dir itself. Only regular files and directories are opened. There
// are no walls on this system, so it looks and opens by path, and compares.
func OpenBeneath(dir *os.File, name string) (*os.File, fs.FileInfo, error) {
	if !oneComponent(name) || !filepath.IsLocal(name) {
		return nil, nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	full := filepath.Join(dir.Name(), name)
	before, err := os.Lstat(full)
	if err != nil {
		return nil, nil, err
	}
	if !before.Mode().IsRegular() && !before.IsDir() {
		return nil, nil, &KindError{Mode: before.Mode()}
	}
	f, err := os.Open(full)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !os.SameFile(before, info) {
		err = errors.New("changed while it was opened")
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}
