package seccomp

// Processes, signals and who one is. The pid namespace bounds whom a signal
// can reach; the pids limit bounds how many there are.

// processes is starting, waiting for and naming processes and threads.
var processes = [...]Rule{
	{"clone", Allow, []Cond{{0, newNamespaces, 0}}, "threads, and fork as glibc does it"},
	{"clone", notPermitted, nil, "a new user namespace hands out capabilities, and with them the kernel's rarely used halves"},
	{"fork", Allow, nil, "os.fork, multiprocessing"},
	{"vfork", Allow, nil, "subprocess"},
	{"execve", Allow, nil, "subprocess; the filter goes along"},
	{"execveat", Allow, nil, "os.execve with a descriptor; the filter goes along"},
	{"exit", Allow, nil, "the end of a thread"},
	{"exit_group", Allow, nil, "the end of a process"},
	{"wait4", Allow, nil, "os.waitpid, subprocess"},
	{"waitid", Allow, nil, "os.waitid"},
	{"set_tid_address", Allow, nil, "glibc, at the start of every process"},
	{"arch_prctl", Allow, nil, "the thread pointer on amd64, set by every libc"},

	{"prctl", Allow, []Cond{{0, all, 1}}, "PR_SET_PDEATHSIG: end with one's parent"},
	{"prctl", Allow, []Cond{{0, all, 2}}, "PR_GET_PDEATHSIG: reads only"},
	{"prctl", Allow, []Cond{{0, all, 3}}, "PR_GET_DUMPABLE: reads only"},
	{"prctl", Allow, []Cond{{0, all, 4}}, "PR_SET_DUMPABLE: hides one's own memory from one's own processes"},
	{"prctl", Allow, []Cond{{0, all, 15}}, "PR_SET_NAME: thread names, every thread of Python 3.14"},
	{"prctl", Allow, []Cond{{0, all, 16}}, "PR_GET_NAME: thread names"},
	{"prctl", Allow, []Cond{{0, all, 21}}, "PR_GET_SECCOMP: a program may know that it is filtered"},
	{"prctl", Allow, []Cond{{0, all, 23}}, "PR_CAPBSET_READ: reads only"},
	{"prctl", Allow, []Cond{{0, all, 36}}, "PR_SET_CHILD_SUBREAPER: supervisors; inside the pid namespace"},
	{"prctl", Allow, []Cond{{0, all, 37}}, "PR_GET_CHILD_SUBREAPER: reads only"},
	{"prctl", Allow, []Cond{{0, all, 38}}, "PR_SET_NO_NEW_PRIVS: it is set already"},
	{"prctl", Allow, []Cond{{0, all, 39}}, "PR_GET_NO_NEW_PRIVS: reads only"},
	{"prctl", Allow, []Cond{{0, all, 0x53564d41}}, "PR_SET_VMA: glibc and CPython name their mappings"},
	{"prctl", notPermitted, []Cond{{0, all, 22}}, "PR_SET_SECCOMP: like seccomp"},
	{"prctl", notPermitted, []Cond{{0, all, 24}}, "PR_CAPBSET_DROP: there is nothing left to drop"},
	{"prctl", notPermitted, []Cond{{0, all, 28}}, "PR_SET_SECUREBITS: they are locked"},
	{"prctl", notPermitted, []Cond{{0, all, 35}}, "PR_SET_MM: rewrites what /proc says of a process"},
	{"prctl", notPermitted, []Cond{{0, all, 47}}, "PR_CAP_AMBIENT: there are none to raise"},
	{"prctl", notPermitted, []Cond{{0, all, 0x59616d61}}, "PR_SET_PTRACER: widens who may trace"},
	{"prctl", invalid, nil, "what the kernel says to an option it does not know"},
}

// newNamespaces is every CLONE_NEW* flag that clone knows: NS, CGROUP, UTS,
// IPC, USER, PID, NET. CLONE_NEWTIME (0x80) is not among them on purpose:
// clone reads its low byte as the signal for the parent, and only unshare and
// clone3, both refused, read it as a flag.
const newNamespaces = 0x7e020000

// signals is sending, handling and waiting for them.
var signals = [...]Rule{
	{"kill", Allow, nil, "os.kill, subprocess; inside the pid namespace"},
	{"tkill", Allow, nil, "older libraries"},
	{"tgkill", Allow, nil, "raise, abort, pthread_kill"},
	{"pause", Allow, nil, "signal.pause"},
	{"rt_sigaction", Allow, nil, "handlers, set at every start"},
	{"rt_sigprocmask", Allow, nil, "masks, at every thread's start"},
	{"rt_sigreturn", Allow, nil, "the end of every handler"},
	{"rt_sigpending", Allow, nil, "signal.sigpending"},
	{"rt_sigsuspend", Allow, nil, "signal.pause on arm64"},
	{"rt_sigtimedwait", Allow, nil, "signal.sigwait"},
	{"rt_sigqueueinfo", Allow, nil, "sigqueue; inside the pid namespace, bounded by SIGPENDING"},
	{"sigaltstack", Allow, nil, "faulthandler"},
	{"signalfd", Allow, nil, "older libraries"},
	{"signalfd4", Allow, nil, "event loops"},
	{"restart_syscall", Allow, nil, "the kernel itself, after SIGCONT"},
}

// identity is who one is; none of it can be changed but the session.
var identity = [...]Rule{
	{"getpid", Allow, nil, "os.getpid"},
	{"getppid", Allow, nil, "os.getppid, multiprocessing"},
	{"gettid", Allow, nil, "threading.get_native_id"},
	{"getuid", Allow, nil, "os.getuid, site"},
	{"geteuid", Allow, nil, "os.geteuid, site"},
	{"getgid", Allow, nil, "os.getgid"},
	{"getegid", Allow, nil, "os.getegid"},
	{"getgroups", Allow, nil, "os.getgroups"},
	{"getresuid", Allow, nil, "os.getresuid"},
	{"getresgid", Allow, nil, "os.getresgid"},
	{"getpgid", Allow, nil, "os.getpgid"},
	{"getpgrp", Allow, nil, "os.getpgrp"},
	{"getsid", Allow, nil, "os.getsid"},
	{"setsid", Allow, nil, "subprocess start_new_session; nobody leaves the pid namespace by it"},
	{"setpgid", Allow, nil, "subprocess process_group"},
	{"capget", Allow, nil, "reads only: all sets are empty"},
	{"uname", Allow, nil, "platform, os.uname"},
	{"sysinfo", Allow, nil, "os.sysconf; shows the machine's totals, nothing of anybody"},
	{"times", Allow, nil, "os.times"},
}
