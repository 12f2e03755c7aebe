//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/pyrun-dev/pyrun/internal/exec/sandbox/cgroup"
	"github.com/pyrun-dev/pyrun/internal/exec/sandbox/seccomp"
)

// observe reads what /proc says of the script. Everything comes from the
// kernel; the one thing the script can choose, its name, is not read.
func (r *running) observe() (o Observation, err error) {
	tree := descendants(r.first(), nil)
	if len(tree) == 0 {
		return o, errors.New("look at the script from outside: it has ended")
	}
	script := strconv.Itoa(tree[0]) // pid 1 forks once, before anything else can be its child
	if o.Status, err = status(script); err != nil {
		return o, fmt.Errorf("look at the script from outside: %w", err)
	}
	if o.OwnStatus, err = status("self"); err != nil {
		return o, fmt.Errorf("look at the script from outside: %w", err)
	}
	o.Namespaces, o.Own = namespaces(script), namespaces("self")
	if o.Reach, err = reach(script); err != nil {
		return o, fmt.Errorf("look at the script from outside: %w", err)
	}
	return o, nil
}

func status(pid string) (map[string]string, error) {
	text, err := os.ReadFile("/proc/" + pid + "/status")
	if err != nil {
		return nil, err
	}
	fields := map[string]string{}
	for line := range bytes.Lines(text) {
		name, value, _ := strings.Cut(string(line), ":")
		if name != "Name" {
			fields[name] = strings.TrimSpace(value)
		}
	}
	return fields, nil
}

func namespaces(pid string) map[string]string {
	ids := map[string]string{}
	for _, name := range []string{"user", "mnt", "pid", "net", "ipc", "uts", "cgroup"} {
		if id, err := os.Readlink("/proc/" + pid + "/ns/" + name); err == nil {
			ids[name] = id
		}
	}
	return ids
}

// reach lists the interfaces that lead anywhere. Some kernels put tunnels that
// are down, and lead nowhere, into every new namespace.
func reach(pid string) ([]string, error) {
	var names []string
	for _, table := range []struct {
		file  string
		name  int // which field; from the end when negative
		first int // line
	}{
		{"route", 0, 1}, {"ipv6_route", -1, 0}, {"if_inet6", -1, 0},
	} {
		text, err := os.ReadFile("/proc/" + pid + "/net/" + table.file)
		if errors.Is(err, os.ErrNotExist) && table.file != "route" { // a kernel without IPv6
			continue
		}
		if err != nil {
			return nil, err
		}
		for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
			f := strings.Fields(line)
			if i < table.first || len(f) == 0 {
				continue
			}
			at := table.name
			if at < 0 {
				at += len(f)
			}
			if !slices.Contains(names, f[at]) {
				names = append(names, f[at])
			}
		}
	}
	return names, nil
}

// Ask surveys this machine for runs with a network. It changes nothing.
func Ask(n Network) Survey {
	var s Survey
	s.Landlock, _ = landlockABI() // 0 says it; a run tells why
	s.Calls = seccomp.Count(seccomp.Policy(string(n)), arch)
	mountinfo, err := hostMounts()
	if err == nil {
		_, err = cgroup.Current(string(mountinfo))
	}
	if err != nil {
		e := &Error{Step: "look for a cgroup", Err: err}
		var no *cgroup.Unavailable
		if errors.As(err, &no) {
			e.Why, e.Remedy = no.Why, no.Remedy
		}
		s.Sampled = e
	}
	return s
}
