//go:build linux

package cgroup

// Where our own cgroup is, by the words of /proc alone: pure text.

import (
	"path"
	"slices"
	"strings"
)

// place is our own cgroup in one mounted hierarchy.
type place struct {
	mounted bool
	dir     string // its folder; empty if it cannot be used
	why     string // the reason if dir is empty
	frozen  bool   // it is mounted read-only
}

// places is our own cgroups: on version 2, and on version 1 by controller.
type places struct {
	v2 place
	v1 map[string]place
}

func (p places) hasV2() bool { return p.v2.mounted }
func (p places) hasV1() bool { return p.v1["memory"].mounted }

// mount is one line of mountinfo that mounts cgroups.
type mount struct {
	root, point string
	kind        string // "cgroup" or "cgroup2"
	readOnly    bool
	controllers []string // version 1
}

// controllersWanted are those of version 1 that are of use.
func controllersWanted() []string { return []string{"memory", "pids", "cpuacct"} }

// locate reads the texts of /proc/self/mountinfo and /proc/self/cgroup. Lines
// it cannot read are passed over.
func locate(mountinfo, selfcgroup string) places {
	own := ownPaths(selfcgroup)
	found := places{v1: map[string]place{}}
	for line := range strings.Lines(mountinfo) {
		m, ok := parseMount(strings.TrimSuffix(line, "\n"))
		if !ok {
			continue
		}
		if m.kind == "cgroup2" {
			found.v2 = better(found.v2, settle(m, own, ""))
			continue
		}
		for _, c := range controllersWanted() {
			if slices.Contains(m.controllers, c) {
				found.v1[c] = better(found.v1[c], settle(m, own, c))
			}
		}
	}
	return found
}

// better chooses between two mounts of one hierarchy: a usable one, and of two the later.
func better(old, now place) place {
	if old.dir != "" && now.dir == "" {
		return old
	}
	return now
}

// ownPaths maps each controller to our path in its hierarchy; "" is version 2.
func ownPaths(selfcgroup string) map[string]string {
	own := map[string]string{}
	for line := range strings.Lines(selfcgroup) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(f) != 3 || !strings.HasPrefix(f[2], "/") {
			continue
		}
		for c := range strings.SplitSeq(f[1], ",") {
			own[c] = f[2]
		}
	}
	return own
}

// settle says where in a mounted hierarchy our path is.
func settle(m mount, own map[string]string, controller string) place {
	p := place{mounted: true}
	name := "cgroup2"
	if controller != "" {
		name = "the " + controller + " cgroup"
	}
	at, ok := own[controller]
	below, under := relative(m.root, at)
	switch {
	case !ok:
		p.why = "this process is in no " + strings.TrimPrefix(name, "the ")
	case m.readOnly:
		p.why, p.frozen = name+" at "+m.point+" is mounted read-only", true
	case !under:
		p.why = "our own part of " + name + ", " + at + ", is not mounted"
	default:
		p.dir = path.Join(m.point, below)
	}
	return p
}

// relative returns what of at lies below root. A path with ".." in it lies
// outside our cgroup namespace: it is below nothing.
func relative(root, at string) (string, bool) {
	if slices.Contains(strings.Split(at, "/"), "..") || slices.Contains(strings.Split(root, "/"), "..") {
		return "", false
	}
	if root == "/" || at == root {
		return strings.TrimPrefix(at, strings.TrimSuffix(root, "/")), true
	}
	return strings.CutPrefix(at, root+"/")
}

// parseMount reads one line of mountinfo; ok is false for anything but cgroups.
func parseMount(line string) (m mount, ok bool) {
	before, after, ok := strings.Cut(line, " - ")
	if !ok {
		return m, false
	}
	f, g := strings.Fields(before), strings.Fields(after)
	if len(f) < 6 || len(g) < 3 || (g[0] != "cgroup" && g[0] != "cgroup2") {
		return m, false
	}
	options := strings.Split(g[2], ",")
	m = mount{root: Unescape(f[3]), point: Unescape(f[4]), kind: g[0], controllers: options}
	m.readOnly = slices.Contains(strings.Split(f[5], ","), "ro") || slices.Contains(options, "ro")
	return m, strings.HasPrefix(m.root, "/") && strings.HasPrefix(m.point, "/")
}

// Unescape undoes the octal escapes in a field of mountinfo: \040 is a space.
func Unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) && octal(s[i+1:i+4]) {
			b = append(b, (s[i+1]-'0')<<6|(s[i+2]-'0')<<3|(s[i+3]-'0'))
			i += 3
			continue
		}
		b = append(b, s[i])
	}
	return string(b)
}

func octal(s string) bool {
	return s[0] >= '0' && s[0] <= '3' && s[1] >= '0' && s[1] <= '7' && s[2] >= '0' && s[2] <= '7'
}
