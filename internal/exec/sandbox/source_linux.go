//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/pyrun-dev/pyrun/internal/exec/sandbox/cgroup"
)

// source is a bind as the parent found it. pid 1 compares before it shows it:
// what changed in between is not shown.
type source struct {
	Bind
	stat   unix.Statx_t
	device uint64 // the one device number it may be; 0 when it is none
	deep   bool   // other mounts lie below it
}

// devices are the only ones a script sees.
var devices = [...]struct {
	name  string
	minor uint32 // of major 1, the kernel's memory devices
}{{"null", 3}, {"zero", 5}, {"full", 7}, {"random", 8}, {"urandom", 9}}

// inspect looks at every bind of a policy.
func inspect(binds []Bind, mounts []string) ([]source, error) {
	out := make([]source, 0, len(binds)+len(devices)) // the devices are appended to it later
	for _, b := range binds {
		s := source{Bind: b}
		if err := s.look(); err != nil {
			return nil, err
		}
		if s.stat.Mode&unix.S_IFMT == unix.S_IFLNK {
			real, err := filepath.EvalSymlinks(b.Source)
			if err != nil {
				return nil, &Error{Step: "look at " + b.Source, Err: err}
			}
			s.Source = real
			if err := s.look(); err != nil {
				return nil, err
			}
		}
		if kind := s.stat.Mode & unix.S_IFMT; kind != unix.S_IFDIR && kind != unix.S_IFREG {
			return nil, &Error{Step: "look at " + b.Source, Err: fmt.Errorf("neither a file nor a folder: %w", unix.EINVAL)}
		}
		for _, m := range mounts {
			if m != s.Source && below(m, s.Source) {
				s.deep = true
			}
		}
		out = append(out, s)
	}
	byDepth(out)
	return out, nil
}

// inspectDevices looks at the devices.
func inspectDevices() ([]source, error) {
	out := make([]source, 0, len(devices))
	for _, d := range devices {
		at := "/dev/" + d.name
		s := source{Bind: Bind{Source: at, Target: at}, device: unix.Mkdev(1, d.minor)}
		if err := s.look(); err != nil {
			return nil, err
		}
		if s.stat.Mode&unix.S_IFMT != unix.S_IFCHR {
			return nil, &Error{Step: "look at " + at, Err: unix.ENODEV, Why: at + " of this machine is not the device of that name"}
		}
		out = append(out, s)
	}
	return out, nil
}

func (s *source) look() error {
	err := unix.Statx(unix.AT_FDCWD, s.Source, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_BASIC_STATS, &s.stat)
	if err != nil {
		return &Error{Step: "look at " + s.Source, Err: err}
	}
	return nil
}

// mountPoints reads where something is mounted, from the text of /proc/self/mountinfo.
func mountPoints(mountinfo []byte) []string {
	var points []string
	for line := range bytes.Lines(mountinfo) {
		if f := bytes.Fields(line); len(f) > 4 {
			points = append(points, cgroup.Unescape(string(f[4])))
		}
	}
	return points
}

// findAnchor picks an existing directory to mount the new root on. Nothing of
// it is seen or changed: the mount exists in the child's namespace alone. But
// it covers what lies below, so no bind may come from there. Those that binds
// seldom come from are first, those that are mounts last: a dead server makes
// whoever looks at its mount wait.
func findAnchor(binds []source, mounts []string) (string, error) {
	for _, mounted := range []bool{false, true} {
		for _, dir := range anchors() {
			if slices.Contains(mounts, dir) != mounted || covers(dir, binds) {
				continue
			}
			if st, err := os.Lstat(dir); err == nil && st.IsDir() {
				return dir, nil
			}
		}
	}
	return "", &Error{
		Step: "find a folder to mount the root on", Err: unix.ENOENT, Remedy: "mkdir /mnt",
		Why: "there is none of the usual ones in / that the script needs nothing of",
	}
}

// anchors are folders that a machine has, seldom needed ones first.
func anchors() []string {
	return []string{"/srv", "/media", "/mnt", "/tmp", "/var", "/run", "/home", "/opt", "/root", "/boot", "/sys", "/usr"}
}

// covers says whether a mount on dir would hide the source of a bind.
func covers(dir string, binds []source) bool {
	return slices.ContainsFunc(binds, func(b source) bool { return below(b.Source, dir) })
}

// rootDirs are the directories of the new root that hold generated files or
// processes and may be read in their whole depth.
func rootDirs(pol Policy) []string {
	dirs := []string{"/etc", "/proc"}
	for _, f := range pol.Files {
		top := topDir(f.Path)
		known := writable(pol, f.Path)
		for _, d := range dirs {
			known = known || d == top
		}
		if !known && top != "" {
			dirs = append(dirs, top)
		}
	}
	return dirs
}

// topDir is the first component of an absolute path.
func topDir(at string) string {
	for i := 1; i < len(at); i++ {
		if at[i] == '/' {
			return at[:i]
		}
	}
	return ""
}
