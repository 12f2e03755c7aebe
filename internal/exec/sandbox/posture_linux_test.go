//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestPosture compares all that /proc says of pid 1 and pid 2 with a complete
// list, so that a leak fails a test that nobody wrote for it.
func TestPosture(t *testing.T) {
	asEveryone(t)
	signal.Ignore(syscall.SIGHUP) // as under nohup: nothing inside may inherit it
	defer signal.Reset(syscall.SIGHUP)
	t.Run("looked at when asked", func(t *testing.T) { posture(t, nil) })
	t.Run("looked at ahead", func(t *testing.T) { posture(t, Look()) })
}

func posture(t *testing.T, m *Machine) {
	t.Setenv("PYRUN_TEST_SECRET", "CANARY")
	pol := shell("")
	pol.Argv = []string{"/usr/bin/sleep", "60"}
	l, err := New(Options{Backend: Native, Machine: m})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	p, err := l.Start(context.Background(), Place{}, pol, Stdio{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	r := p.impl.(*running)
	pid1 := r.pid
	pid2 := waitForProgram(t, pid1, "sleep")

	uid := r.id.uid
	if r.id.userns { // seen from outside
		if uid = r.id.hostID; uid < 0 {
			uid = os.Geteuid()
		}
	}
	if uid == 0 {
		t.Fatal("the script runs as the kernel's root")
	}
	groups := ""
	if r.id.hostID < 0 {
		groups = ownGroups(t) // an ordinary user may not drop them
	}
	status := map[string]string{
		"Uid": strings.TrimSpace(strings.Repeat(fmt.Sprintf("%d\t", uid), 4)), "Gid": strings.TrimSpace(strings.Repeat(fmt.Sprintf("%d\t", uid), 4)),
		"Groups": groups, "NoNewPrivs": "1", "Seccomp": "2", "Seccomp_filters": oneMore(t), "Threads": "1",
		"CapInh": zeros, "CapPrm": zeros, "CapEff": zeros, "CapBnd": zeros, "CapAmb": zeros,
		"SigBlk": zeros, "SigIgn": zeros, "SigCgt": zeros,
	}
	limits2 := map[string]string{
		"Max cpu time": "20 21", "Max file size": "67108864 67108864", "Max stack size": "8388608 67108864",
		"Max core file size": "1 1", "Max processes": "65 65", "Max open files": "256 256",
		"Max locked memory": "65536 65536", "Max address space": "2147483648 2147483648",
		"Max pending signals": "256 256", "Max msgqueue size": "0 0", "Max nice priority": "0 0", "Max realtime priority": "0 0",
	}
	limits1 := map[string]string{
		"Max core file size": "1 1", "Max file size": "0 0", "Max processes": "0 0", "Max locked memory": "0 0",
		"Max msgqueue size": "0 0", "Max open files": "16 16",
	}
	inherited := readLimits(t, os.Getpid())
	for name, value := range inherited {
		if _, set := limits2[name]; !set {
			limits2[name] = value
		}
		if _, set := limits1[name]; !set {
			limits1[name] = value
		}
	}
	null, pipe := "/dev/null", "socket"
	for _, c := range []struct {
		name   string
		pid    int
		nspid  string
		fds    map[string]string
		env    []string
		argv   string
		limits map[string]string
	}{
		{"pid 1", pid1, "1", map[string]string{"0": null, "1": null, "2": null, "3": pipe}, nil, "pyrun-init", limits1},
		{"pid 2", pid2, "2", map[string]string{"0": null, "1": null, "2": null}, pol.Env, "/usr/bin/sleep 60", limits2},
	} {
		t.Run(c.name, func(t *testing.T) {
			equal(t, "status", status, pick(readStatus(t, c.pid), status))
			if got := strings.Fields(readStatus(t, c.pid)["NSpid"]); got[len(got)-1] != c.nspid {
				t.Errorf("NSpid %v", got)
			}
			if _, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", c.pid)); c.pid == pid1 && os.Geteuid() != 0 {
				// pid 1 is not dumpable: its own user may not look in, so what follows cannot be read.
				if !os.IsPermission(err) {
					t.Errorf("an ordinary user may look into pid 1: %v", err)
				}
				return
			}
			equal(t, "descriptors", c.fds, readDescriptors(t, c.pid))
			equal(t, "limits", c.limits, readLimits(t, c.pid))
			equal(t, "environment", c.env, nulList(t, c.pid, "environ"))
			equal(t, "argv", c.argv, strings.Join(nulList(t, c.pid, "cmdline"), " "))
			equal(t, "oom_score_adj", "1000", readProc(t, c.pid, "oom_score_adj"))
			equal(t, "shared namespaces", sharedExpected(r.id.userns), shared(t, c.pid))
			equal(t, "mounts", mountsExpected(t, p.Posture().Proc), readMounts(t, c.pid))
		})
	}
	if s1, s2, s3 := session(t, pid1), session(t, pid2), session(t, os.Getpid()); s1 == s2 || s1 == s3 || s2 == s3 {
		t.Errorf("sessions are shared: pid 1 %s, pid 2 %s, test %s", s1, s2, s3)
	}
	if tty := strings.Fields(readProc(t, pid2, "stat"))[6]; tty != "0" {
		t.Errorf("pid 2 has a terminal: %s", tty)
	}
}

const zeros = "0000000000000000"

// oneMore is the number of filters of a child: this process's, in a container, and its own.
func oneMore(t *testing.T) string {
	n, err := strconv.Atoi(readStatus(t, os.Getpid())["Seccomp_filters"])
	if err != nil {
		t.Fatal(err)
	}
	return strconv.Itoa(n + 1)
}

func mountsExpected(t *testing.T, proc bool) []string {
	list := []string{
		"/ ro,nosuid,nodev,noexec tmpfs",
		"/dev ro,nosuid,noexec tmpfs",
		"/dev/full rw,nosuid,noexec", "/dev/null rw,nosuid,noexec", "/dev/random rw,nosuid,noexec", "/dev/urandom rw,nosuid,noexec", "/dev/zero rw,nosuid,noexec",
		"/dev/shm rw,nosuid,nodev,noexec tmpfs",
		"/job rw,nosuid,nodev,noexec tmpfs",
		"/job/inputs ro,nosuid,nodev,noexec tmpfs",
		"/tmp rw,nosuid,nodev,noexec tmpfs",
		"/usr ro,nosuid,nodev",
	}
	if proc {
		list = append(list, "/proc ro,nosuid,nodev,noexec proc")
	}
	for _, m := range mountPoints([]byte(readProc(t, os.Getpid(), "mountinfo"))) {
		if m != "/usr" && below(m, "/usr") {
			list = append(list, m+" ro,nosuid,nodev")
		}
	}
	sort.Strings(list)
	return list
}

// sharedExpected are the namespaces a run has in common with the host: the
// clock's, and the users' when ids are dropped for real.
func sharedExpected(userns bool) []string {
	if userns {
		return []string{"time", "time_for_children"}
	}
	return []string{"time", "time_for_children", "user"}
}

func equal(t *testing.T, what string, want, got any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

func readProc(t *testing.T, pid int, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(b))
}

func readStatus(t *testing.T, pid int) map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(readProc(t, pid, "status")) {
		k, v, _ := strings.Cut(line, ":")
		out[k] = strings.TrimSpace(v)
	}
	return out
}

func pick(all, keys map[string]string) map[string]string {
	out := map[string]string{}
	for k := range keys {
		out[k] = all[k]
	}
	return out
}

func ownGroups(t *testing.T) string { return readStatus(t, os.Getpid())["Groups"] }

func readLimits(t *testing.T, pid int) map[string]string {
	out := map[string]string{}
	for i, line := range strings.Split(readProc(t, pid, "limits"), "\n") {
		if i > 0 && len(line) > 26 {
			f := strings.Fields(line[26:])
			out[strings.TrimSpace(line[:26])] = f[0] + " " + f[1]
		}
	}
	return out
}

func readDescriptors(t *testing.T, pid int) map[string]string {
	dir := filepath.Join("/proc", strconv.Itoa(pid), "fd")
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, e := range list {
		to, _ := os.Readlink(filepath.Join(dir, e.Name()))
		to, _, _ = strings.Cut(to, ":")
		out[e.Name()] = to
	}
	return out
}

func nulList(t *testing.T, pid int, name string) []string {
	text := strings.TrimRight(readProc(t, pid, name), "\x00")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\x00")
}

// shared lists the namespaces pid has in common with this process.
func shared(t *testing.T, pid int) []string {
	mine, err := os.ReadDir("/proc/self/ns")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range mine {
		if strings.HasSuffix(e.Name(), "pid_for_children") {
			continue
		}
		a, _ := os.Readlink("/proc/self/ns/" + e.Name())
		b, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/%s", pid, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if a == b {
			out = append(out, e.Name())
		}
	}
	return out
}

// readMounts lists mount point, flags and the kind of memory file systems.
func readMounts(t *testing.T, pid int) []string {
	var out []string
	for line := range strings.Lines(readProc(t, pid, "mountinfo")) {
		f := strings.Fields(line)
		flags := strings.Join(strings.FieldsFunc(f[5], func(r rune) bool { return r == ',' }), ",")
		flags = strings.TrimSuffix(flags, ",relatime")
		row := f[4] + " " + flags
		for i := range f {
			if f[i] == "-" && (f[i+1] == "tmpfs" || f[i+1] == "proc") && !strings.HasPrefix(f[4], "/dev/") || f[i] == "-" && f[4] == "/dev/shm" {
				row += " " + f[i+1]
			}
		}
		out = append(out, row)
	}
	sort.Strings(out)
	return out
}

func session(t *testing.T, pid int) string { return strings.Fields(readProc(t, pid, "stat"))[5] }

// waitForProgram returns the pid of the script when it has become the named
// program and sleeps: while it is being loaded it has files open.
func waitForProgram(t *testing.T, pid1 int, name string) int {
	t.Helper()
	for range 2000 {
		for _, pid := range descendants(pid1, nil) {
			if b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); strings.Contains(string(b), "("+name+") S ") {
				return pid
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%s did not come up below pid 1", name)
	return 0
}
