package exec

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pyrun-dev/pyrun/internal/exec/sandbox"
)

// truth is the evidence of walls that all hold.
func truth() *evidence {
	caps := map[string]string{
		"CapInh": noBits, "CapPrm": noBits, "CapEff": noBits, "CapBnd": noBits, "CapAmb": noBits,
		"NoNewPrivs": "1", "Seccomp": "2", "Seccomp_filters": "1", "Uid": "60001\t60001\t60001\t60001", "NSpid": "4711\t2",
	}
	v := &evidence{
		sandbox: SandboxInfo{Backend: "native", Memory: "cgroup2", Layers: []string{"user", "mount", "pid", "net", "ipc", "uts", "cgroup", "landlock", "seccomp", "caps", "rlimit"}},
		survey:  sandbox.Survey{Landlock: 7, Calls: 200}, network: sandbox.NetworkLoopback,
		asked: asked{Hidden: []string{"/etc/shadow"}},
		root:  []string{"dev", "etc", "job", "opt"}, environment: []string{"HOME", "PATH"},
		outside: sandbox.Observation{Own: map[string]string{}, Namespaces: map[string]string{}, Status: caps, OwnStatus: map[string]string{"Seccomp_filters": "0"}, Reach: []string{"lo"}},
		inside: &testimony{
			PID: 2, Parent: 1, UIDs: []int{1000, 1000, 1000}, Root: []string{"job", "dev", "etc"}, Devices: devices[:],
			Descriptors: []int{}, Environment: []string{"PATH", "HOME"},
			Flags:      map[string]uint64{"root": 0x100f, "library": 0x1007, "job": 0x100e},
			Namespaces: map[string]string{}, Status: map[string]string{}, Raw: &rawFacts{Seccomp: 2, NoNewPrivs: 1},
			Tries: map[string]string{
				"write /": "EROFS", "write the library": "EROFS", "see /etc/shadow": "ENOENT", "read pid 1's environment": "ENOENT",
				"reach out": "ENETUNREACH", "reach out by IPv6": "ENETUNREACH", "loopback": "",
				"netlink socket": "EAFNOSUPPORT", "packet socket": "EAFNOSUPPORT", "raw socket": "EPROTONOSUPPORT",
				"setuid": "EPERM", "setgroups": "EPERM", "chroot": "EPERM", "signal pid 1": "EPERM", "device call": "EACCES",
				"open files": "EMFILE", "file size": "EFBIG", "disk": "ENOSPC", "processes": "EAGAIN",
			},
		},
		time: VerdictTimeout, memory: VerdictMemory,
	}
	for k, s := range caps {
		v.inside.Status[k] = s
	}
	for _, name := range []string{"user", "mnt", "pid", "net", "ipc", "uts", "cgroup"} {
		v.outside.Own[name] = name + ":[1]"
		v.outside.Namespaces[name], v.inside.Namespaces[name] = name+":[2]", name+":[2]"
	}
	for _, c := range refusals {
		v.inside.Tries["call "+c.call] = c.errno
	}
	return v
}

func fallen(v *evidence) []string {
	var names []string
	for _, w := range v.walls() {
		if !w.Held {
			names = append(names, w.Name)
		}
		if w.Detail == "" {
			names = append(names, w.Name+" says nothing")
		}
	}
	return names
}

// TestEvidence: each side alone can bring a wall down, and neither can hold it up.
func TestEvidence(t *testing.T) {
	if names := fallen(truth()); len(names) > 0 {
		t.Fatalf("with everything as it should be these do not hold: %v", names)
	}
	try := func(name, answer string) func(*evidence) {
		return func(v *evidence) { v.inside.Tries[name] = answer }
	}
	all := []string{"namespaces", "root", "network", "inheritance", "privileges", "limits", "landlock", "seccomp"}
	for name, c := range map[string]struct {
		lie  func(*evidence)
		want []string
	}{
		"no answer from inside":             {func(v *evidence) { v.unsaid = errors.New("silence") }, all},
		"an empty answer":                   {func(v *evidence) { *v.inside = testimony{} }, all},
		"no answer at all":                  {func(v *evidence) { v.inside = nil }, all},
		"not seen from outside":             {func(v *evidence) { v.unseen = errors.New("gone") }, all},
		"nothing seen outside":              {func(v *evidence) { v.outside = sandbox.Observation{} }, []string{"namespaces", "privileges", "seccomp"}},
		"the sandbox claims no layer":       {func(v *evidence) { v.sandbox.Layers = nil }, []string{"namespaces", "root", "network", "privileges", "limits", "landlock", "seccomp"}},
		"the network is ours, seen outside": {func(v *evidence) { v.outside.Namespaces["net"] = v.outside.Own["net"] }, []string{"namespaces"}},
		"the network is ours, seen inside":  {func(v *evidence) { v.inside.Namespaces["net"] = v.outside.Own["net"] }, []string{"namespaces"}},
		"two answers about a namespace":     {func(v *evidence) { v.inside.Namespaces["net"] = "net:[3]" }, []string{"namespaces"}},
		"a namespace nobody can see":        {func(v *evidence) { delete(v.outside.Namespaces, "ipc"); delete(v.inside.Namespaces, "ipc") }, []string{"namespaces"}},
		"the script is pid 1":               {func(v *evidence) { v.inside.PID = 1; v.outside.Status["NSpid"] = "4711\t1" }, []string{"namespaces"}},
		"pids are the machine's":            {func(v *evidence) { v.outside.Status["NSpid"] = "2" }, []string{"namespaces"}},
		"the root can be written":           {try("write /", ""), []string{"root"}},
		"the library can be written":        {try("write the library", ""), []string{"root"}},
		"a host file is seen":               {try("see /etc/shadow", ""), []string{"root"}},
		"a host file is there but closed":   {try("see /etc/shadow", "EACCES"), []string{"root"}},
		"no host file was looked for":       {func(v *evidence) { v.asked.Hidden = nil }, []string{"root"}},
		"one more device":                   {func(v *evidence) { v.inside.Devices = append(slices.Clone(devices[:]), "mem") }, []string{"root"}},
		"one more folder":                   {func(v *evidence) { v.inside.Root = append(v.inside.Root, "home") }, []string{"root"}},
		"the root may run programs":         {func(v *evidence) { v.inside.Flags["root"] = 3 }, []string{"root"}},
		"the job may run programs":          {func(v *evidence) { v.inside.Flags["job"] = 2 }, []string{"root"}},
		"an address answers":                {try("reach out", ""), []string{"network"}},
		"an address refuses":                {try("reach out", "ECONNREFUSED"), []string{"network"}},
		"an address is slow":                {try("reach out by IPv6", "timeout"), []string{"network"}},
		"loopback is down":                  {try("loopback", "ENETUNREACH"), []string{"network"}},
		"a raw socket":                      {try("raw socket", ""), []string{"network"}},
		"a second interface":                {func(v *evidence) { v.outside.Reach = []string{"lo", "eth0"} }, []string{"network"}},
		"loopback where there is none":      {func(v *evidence) { v.network = sandbox.NetworkNone }, []string{"network"}},
		"netlink":                           {try("netlink socket", ""), []string{"network", "seccomp"}},
		"an open descriptor":                {func(v *evidence) { v.inside.Descriptors = []int{7} }, []string{"inheritance"}},
		"one more variable":                 {func(v *evidence) { v.inside.Environment = append(v.inside.Environment, "TOKEN") }, []string{"inheritance"}},
		"one variable less":                 {func(v *evidence) { v.inside.Environment = v.inside.Environment[:1] }, []string{"inheritance"}},
		"pid 1 can be read":                 {try("read pid 1's environment", ""), []string{"inheritance"}},
		"root outside":                      {func(v *evidence) { v.outside.Status["Uid"] = "0\t0\t0\t0" }, []string{"privileges"}},
		"root inside":                       {func(v *evidence) { v.inside.UIDs[1] = 0 }, []string{"privileges"}},
		"a capability outside":              {func(v *evidence) { v.outside.Status["CapEff"] = "0000000000000001" }, []string{"privileges"}},
		"a capability inside":               {func(v *evidence) { v.inside.Status["CapBnd"] = "0000000000000001" }, []string{"privileges"}},
		"a capability to be gained":         {func(v *evidence) { v.inside.Raw.Bounding = 1 }, []string{"privileges"}},
		"new privileges":                    {func(v *evidence) { v.outside.Status["NoNewPrivs"] = "0" }, []string{"privileges"}},
		"setuid works":                      {try("setuid", ""), []string{"privileges"}},
		"no limit of processes":             {try("processes", ""), []string{"limits"}},
		"no limit of files":                 {try("open files", ""), []string{"limits"}},
		"no limit of size":                  {try("file size", ""), []string{"limits"}},
		"no limit of disk":                  {try("disk", ""), []string{"limits"}},
		"a limit not tried":                 {func(v *evidence) { delete(v.inside.Tries, "disk") }, []string{"limits"}},
		"a disk of no size":                 {func(v *evidence) { v.room = 1 << 20; delete(v.inside.Tries, "disk") }, []string{"limits"}},
		"a disk too large":                  {func(v *evidence) { v.room, v.inside.Room = 1<<20, 1<<20+1 }, []string{"limits"}},
		"Landlock lets a device be asked":   {try("device call", "ENOTTY"), []string{"landlock"}},
		"Landlock lets signals out":         {try("signal pid 1", ""), []string{"landlock"}},
		"no Landlock in the kernel":         {func(v *evidence) { v.survey.Landlock = 0 }, []string{"landlock"}},
		"no filter outside":                 {func(v *evidence) { v.outside.Status["Seccomp"] = "0" }, []string{"seccomp"}},
		"no filter inside":                  {func(v *evidence) { v.inside.Raw.Seccomp = 0 }, []string{"seccomp"}},
		"only the container's filter":       {func(v *evidence) { v.outside.OwnStatus["Seccomp_filters"] = "1" }, []string{"seccomp"}},
		"a call is let through":             {try("call keyctl", ""), []string{"seccomp"}},
		"a call is known":                   {try("call io_uring_setup", "EPERM"), []string{"seccomp"}},
		"no end of time":                    {func(v *evidence) { v.time = VerdictOK }, []string{"time"}},
		"memory passed":                     {func(v *evidence) { v.memory = VerdictTimeout }, []string{"memory"}},
		"memory not tried":                  {func(v *evidence) { v.memory = "" }, []string{"memory"}},
	} {
		t.Run(name, func(t *testing.T) {
			v := truth()
			c.lie(v)
			if got := fallen(v); !slices.Equal(got, c.want) {
				t.Errorf("these do not hold: %v, want %v\n%+v", got, c.want, v.walls())
			}
		})
	}
}

// TestEvidenceElsewhere: what differs from machine to machine is no fault.
func TestEvidenceElsewhere(t *testing.T) {
	for name, differ := range map[string]func(*evidence){
		"no /proc inside":        func(v *evidence) { v.inside.Status, v.inside.Namespaces = nil, nil },
		"not to be seen outside": func(v *evidence) { v.outside.Namespaces = nil },
		"no ctypes":              func(v *evidence) { v.inside.Raw = nil },
		"no IPv6":                func(v *evidence) { v.inside.Tries["reach out by IPv6"] = "EAFNOSUPPORT" },
		"an old kernel's status": func(v *evidence) { delete(v.outside.Status, "Seccomp_filters") },
		"a container's own filter": func(v *evidence) {
			v.outside.OwnStatus["Seccomp_filters"], v.outside.Status["Seccomp_filters"] = "1", "2"
		},
		"Landlock of 5.13": func(v *evidence) { v.survey.Landlock = 1; delete(v.inside.Tries, "signal pid 1") },
		"no user namespace": func(v *evidence) {
			v.sandbox.Layers = v.sandbox.Layers[1:]
			v.outside.Namespaces["user"] = v.outside.Own["user"]
		},
		"a disk that is not filled": func(v *evidence) { v.room, v.inside.Room = 1<<20, 1<<20; delete(v.inside.Tries, "disk") },
		"no network": func(v *evidence) {
			v.network = sandbox.NetworkNone
			v.inside.Tries["loopback"], v.inside.Tries["raw socket"] = "ENETUNREACH", "ENETUNREACH"
		},
	} {
		v := truth()
		differ(v)
		if got := fallen(v); len(got) > 0 {
			t.Errorf("%s: these do not hold: %v\n%+v", name, got, v.walls())
		}
	}
}

// TestTestimonyIsStrict: an answer is taken whole or not at all.
func TestTestimonyIsStrict(t *testing.T) {
	ok := &Result{Verdict: VerdictOK}
	for said, want := range map[string]string{
		`{"pid": 2}`:               "",
		`{"pid": 2}` + "\n":        "",
		``:                         "did not answer",
		`[]`:                       "did not answer",
		`{"pid": 2`:                "did not answer",
		`{"pid": "2"}`:             "did not answer",
		`{"pid": 2, "held": true}`: "did not answer",
		`{"pid": 2} {"pid": 3}`:    "said more",
		`{"pid": 2} x`:             "said more",
	} {
		_, err := readTestimony(ok, []byte(said))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", said, err, want)
		}
	}
	if _, err := readTestimony(&Result{Verdict: VerdictSignal, ExitCode: 139, Stderr: "a\nb\x1b\n"}, []byte(`{"pid": 2}`)); err == nil || !strings.Contains(err.Error(), `signal, exit 139: b\x1b`) {
		t.Errorf("a script that crashed is believed: %v", err)
	}
	b := &bounded{}
	if _, err := b.Write(make([]byte, maxTestimony+1)); err == nil {
		t.Error("no bound on what is said")
	}
}

// A wall of time or memory that one try missed is tried once more, and no oftener.
func TestFateIsTriedTwice(t *testing.T) {
	for want, fates := range map[Verdict][]Verdict{
		VerdictMemory: {VerdictTimeout, VerdictMemory},
		VerdictOK:     {"", VerdictOK, VerdictMemory},
		"":            {VerdictTimeout, "", VerdictMemory},
	} {
		tries := 0
		got := twice(VerdictMemory, func() Verdict { tries++; return fates[tries-1] })
		if got != want || tries != 2 {
			t.Errorf("%q: believed %q after %d tries", fates, got, tries)
		}
	}
	if twice(VerdictMemory, func() Verdict { return VerdictMemory }) != VerdictMemory {
		t.Error("a wall that holds is not believed")
	}
}

// Who is killed while the walls are tried leaves a file behind, and not for ever.
func TestStaleCanariesAreSwept(t *testing.T) {
	dir := t.TempDir()
	old := time.Now().Add(-2 * staleCanary)
	for _, name := range []string{canary + "1", canary + "2-new", canary + "3-full", "another"} {
		text := ""
		if strings.HasSuffix(name, "full") {
			text = "somebody's"
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(name, "new") {
			if err := os.Chtimes(filepath.Join(dir, name), old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.Mkdir(filepath.Join(dir, canary+"folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	sweepCanaries(dir, time.Now().Add(-staleCanary))
	left, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range left {
		names = append(names, e.Name())
	}
	if got := strings.Join(names, " "); got != "another pyrun-canary-2-new pyrun-canary-3-full pyrun-canary-folder" {
		t.Errorf("left: %s", got)
	}
}
