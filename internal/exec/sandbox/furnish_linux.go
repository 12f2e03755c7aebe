//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

// furnishStore writes the job's files while nothing inside runs but the program
// that waits. It names every step from the store's descriptor, one component at
// a time, and follows no link.
func furnishStore(store *os.File, pol Policy, id identity, j Job) error {
	for _, f := range j.Files {
		if err := putFile(store, pol, id, f); err != nil {
			return &Error{Step: "write " + f.Path, Err: err}
		}
	}
	for _, l := range j.Links {
		if err := putLink(store, pol, id, l); err != nil {
			return &Error{Step: "link " + l.Path, Err: err}
		}
	}
	return nil
}

// inStore is the name in the store of what a script sees at a path.
func inStore(pol Policy, at string) (string, bool) {
	best, name := "", ""
	for _, d := range pol.Writable {
		if below(at, d.Path) && len(d.Path) > len(best) {
			best, name = d.Path, d.Name+strings.TrimPrefix(at, d.Path)
		}
	}
	return name, best != ""
}

// parent opens the directory that a path lies in, making what is missing.
func parent(store *os.File, pol Policy, id identity, at string) (dir int, base string, err error) {
	name, ok := inStore(pol, at)
	if !ok {
		return -1, "", unix.EROFS
	}
	dir, err = unix.Openat(int(store.Fd()), ".", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, "", err
	}
	parts := strings.Split(name, "/")
	seen := strings.TrimSuffix(at, strings.Join(parts[1:], "/"))
	for i, part := range parts[:len(parts)-1] {
		if i > 0 {
			seen = path.Join(seen, part)
		}
		const flags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
		made := false
		next, err := unix.Openat(dir, part, flags, 0)
		if errors.Is(err, unix.ENOENT) {
			if err = unix.Mkdirat(dir, part, 0o755); err == nil {
				made = true
				next, err = unix.Openat(dir, part, flags, 0)
			}
		}
		unix.Close(dir)
		if err != nil {
			return -1, "", err
		}
		dir = next
		if made {
			if err := own(dir, pol, id, seen, 0o755); err != nil {
				unix.Close(dir)
				return -1, "", err
			}
		}
	}
	return dir, parts[len(parts)-1], nil
}

// own gives an open file its mode and, where the script may write, its user.
func own(fd int, pol Policy, id identity, at string, mode uint32) error {
	if err := unix.Fchmod(fd, mode); err != nil {
		return err
	}
	if id.drops() && writable(pol, at) {
		return unix.Fchown(fd, id.hostID, id.hostID)
	}
	return nil
}

func putFile(store *os.File, pol Policy, id identity, f File) error {
	dir, base, err := parent(store, pol, id, f.Path)
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	fd, err := unix.Openat(dir, base, unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	for data := f.Data; len(data) > 0; {
		n, err := unix.Write(fd, data)
		if err != nil {
			return err
		}
		data = data[n:]
	}
	return own(fd, pol, id, f.Path, f.Mode)
}

func putLink(store *os.File, pol Policy, id identity, l Link) error {
	dir, base, err := parent(store, pol, id, l.Path)
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	if err := unix.Symlinkat(l.Target, dir, base); err != nil {
		return err
	}
	if id.drops() && writable(pol, l.Path) {
		return unix.Fchownat(dir, base, id.hostID, id.hostID, unix.AT_SYMLINK_NOFOLLOW)
	}
	return nil
}
