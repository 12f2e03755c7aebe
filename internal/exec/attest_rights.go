package exec

// The second half of attest_judge.go: what a script may do, use, open and call.

import (
	"fmt"
	"strconv"
	"strings"
)

func (v *evidence) privileges() []string {
	faults := []string{
		v.stands("caps"),
		v.try("setuid", "EPERM", "EINVAL"), // EINVAL: root has no place in its namespace
		v.try("setgroups", "EPERM", "EINVAL"),
		v.try("chroot", "EPERM"),
	}
	for _, id := range strings.Fields(v.outside.Status["Uid"]) {
		if id == "0" {
			faults = append(faults, "it is root outside")
			break
		}
	}
	for _, id := range v.inside.UIDs {
		if id == 0 {
			faults = append(faults, "it is root inside")
			break
		}
	}
	if len(v.inside.UIDs) == 0 || v.outside.Status["Uid"] == "" {
		faults = append(faults, "who it is cannot be seen")
	}
	for _, set := range []string{"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"} {
		faults = append(faults, v.field(set, noBits))
	}
	faults = append(faults, v.field("NoNewPrivs", "1"))
	if r := v.inside.Raw; r != nil && (r.NoNewPrivs != 1 || r.Bounding != 0) {
		faults = append(faults, fmt.Sprintf("inside, %d capabilities can be gained and no_new_privs is %d", r.Bounding, r.NoNewPrivs))
	}
	return faults
}

// field compares one line of the script's status from both sides; inside there
// may be no /proc to read it from.
func (v *evidence) field(name, want string) string {
	if got := v.outside.Status[name]; got != want {
		return fmt.Sprintf("%s is %q, not %s", name, shown(got), want)
	}
	if len(v.inside.Status) > 0 {
		if got := v.inside.Status[name]; got != want {
			return fmt.Sprintf("%s is %q inside, not %s", name, shown(got), want)
		}
	}
	return ""
}

func (v *evidence) limitFaults() []string {
	disk := ""
	switch {
	case v.room == 0:
		disk = v.try("disk", "ENOSPC")
	case v.inside.Room <= 0 || v.inside.Room > v.room:
		disk = fmt.Sprintf("its disk has %d bytes, not %d", v.inside.Room, v.room)
	}
	return []string{
		v.stands("rlimit"),
		v.try("processes", "EAGAIN"),
		v.try("open files", "EMFILE"),
		v.try("file size", "EFBIG"),
		disk,
	}
}

// What Landlock versions can be told from inside by: something that the mounts
// and the filter let pass.
const (
	landlockIoctl = 5
	landlockScope = 6
)

func (v *evidence) landlock() []string {
	faults := []string{v.stands("landlock")}
	if v.survey.Landlock < 1 {
		faults = append(faults, "the kernel has none")
	}
	if v.survey.Landlock >= landlockIoctl {
		faults = append(faults, v.try("device call", "EACCES"))
	}
	if v.survey.Landlock >= landlockScope {
		faults = append(faults, v.try("signal pid 1", "EPERM"))
	}
	return faults
}

func (v *evidence) landlockDetail() string {
	detail := "ABI " + strconv.Itoa(v.survey.Landlock)
	if v.survey.Landlock < landlockIoctl {
		detail += ", which cannot be told from the other walls inside"
	}
	return detail
}

// refusals are the calls that attest.py makes, and what each must answer.
var refusals = [...]struct{ call, errno string }{
	{"unshare", "EPERM"},
	{"setns", "EPERM"},
	{"mount", "EPERM"},
	{"pivot_root", "EPERM"},
	{"ptrace", "EPERM"},
	{"process_vm_readv", "EPERM"},
	{"keyctl", "EPERM"},
	{"bpf", "EPERM"},
	{"userfaultfd", "EPERM"},
	{"perf_event_open", "EPERM"},
	{"io_uring_setup", "ENOSYS"},
	{"memfd_create", "ENOSYS"},
}

func (v *evidence) seccomp() []string {
	faults := []string{v.stands("seccomp"), v.field("Seccomp", "2"), v.try("netlink socket", "EAFNOSUPPORT")}
	// A container's own filter is one too: ours has to come on top of it.
	own, err1 := strconv.Atoi(v.outside.OwnStatus["Seccomp_filters"])
	its, err2 := strconv.Atoi(v.outside.Status["Seccomp_filters"])
	switch {
	case err1 == nil && err2 == nil && its <= own:
		faults = append(faults, "it has no filter beside pyrun's own")
	case (err1 != nil || err2 != nil) && v.outside.OwnStatus["Seccomp"] == "2" && v.inside.Raw == nil:
		faults = append(faults, "whose filter it is cannot be told")
	}
	r := v.inside.Raw
	if r == nil {
		return faults // a Python without ctypes
	}
	if r.Seccomp != 2 {
		faults = append(faults, fmt.Sprintf("inside, seccomp is in mode %d", r.Seccomp))
	}
	for _, c := range refusals {
		faults = append(faults, v.try("call "+c.call, c.errno))
	}
	return faults
}
