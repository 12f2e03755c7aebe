//go:build linux

package cgroup

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What /proc says on real systems, shortened to the lines that matter and some that do not.
const (
	systemdMounts = `24 1 8:2 / / rw,relatime shared:1 - ext4 /dev/sda2 rw
29 23 0:25 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate,memory_recursiveprot
`
	scopeSelf   = "0::/user.slice/user-1000.slice/user@1000.service/app.slice/run-r1f2.scope\n"
	sessionSelf = "0::/user.slice/user-1000.slice/session-2.scope\n"

	dockerPrivate = `1201 1150 0:30 / /sys/fs/cgroup ro,nosuid,nodev,noexec,relatime - cgroup2 cgroup rw
`
	dockerV1 = `1160 1158 0:61 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime - tmpfs tmpfs rw,mode=755
1161 1160 0:29 /docker/4f00aa /sys/fs/cgroup/systemd ro,nosuid,nodev,noexec,relatime master:11 - cgroup cgroup rw,xattr,name=systemd
1165 1160 0:33 /docker/4f00aa /sys/fs/cgroup/memory ro,nosuid,nodev,noexec,relatime master:17 - cgroup cgroup rw,memory
1166 1160 0:34 /docker/4f00aa /sys/fs/cgroup/pids ro,nosuid,nodev,noexec,relatime master:18 - cgroup cgroup rw,pids
`
	dockerV1Self = "11:pids:/docker/4f00aa\n9:memory:/docker/4f00aa\n1:name=systemd:/docker/4f00aa\n"

	kubeV1 = `2001 2000 0:33 /kubepods/burstable/pod1/c1 /sys/fs/cgroup/memory rw,nosuid,nodev,noexec,relatime master:17 - cgroup cgroup rw,memory
2002 2000 0:34 /kubepods/burstable/pod1/c1 /sys/fs/cgroup/cpu,cpuacct rw,nosuid - cgroup cgroup rw,cpu,cpuacct
`
	kubeV1Self = "9:memory:/kubepods/burstable/pod1/c1/inner\n4:cpu,cpuacct:/kubepods/burstable/pod1/c1\n"

	hybrid = `31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
39 31 0:36 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids
33 31 0:30 / /sys/fs/cgroup/cpuacct rw,relatime - cgroup cgroup rw,cpuacct
41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
`
	hybridSelf = "8:pids:/\n4:memory:/jobs/7\n2:cpuacct:/\n0::/\n"
)

func TestLocate(t *testing.T) {
	type want struct {
		V2, Memory, Pids, CPU string // folders, or "!" and a part of the reason
	}
	for name, c := range map[string]struct {
		mounts, self string
		want         want
	}{
		"systemd, scope":   {systemdMounts, scopeSelf, want{V2: "/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/app.slice/run-r1f2.scope"}},
		"systemd, session": {systemdMounts, sessionSelf, want{V2: "/sys/fs/cgroup/user.slice/user-1000.slice/session-2.scope"}},
		"docker, private":  {dockerPrivate, "0::/\n", want{V2: "!read-only"}},
		"podman, writable": {strings.Replace(dockerPrivate, " ro,", " rw,", 1), "0::/\n", want{V2: "/sys/fs/cgroup"}},
		"read-only superblock": {
			strings.Replace(systemdMounts, "cgroup2 rw,", "cgroup2 ro,", 1), scopeSelf,
			want{V2: "!read-only"},
		},
		"docker, v1":    {dockerV1, dockerV1Self, want{Memory: "!memory cgroup at /sys/fs/cgroup/memory is mounted read-only", Pids: "!read-only"}},
		"kubernetes v1": {kubeV1, kubeV1Self, want{Memory: "/sys/fs/cgroup/memory/inner", CPU: "/sys/fs/cgroup/cpu,cpuacct"}},
		"hybrid": {hybrid, hybridSelf, want{
			V2: "/sys/fs/cgroup/unified", Memory: "/sys/fs/cgroup/memory/jobs/7", Pids: "/sys/fs/cgroup/pids", CPU: "/sys/fs/cgroup/cpuacct",
		}},
		"outside the namespace":   {systemdMounts, "0::/../other.scope\n", want{V2: "!is not mounted"}},
		"root above the mount":    {strings.Replace(systemdMounts, " / /sys", " /.. /sys", 1), "0::/a\n", want{V2: "!is not mounted"}},
		"beside the mounted part": {kubeV1, "9:memory:/kubepods/burstable/pod1/c12\n", want{Memory: "!is not mounted", CPU: "!in no cpuacct cgroup"}},
		"in none":                 {systemdMounts, "", want{V2: "!in no cgroup2"}},
		"spaces":                  {`29 23 0:25 / /mnt/my\040groups\134 rw - cgroup2 none rw` + "\n", "0::/a b\n", want{V2: `/mnt/my groups\/a b`}},
		"the later of two mounts": {systemdMounts + strings.Replace(systemdMounts, "/sys/fs/cgroup", "/second", 1), "0::/a\n", want{V2: "/second/a"}},
		"a usable before a read-only one": {
			systemdMounts + strings.Replace(dockerPrivate, "/sys/fs/cgroup", "/second", 1), "0::/a\n",
			want{V2: "/sys/fs/cgroup/a"},
		},
		"nonsense": {"- cgroup2\n1 2 3 - cgroup2 a\n\n29 23 0:25 x y rw - cgroup2 cgroup2 rw\n", "0\n::\n", want{}},
		"empty":    {"", "", want{}},
	} {
		t.Run(name, func(t *testing.T) {
			at := locate(c.mounts, c.self)
			show := func(p place, want string) string {
				part, reason := strings.CutPrefix(want, "!")
				if reason && p.dir == "" && p.mounted && strings.Contains(p.why, part) {
					return want
				}
				if p.dir == "" && p.why != "" {
					return "!" + p.why
				}
				return p.dir
			}
			got := want{
				show(at.v2, c.want.V2), show(at.v1["memory"], c.want.Memory),
				show(at.v1["pids"], c.want.Pids), show(at.v1["cpuacct"], c.want.CPU),
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func FuzzLocate(f *testing.F) {
	for _, m := range []string{systemdMounts, dockerPrivate, dockerV1, kubeV1, hybrid, `1 2 3 / \0 rw - cgroup2 a b`, `1 2 3 / \777 rw - cgroup2 a b`} {
		for _, s := range []string{scopeSelf, dockerV1Self, hybridSelf, "0::/..\n", "0::\n"} {
			f.Add(m, s)
		}
	}
	f.Fuzz(func(t *testing.T, mounts, self string) {
		at := locate(mounts, self)
		for _, p := range []place{at.v2, at.v1["memory"], at.v1["pids"], at.v1["cpuacct"]} {
			if p.dir != "" && (!filepath.IsAbs(p.dir) || filepath.Clean(p.dir) != p.dir) {
				t.Errorf("folder %q", p.dir)
			}
			if p.mounted && (p.dir == "") == (p.why == "") {
				t.Errorf("neither or both: folder %q, reason %q", p.dir, p.why)
			}
		}
	})
}

func TestFindChooses(t *testing.T) {
	// what is changed about a good system, and what must come of it
	for name, c := range map[string]struct {
		change func(t *testing.T, f *fake)
		kind   string // "v1", "v2" or "both"
		want   Mode   // empty: unavailable
		why    string
		remedy string
	}{
		"v2":                 {kind: "v2", want: V2},
		"v1":                 {kind: "v1", want: V1},
		"both, v2 complete":  {kind: "both", want: V2},
		"v2 without memory":  {kind: "both", change: put("v2/own/cgroup.controllers", "cpu pids\n"), want: V1},
		"v2 without pids":    {kind: "v2", change: put("v2/own/cgroup.controllers", "cpu memory\n"), why: "has no pids controller", remedy: "Delegate=yes"},
		"v2 threaded":        {kind: "v2", change: put("v2/own/cgroup.type", "domain threaded\n"), why: "cannot hold processes", remedy: "Delegate=yes"},
		"v2 shared":          {kind: "v2", change: put("v2/own/cgroup.procs", "41\n42\n43\n"), why: "holds 2 other processes", remedy: "Delegate=yes"},
		"v2 not ours":        {kind: "v2", change: drop("v2/own/cgroup.subtree_control"), why: "cgroup.subtree_control", remedy: "Delegate=yes"},
		"v2 root, shared":    {kind: "v2", change: all(drop("v2/own/cgroup.type"), put("v2/own/cgroup.procs", "1\n42\n")), want: V2},
		"v1 not ours":        {kind: "v1", change: drop("memory/own/cgroup.procs"), why: "cgroup.procs", remedy: "run pyrun as root"},
		"v1 without pids":    {kind: "v1", change: drop("pids/own/cgroup.procs"), want: V1},
		"neither":            {kind: "both", change: all(drop("memory/own/cgroup.procs"), put("v2/own/cgroup.controllers", "\n")), why: "no memory controller", remedy: "root"},
		"nothing is mounted": {kind: "", why: "no cgroup file system is mounted", remedy: "mount cgroup2"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t, c.kind)
			if c.change != nil {
				c.change(t, f)
			}
			h, err := find(f.host, f.mounts, f.self)
			if c.want != "" {
				if err != nil || h.Mode() != c.want {
					t.Fatalf("%+v, %v", h, err)
				}
				if want := name != "v1 without pids"; h.LimitsProcesses() != want {
					t.Errorf("limits processes: %t", h.LimitsProcesses())
				}
				return
			}
			var no *Unavailable
			if !errors.Is(err, ErrUnavailable) || !errors.As(err, &no) {
				t.Fatalf("%+v, %v", h, err)
			}
			if !strings.Contains(no.Why, c.why) || !strings.Contains(no.Remedy, c.remedy) || !strings.Contains(err.Error(), no.Remedy) {
				t.Errorf("%v", err)
			}
		})
	}
}

func put(file, text string) func(*testing.T, *fake) {
	return func(t *testing.T, f *fake) { f.put(t, file, text) }
}

func drop(file string) func(*testing.T, *fake) {
	return func(t *testing.T, f *fake) {
		if err := os.Remove(filepath.Join(f.dir, file)); err != nil {
			t.Fatal(err)
		}
	}
}

func all(changes ...func(*testing.T, *fake)) func(*testing.T, *fake) {
	return func(t *testing.T, f *fake) {
		for _, c := range changes {
			c(t, f)
		}
	}
}

func TestNames(t *testing.T) {
	o := owner{space: 4026531836, pid: 4711, start: 998877}
	if got, ok := parseName(o.name(12)); !ok || got != o {
		t.Errorf("%v, %t", got, ok)
	}
	for _, s := range []string{
		"", "pyrun", "pyrun-1-2-3", "pyrun-1-2-3-4-5", "pyrun-1-0-3-4", "pyrun-1--2-3-4", "pyrun-01-2-3-4", "pyrun-1-2-3-x",
		"pyrun-1-2-3-4.scope", "Pyrun-1-2-3-4", "pyrun-1-+2-3-4", "pyrun-1-2-3-99999999999999999999", "xpyrun-1-2-3-4", "pyrun-1-4294967296-3-4",
	} {
		if o, ok := parseName(s); ok {
			t.Errorf("%q was read as %v", s, o)
		}
	}
}
