//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestExplain: the cause of what goes wrong on machines that no test runs on.
func TestExplain(t *testing.T) {
	for _, c := range []struct {
		step  string
		errno unix.Errno
		why   string
		fix   bool
	}{
		{"enter the root", unix.EINVAL, "initial RAM disk", true},
		{"restrict files (Landlock)", unix.ENOSYS, "no Landlock", true},
		{"start the program", unix.ENOENT, "the loader it names", false},
		{"fork the script's process", unix.EAGAIN, "no more processes", false},
		{"mount the root", unix.EPERM, "forbid", true},
		{"join the cgroup", unix.EINVAL, "", false},
	} {
		var e *Error
		if err := explain(c.step, c.errno, identity{}); !errors.As(err, &e) || e.Step != c.step || !errors.Is(err, c.errno) {
			t.Errorf("%s: %v", c.step, err)
			continue
		}
		if !strings.Contains(e.Why, c.why) || (e.Why == "") != (c.why == "") || (e.Remedy != "") != c.fix {
			t.Errorf("%s, %v: %q, %q", c.step, c.errno, e.Why, e.Remedy)
		}
	}
}
