package exec

// What the attestation proves. Pure. A wall counts as held only when what the
// sandbox says of itself, what the kernel says from outside and what the script
// met inside all agree; what could not be seen from any side is not held.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pyrun-dev/pyrun/internal/exec/sandbox"
)

// evidence is all that is known of the attestation's runs.
type evidence struct {
	sandbox SandboxInfo // of the run, as it says of itself
	survey  sandbox.Survey
	network sandbox.Network
	asked   asked
	room    int64 // bytes that its disk may have; 0: it was filled

	root        []string // names that may stand in /
	environment []string // names of the variables given

	outside sandbox.Observation
	unseen  error // why there is no outside
	inside  *testimony
	unsaid  error // why there is no inside

	time, memory Verdict // of the runs that must be ended
}

const noBits = "0000000000000000"

// walls judges each wall, in the order of docs/security.md.
func (v *evidence) walls() []Wall {
	return []Wall{
		v.wall("namespaces", strings.Join(v.spaces(), ", "), v.namespaces),
		v.wall("root", fmt.Sprintf("own root, read-only; %d devices; no host file seen", len(devices)), v.rootFaults),
		v.wall("network", v.reachable(), v.networkFaults),
		v.wall("inheritance", "no descriptor and no variable of pyrun's", v.inheritance),
		v.wall("privileges", "no capability, no new privileges, never root", v.privileges),
		v.wall("limits", "processes, open files, file size and disk end where they should", v.limitFaults),
		v.wall("landlock", v.landlockDetail(), v.landlock),
		v.wall("seccomp", fmt.Sprintf("%d calls allowed", v.survey.Calls), v.seccomp),
		v.fateWall("time", "stopped when its time is over", v.time, VerdictTimeout),
		v.fateWall("memory", "killed at its limit ("+v.sandbox.Memory+")", v.memory, VerdictMemory),
	}
}

// wall is held when neither side is missing and no fault is found.
func (v *evidence) wall(name, detail string, find func() []string) Wall {
	switch {
	case v.unsaid != nil:
		return Wall{Name: name, Detail: v.unsaid.Error()}
	case v.unseen != nil:
		return Wall{Name: name, Detail: v.unseen.Error()}
	case v.inside == nil:
		return Wall{Name: name, Detail: "nothing was seen from inside"}
	}
	faults := slices.DeleteFunc(find(), func(s string) bool { return s == "" })
	if len(faults) > 0 {
		return Wall{Name: name, Detail: clip(strings.Join(faults, "; "), 300)}
	}
	return Wall{Name: name, Held: true, Detail: detail}
}

func (v *evidence) fateWall(name, detail string, got, want Verdict) Wall {
	switch got {
	case want:
		return Wall{Name: name, Held: true, Detail: detail}
	case "":
		return Wall{Name: name, Detail: "could not be tried"}
	}
	return Wall{Name: name, Detail: fmt.Sprintf("a script that passed it ended with %s", got)}
}

// stands asks the sandbox's own word.
func (v *evidence) stands(layers ...string) string {
	for _, l := range layers {
		if !slices.Contains(v.sandbox.Layers, l) {
			return "the sandbox does not name " + l
		}
	}
	return ""
}

// try is a fault unless the attempt met one of these errors.
func (v *evidence) try(name string, want ...string) string {
	got, tried := v.inside.Tries[name]
	switch {
	case !tried:
		return shown(name) + ": was not tried"
	case slices.Contains(want, got):
		return ""
	case got == "":
		return shown(name) + ": was allowed"
	}
	return fmt.Sprintf("%s: %s, not %s", shown(name), shown(got), strings.Join(want, " or "))
}

// spaces are the kinds of namespaces the run has of its own.
func (v *evidence) spaces() []string {
	all := []string{"mount", "pid", "net", "ipc", "uts", "cgroup"}
	if slices.Contains(v.sandbox.Layers, "user") {
		return append([]string{"user"}, all...)
	}
	return all
}

func (v *evidence) namespaces() []string {
	faults := []string{v.stands(v.spaces()...)}
	for _, name := range v.spaces() {
		if name == "mount" {
			name = "mnt"
		}
		own, out, in := v.outside.Own[name], v.outside.Namespaces[name], v.inside.Namespaces[name]
		switch {
		case own == "", out == "" && in == "":
			faults = append(faults, name+": cannot be seen")
		case out == own, in == own:
			faults = append(faults, name+": is pyrun's own")
		case out != "" && in != "" && out != in:
			faults = append(faults, name+": differs from inside to outside")
		}
	}
	pids := strings.Fields(v.outside.Status["NSpid"])
	if v.inside.PID == 1 || v.inside.Parent != 1 || len(pids) < 2 || pids[len(pids)-1] != fmt.Sprint(v.inside.PID) {
		faults = append(faults, "the script is not the only child of its own pid 1")
	}
	return faults
}

var devices = [...]string{"full", "null", "random", "urandom", "zero"}

func (v *evidence) rootFaults() []string {
	const readOnly, noSUID, noExec = 1, 2, 8
	faults := []string{
		v.stands("mount"),
		v.try("write /", "EROFS", "EACCES"),
		v.try("write the library", "EROFS", "EACCES"),
	}
	for name, bits := range map[string]uint64{"root": readOnly | noSUID | noExec, "library": readOnly | noSUID, "job": noSUID | noExec} {
		if v.inside.Flags[name]&bits != bits {
			faults = append(faults, fmt.Sprintf("the mount of the %s has flags %#x, without all of %#x", name, v.inside.Flags[name], bits))
		}
	}
	if len(v.asked.Hidden) == 0 {
		faults = append(faults, "no file is known here that a script must not see")
	}
	for _, path := range v.asked.Hidden {
		faults = append(faults, v.try("see "+path, "ENOENT"))
	}
	if !slices.Equal(v.inside.Devices, devices[:]) {
		faults = append(faults, "devices: "+shown(strings.Join(v.inside.Devices, " ")))
	}
	for _, name := range v.inside.Root {
		if !slices.Contains(v.root, name) {
			faults = append(faults, "/"+shown(name)+" is there")
		}
	}
	if len(v.inside.Root) == 0 {
		faults = append(faults, "nothing was seen in /")
	}
	return faults
}

func (v *evidence) reachable() string {
	if v.network == sandbox.NetworkLoopback {
		return "loopback only, nothing else reachable"
	}
	return "no sockets at all"
}

func (v *evidence) networkFaults() []string {
	unreachable := []string{"ENETUNREACH"}
	faults := []string{
		v.stands("net"),
		v.try("reach out", unreachable...),
		// Where the kernel has no IPv6, or it is switched off.
		v.try("reach out by IPv6", append(unreachable, "EAFNOSUPPORT", "EADDRNOTAVAIL")...),
		v.try("netlink socket", "EAFNOSUPPORT"),
		v.try("packet socket", "EAFNOSUPPORT"),
	}
	if v.network == sandbox.NetworkLoopback {
		faults = append(faults, v.try("loopback", ""), v.try("raw socket", "EPROTONOSUPPORT"))
	} else {
		faults = append(faults, v.try("loopback", unreachable...), v.try("raw socket", unreachable...))
	}
	for _, name := range v.outside.Reach {
		if name != "lo" {
			faults = append(faults, "it has the interface "+shown(name))
		}
	}
	return faults
}

func (v *evidence) inheritance() []string {
	faults := []string{v.try("read pid 1's environment", "ENOENT", "EACCES", "EPERM")}
	if len(v.inside.Descriptors) > 0 {
		faults = append(faults, fmt.Sprintf("descriptors are open: %v", v.inside.Descriptors))
	}
	given, got := slices.Clone(v.environment), slices.Clone(v.inside.Environment)
	slices.Sort(given)
	slices.Sort(got)
	if !slices.Equal(given, got) {
		faults = append(faults, "the environment is another than it was given")
	}
	return faults
}
