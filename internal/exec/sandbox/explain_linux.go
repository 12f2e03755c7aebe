//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// explain turns a failed step of the list into an error with its likely cause.
func explain(step string, errno unix.Errno, id identity) error {
	e := &Error{Step: step, Err: errno}
	denied := errno == unix.EPERM || errno == unix.EACCES
	switch {
	case strings.HasPrefix(step, "verify "):
		e.Why = "it was replaced while the walls were built"
		e.Remedy = "run it again; if it stays, somebody else changes that path"
	case strings.HasPrefix(step, "show ") && errno == unix.EINVAL:
		e.Why = "other file systems are mounted below that folder"
	case step == "enter the root" && errno == unix.EINVAL:
		e.Why = "this system still runs from its initial RAM disk, whose root cannot be exchanged"
		e.Remedy = "move to another root first (switch_root), or run pyrun in a container"
	case denied && (strings.HasPrefix(step, "mount ") || strings.HasPrefix(step, "show ") || strings.HasPrefix(step, "make mounts") || strings.HasPrefix(step, "enter the root")):
		e.Why, e.Remedy = deniedNamespaces(id)
	case strings.Contains(step, "Landlock"):
		e.Why = "the kernel has no Landlock, or it is switched off"
		e.Remedy = "a kernel 5.13 or newer with landlock in the lsm= list of its command line"
	case errno == unix.EPERM && (step == "set limits" || step == "wall in pid 1"):
		e.Why = "the hard limit on core dumps is 0 here, and only 1 keeps a helper of the machine from being started for one"
		e.Remedy = "raise it where it is set: ulimit -Hc, limits.conf, or --ulimit core=1 of a container"
	case strings.HasPrefix(step, "start the program") && errno == unix.ENOENT:
		e.Why = "the interpreter, or the loader it names, is not there"
	case strings.HasPrefix(step, "fork ") && errno == unix.EAGAIN:
		e.Why = "this user may have no more processes (ulimit -u, or the pids limit of the container)"
	}
	return e
}

// explainClone says why the namespaces could not be had. The clone and the
// writing of the id maps fail with the same errno, so the cause is looked for.
func explainClone(err error, id identity) error {
	e := &Error{Step: "make the namespaces", Err: cause(err)}
	switch {
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.EACCES):
		e.Why, e.Remedy = deniedNamespaces(id)
	case errors.Is(err, unix.ENOSPC):
		e.Why = "the limit of namespaces is reached or set to 0 (sysctl user.max_user_namespaces and its kin)"
		e.Remedy = "sudo sysctl -w user.max_user_namespaces=15000"
	case errors.Is(err, unix.EAGAIN):
		e.Why = "this user may have no more processes (ulimit -u, or the pids limit of the container)"
	case errors.Is(err, unix.EINVAL):
		e.Why = "the kernel was built without one of the user, mount, pid, net, ipc, uts and cgroup namespaces"
	case errors.Is(err, unix.ENOENT):
		e.Step, e.Why = "start pid 1", "/proc is not mounted here"
	}
	return e
}

// cause is the errno inside an error of os.StartProcess.
func cause(err error) error {
	var errno unix.Errno
	if errors.As(err, &errno) {
		return errno
	}
	return err
}

// deniedNamespaces looks for the switch that forbids them.
func deniedNamespaces(id identity) (why, remedy string) {
	if !id.userns {
		return "a security profile of this container or system forbids mounting", "run pyrun as an ordinary user, or without that profile (podman and docker: --security-opt seccomp=unconfined --security-opt apparmor=unconfined)"
	}
	is := func(file, value string) bool {
		text, err := os.ReadFile("/proc/sys/" + file)
		return err == nil && strings.TrimSpace(string(text)) == value
	}
	switch {
	case is("kernel/apparmor_restrict_unprivileged_userns", "1"):
		return "AppArmor restricts unprivileged user namespaces (Ubuntu 23.10 and newer)",
			"install an AppArmor profile for pyrun that says 'userns,', or: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
	case is("kernel/unprivileged_userns_clone", "0"):
		return "this system forbids unprivileged user namespaces", "sudo sysctl -w kernel.unprivileged_userns_clone=1"
	case is("user/max_user_namespaces", "0"):
		return "this system allows no user namespace", "sudo sysctl -w user.max_user_namespaces=15000"
	case filtered():
		return "a seccomp profile forbids namespaces, as Docker's default one does",
			"in a container: --security-opt seccomp=unconfined, or --cap-add SYS_ADMIN"
	default:
		return "a security module (AppArmor, SELinux) or a sandbox around pyrun forbids namespaces",
			"run pyrun outside of it; in a container: --security-opt apparmor=unconfined --security-opt label=disable"
	}
}

// filtered says whether this process is under somebody's system call filter.
func filtered() bool {
	mode, err := unix.PrctlRetInt(unix.PR_GET_SECCOMP, 0, 0, 0, 0)
	return err == nil && mode == 2
}

// standing names the walls of a run that has passed every step.
func standing(n Network, s site, r *running) Posture {
	layers := []string{"mount", "pid", "net", "ipc", "uts", "cgroup", "landlock", "seccomp", "caps", "rlimit"}
	if s.id.userns {
		layers = append([]string{"user"}, layers...)
	}
	return Posture{Backend: Native, Layers: layers, Memory: r.meter.mode(), Network: n, Proc: r.proc}
}
