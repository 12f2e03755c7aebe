package seccomp

// Calls that are known and dangerous, or that only an administrator makes.
// They answer EPERM. Most of them would fail for want of a capability as
// well; here they do not even reach the kernel's code.

var refused = [...]Rule{
	// Other processes' insides.
	{"ptrace", notPermitted, nil, "reads and steers other processes"},
	{"process_vm_readv", notPermitted, nil, "reads other processes' memory"},
	{"process_vm_writev", notPermitted, nil, "writes other processes' memory"},
	{"process_madvise", notPermitted, nil, "throws out other processes' memory"},
	{"pidfd_getfd", notPermitted, nil, "takes other processes' descriptors"},
	{"kcmp", notPermitted, nil, "tells kernel addresses apart"},
	{"perf_event_open", notPermitted, nil, "large attack surface, and a clock for side channels"},
	{"bpf", notPermitted, nil, "programs in the kernel"},
	{"userfaultfd", notPermitted, nil, "stops the kernel in mid-copy: makes races easy to win"},
	{"mincore", notPermitted, nil, "shows what others have in the page cache"},

	// Keys live in rings that are not in any namespace by default.
	{"keyctl", notPermitted, nil, "key rings outlive the run and are shared by user id"},
	{"add_key", notPermitted, nil, "like keyctl"},
	{"request_key", notPermitted, nil, "like keyctl, and starts a program on the host"},

	// What is mounted, and which namespaces one is in.
	{"mount", notPermitted, nil, "changes what can be seen"},
	{"umount2", notPermitted, nil, "uncovers what a mount hides"},
	{"pivot_root", notPermitted, nil, "changes the root"},
	{"chroot", notPermitted, nil, "changes the root; the classic way out of one"},
	{"unshare", notPermitted, nil, "new namespaces, see clone"},
	{"setns", notPermitted, nil, "other namespaces"},
	{"open_tree", notPermitted, nil, "mounts by descriptor"},
	{"move_mount", notPermitted, nil, "mounts by descriptor"},
	{"fsopen", notPermitted, nil, "mounts by descriptor"},
	{"fsconfig", notPermitted, nil, "mounts by descriptor"},
	{"fsmount", notPermitted, nil, "mounts by descriptor"},
	{"fspick", notPermitted, nil, "mounts by descriptor"},
	{"mount_setattr", notPermitted, nil, "could turn a read-only bind writable"},
	{"open_by_handle_at", notPermitted, nil, "opens by inode, past every path: the way out of a bind"},
	{"name_to_handle_at", notPermitted, nil, "makes the handles for it"},
	{"fanotify_init", notPermitted, nil, "watches, and can hold up, whole file systems"},

	// The machine.
	{"init_module", notPermitted, nil, "code in the kernel"},
	{"finit_module", notPermitted, nil, "code in the kernel"},
	{"delete_module", notPermitted, nil, "code out of the kernel"},
	{"kexec_load", notPermitted, nil, "another kernel"},
	{"kexec_file_load", notPermitted, nil, "another kernel"},
	{"reboot", notPermitted, nil, "ends the machine, or a pid namespace's init"},
	{"swapon", notPermitted, nil, "the host's swap"},
	{"swapoff", notPermitted, nil, "the host's swap"},
	{"acct", notPermitted, nil, "the host's accounting"},
	{"quotactl", notPermitted, nil, "the host's quotas"},
	{"quotactl_fd", notPermitted, nil, "the host's quotas"},
	{"syslog", notPermitted, nil, "the kernel's log, with addresses in it"},
	{"sethostname", notPermitted, nil, "a name the walls have given"},
	{"setdomainname", notPermitted, nil, "a name the walls have given"},
	{"iopl", notPermitted, nil, "hardware ports"},
	{"ioperm", notPermitted, nil, "hardware ports"},
	{"modify_ldt", notPermitted, nil, "segments: a long list of kernel bugs, and only 16-bit programs need it"},
	{"lookup_dcookie", notPermitted, nil, "profilers of the past"},
	{"vhangup", notPermitted, nil, "hangs up a terminal"},
	{"settimeofday", notPermitted, nil, "the host's clock"},
	{"clock_settime", notPermitted, nil, "the host's clock"},
	{"adjtimex", notPermitted, nil, "the host's clock"},
	{"clock_adjtime", notPermitted, nil, "the host's clock"},

	// Who one is: all ids and capabilities are as they shall be.
	{"setuid", notPermitted, nil, "one id per run, and it stays"},
	{"setgid", notPermitted, nil, "like setuid"},
	{"setreuid", notPermitted, nil, "like setuid"},
	{"setregid", notPermitted, nil, "like setuid"},
	{"setresuid", notPermitted, nil, "like setuid"},
	{"setresgid", notPermitted, nil, "like setuid"},
	{"setgroups", notPermitted, nil, "like setuid"},
	{"setfsuid", notPermitted, nil, "like setuid"},
	{"setfsgid", notPermitted, nil, "like setuid"},
	{"capset", notPermitted, nil, "there are none, and none come back"},
	{"personality", notPermitted, nil, "turns address randomisation off, and maps low memory"},
	{"seccomp", notPermitted, nil, "a listener of one's own answers calls in the place of this filter"},

	// Where memory lies and who runs first.
	{"mbind", notPermitted, nil, "moves memory between nodes; OpenBLAS tries it and goes on"},
	{"set_mempolicy", notPermitted, nil, "like mbind"},
	{"migrate_pages", notPermitted, nil, "moves other processes' memory"},
	{"move_pages", notPermitted, nil, "moves and finds other processes' memory"},
	{"ioprio_set", notPermitted, nil, "goes before others at the disk"},
	{"sched_setscheduler", notPermitted, nil, "real-time classes starve the machine"},
	{"sched_setparam", notPermitted, nil, "like sched_setscheduler"},
	{"sched_setattr", notPermitted, nil, "like sched_setscheduler, for any pid"},
}
