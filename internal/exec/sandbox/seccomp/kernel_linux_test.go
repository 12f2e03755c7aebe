package seccomp

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// These tests install the filter for real: the test binary starts itself
// again, locks a thread, filters it and reports what the kernel answers.

const childEnv = "PYRUN_SECCOMP_TEST_CHILD"

func TestMain(m *testing.M) {
	if what := os.Getenv(childEnv); what != "" {
		child(what)
	}
	os.Exit(m.Run())
}

// child is one filtered thread; it prints one line for each answer that is not as it should be.
func child(what string) {
	runtime.LockOSThread()
	arch, ok := arches[runtime.GOARCH]
	if !ok {
		fatal("no policy for " + runtime.GOARCH)
	}
	network, job, _ := strings.Cut(what, " ")
	rules := Policy(network)
	p, err := Compile(rules, arch)
	if err != nil {
		fatal(err.Error())
	}
	code := Bytes(p)
	prog := unix.SockFprog{Len: uint16(len(p)), Filter: (*unix.SockFilter)(unsafe.Pointer(&code[0]))}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		fatal("no_new_privs: " + err.Error())
	}
	if _, _, e := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog))); e != 0 {
		fatal("seccomp: " + e.Error())
	}
	switch job {
	case "sweep":
		sweep(rules, arch)
	case "calls":
		realCalls(network)
	case "x32":
		unix.RawSyscall(x32Begin|39, 0, 0, 0)
		fmt.Println("x32 was not killed")
	}
	os.Exit(0)
}

func fatal(why string) {
	fmt.Println(why)
	os.Exit(3)
}

// sweep makes every refused call, with arguments that no argument rule knows,
// and compares the kernel's answer with the rules'.
func sweep(rules []Rule, arch Arch) {
	asked := 0
	for nr := range uint32(601) {
		if arch == AMD64 && (nr == 335 || nr == 336) {
			continue // uretprobe and uprobe: no filter sees them since Linux 6.14, the caller gets SIGILL
		}
		args := [numArgs]uint64{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}
		want := evaluate(rules, arch, data{nr: nr, arch: arch, args: args})
		errno, ok := want.Errno()
		if !ok {
			continue
		}
		asked++
		minus := ^uintptr(0)
		r, _, got := unix.RawSyscall6(uintptr(nr), minus, minus, minus, minus, minus, minus)
		if int(got) != errno || (errno == 0 && r != 0) {
			fmt.Printf("call %d: %d (%v), the rules say %v\n", nr, r, got, want)
		}
	}
	if asked < 300 {
		fmt.Printf("only %d calls were tried\n", asked)
	}
}

// realCalls makes calls with real arguments, allowed and refused.
func realCalls(network string) {
	check := func(name string, got, want syscall.Errno) {
		if got != want {
			fmt.Printf("%s: %d (%v), want %d (%v)\n", name, got, got, want, want)
		}
	}
	call := func(name string, want syscall.Errno, nr uintptr, args ...uintptr) uintptr {
		var a [6]uintptr
		copy(a[:], args)
		r, _, got := unix.RawSyscall6(nr, a[0], a[1], a[2], a[3], a[4], a[5])
		check(name, got, want)
		return r
	}
	socket := func(name string, want syscall.Errno, family, kind, proto int) {
		fd, err := unix.Socket(family, kind, proto)
		if err == nil {
			unix.Close(fd)
		}
		var got syscall.Errno
		if err != nil && !errors.As(err, &got) {
			got = unix.EIO
		}
		check("socket "+name, got, want)
	}
	var word [512]byte
	at := uintptr(unsafe.Pointer(&word[0]))
	garbage := uintptr(0xdead << 32)

	call("clone3", unix.ENOSYS, unix.SYS_CLONE3, at, 88)
	call("clone with a user namespace", unix.EPERM, unix.SYS_CLONE, unix.CLONE_NEWUSER|uintptr(unix.SIGCHLD))
	call("clone with garbage above", unix.EPERM, unix.SYS_CLONE, garbage|unix.CLONE_NEWNET)
	call("unshare", unix.EPERM, unix.SYS_UNSHARE, unix.CLONE_NEWUSER)
	call("seccomp", unix.EPERM, unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 8, at)
	call("prctl seccomp", unix.EPERM, unix.SYS_PRCTL, unix.PR_SET_SECCOMP, 2, at)
	call("prctl name", 0, unix.SYS_PRCTL, unix.PR_GET_NAME, at)
	call("prctl unknown", unix.EINVAL, unix.SYS_PRCTL, 4711)
	call("memfd_create", unix.ENOSYS, unix.SYS_MEMFD_CREATE, at, 0)
	call("io_uring_setup", unix.ENOSYS, unix.SYS_IO_URING_SETUP, 4, at)
	call("ptrace", unix.EPERM, unix.SYS_PTRACE, 0)
	call("sync", 0, unix.SYS_SYNC)
	call("syncfs of no file", 0, unix.SYS_SYNCFS, ^uintptr(0))
	call("setxattr", unix.ENOTSUP, unix.SYS_SETXATTR, at, at, at, 1)
	call("prlimit of oneself", 0, unix.SYS_PRLIMIT64, 0, unix.RLIMIT_NOFILE, 0, at)
	call("prlimit of another", unix.EPERM, unix.SYS_PRLIMIT64, uintptr(os.Getppid()), unix.RLIMIT_NOFILE, 0, at)
	call("affinity of another", unix.EPERM, unix.SYS_SCHED_SETAFFINITY, uintptr(os.Getppid()), 8, at)
	call("madvise mergeable", unix.EPERM, unix.SYS_MADVISE, 0, 0, unix.MADV_MERGEABLE)
	call("madvise normal", 0, unix.SYS_MADVISE, 0, 0, unix.MADV_NORMAL)
	call("TIOCSTI", unix.ENOTTY, unix.SYS_IOCTL, 0, unix.TIOCSTI, at)
	call("TIOCSTI with garbage above", unix.ENOTTY, unix.SYS_IOCTL, 0, garbage|unix.TIOCSTI, at)

	var pipe [2]int32
	call("pipe2", 0, unix.SYS_PIPE2, uintptr(unsafe.Pointer(&pipe)), unix.O_CLOEXEC)
	call("FIONREAD", 0, unix.SYS_IOCTL, uintptr(pipe[0]), unix.TIOCINQ, at)
	call("F_GETFL with garbage above", 0, unix.SYS_FCNTL, uintptr(pipe[0]), garbage|unix.F_GETFL)
	call("F_SETPIPE_SZ", unix.EPERM, unix.SYS_FCNTL, uintptr(pipe[0]), unix.F_SETPIPE_SZ, 1<<20)

	dir := os.Getenv(childEnv + "_DIR")
	check("mkfifo", errnoOf(unix.Mknodat(unix.AT_FDCWD, filepath.Join(dir, "fifo"), unix.S_IFIFO|0o600, 0)), 0)
	check("mknod of a file", errnoOf(unix.Mknodat(unix.AT_FDCWD, filepath.Join(dir, "file"), 0o600, 0)), 0)
	check("mknod of a device", errnoOf(unix.Mknodat(unix.AT_FDCWD, filepath.Join(dir, "null"), unix.S_IFCHR|0o600, 0x103)), unix.EPERM)

	socket("unix", 0, unix.AF_UNIX, unix.SOCK_STREAM, 0)
	socket("netlink", unix.EAFNOSUPPORT, unix.AF_NETLINK, unix.SOCK_RAW, 0)
	socket("vsock", unix.EAFNOSUPPORT, unix.AF_VSOCK, unix.SOCK_STREAM, 0)
	socket("alg", unix.EAFNOSUPPORT, unix.AF_ALG, unix.SOCK_SEQPACKET, 0)
	inet, other := syscall.Errno(0), syscall.Errno(unix.EPROTONOSUPPORT)
	if network == "none" {
		inet, other = unix.ENETUNREACH, unix.ENETUNREACH
	}
	socket("tcp", inet, unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	socket("tcp by name", inet, unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_TCP)
	socket("udp", inet, unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_NONBLOCK, unix.IPPROTO_UDP)
	socket("raw", other, unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP)
	socket("ping", other, unix.AF_INET, unix.SOCK_DGRAM, unix.IPPROTO_ICMP)
	socket("sctp", other, unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_SCTP)
	socket("mptcp", other, unix.AF_INET6, unix.SOCK_STREAM, unix.IPPROTO_MPTCP)
	socket("packet", unix.EAFNOSUPPORT, unix.AF_PACKET, unix.SOCK_DGRAM, 0)
}

func errnoOf(err error) syscall.Errno {
	var e syscall.Errno
	errors.As(err, &e)
	return e
}

func startChild(t *testing.T, what string) (string, *os.ProcessState) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), childEnv+"="+what, childEnv+"_DIR="+t.TempDir())
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState
}

func TestKernelAnswersAsTheRulesSay(t *testing.T) {
	for _, network := range networks {
		for _, job := range []string{"sweep", "calls"} {
			t.Run(network+" "+job, func(t *testing.T) {
				t.Parallel()
				out, state := startChild(t, network+" "+job)
				if out != "" || !state.Success() {
					t.Errorf("%v\n%s", state, out)
				}
			})
		}
	}
}

func TestX32IsKilled(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("only amd64 kernels have x32 numbers")
	}
	out, state := startChild(t, "loopback x32")
	status, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() || status.Signal() != syscall.SIGSYS {
		t.Errorf("want SIGSYS, got %v\n%s", state, out)
	}
}
