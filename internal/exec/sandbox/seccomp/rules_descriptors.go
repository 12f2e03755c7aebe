package seccomp

// Descriptors: copying them, steering them, waiting for them.

// descriptors is pipes, copies, fcntl and ioctl.
var descriptors = [...]Rule{
	{"dup", Allow, nil, "os.dup"},
	{"dup2", Allow, nil, "os.dup2, subprocess"},
	{"dup3", Allow, nil, "os.dup2 with close-on-exec"},
	{"pipe", Allow, nil, "older libraries"},
	{"pipe2", Allow, nil, "os.pipe, subprocess, multiprocessing"},

	{"fcntl", Allow, []Cond{{1, all, 0}}, "F_DUPFD"},
	{"fcntl", Allow, []Cond{{1, all, 1}}, "F_GETFD: close-on-exec"},
	{"fcntl", Allow, []Cond{{1, all, 2}}, "F_SETFD: close-on-exec"},
	{"fcntl", Allow, []Cond{{1, all, 3}}, "F_GETFL: every open() of CPython"},
	{"fcntl", Allow, []Cond{{1, all, 4}}, "F_SETFL: non-blocking"},
	{"fcntl", Allow, []Cond{{1, all, 5}}, "F_GETLK: sqlite's locks"},
	{"fcntl", Allow, []Cond{{1, all, 6}}, "F_SETLK: sqlite's locks"},
	{"fcntl", Allow, []Cond{{1, all, 7}}, "F_SETLKW: fcntl.lockf"},
	{"fcntl", Allow, []Cond{{1, all, 9}}, "F_GETOWN: reads only"},
	{"fcntl", Allow, []Cond{{1, all, 11}}, "F_GETSIG: reads only"},
	{"fcntl", Allow, []Cond{{1, all, 36}}, "F_OFD_GETLK: locks of a descriptor"},
	{"fcntl", Allow, []Cond{{1, all, 37}}, "F_OFD_SETLK: locks of a descriptor"},
	{"fcntl", Allow, []Cond{{1, all, 38}}, "F_OFD_SETLKW: locks of a descriptor"},
	{"fcntl", Allow, []Cond{{1, all, 1030}}, "F_DUPFD_CLOEXEC: os.dup"},
	{"fcntl", Allow, []Cond{{1, all, 1032}}, "F_GETPIPE_SZ: reads only, subprocess"},
	{"fcntl", Allow, []Cond{{1, all, 1033}}, "F_ADD_SEALS: on one's own memory"},
	{"fcntl", Allow, []Cond{{1, all, 1034}}, "F_GET_SEALS: reads only"},
	{"fcntl", notPermitted, []Cond{{1, all, 8}}, "F_SETOWN: the kernel would signal a process of the program's choice"},
	{"fcntl", notPermitted, []Cond{{1, all, 10}}, "F_SETSIG: like F_SETOWN"},
	{"fcntl", notPermitted, []Cond{{1, all, 15}}, "F_SETOWN_EX: like F_SETOWN"},
	{"fcntl", notPermitted, []Cond{{1, all, 1024}}, "F_SETLEASE: would hold up others who open a shared file"},
	{"fcntl", notPermitted, []Cond{{1, all, 1026}}, "F_NOTIFY: signals about shared directories"},
	{"fcntl", notPermitted, []Cond{{1, all, 1031}}, "F_SETPIPE_SZ: pipe buffers are kernel memory"},
	{"fcntl", invalid, nil, "what the kernel says to a command it does not know"},

	{"ioctl", Allow, []Cond{{1, all, 0x5401}}, "TCGETS: isatty at the start of every Python"},
	{"ioctl", Allow, []Cond{{1, all, 0x5413}}, "TIOCGWINSZ: os.get_terminal_size"},
	{"ioctl", Allow, []Cond{{1, all, 0x540f}}, "TIOCGPGRP: os.tcgetpgrp, shells"},
	{"ioctl", Allow, []Cond{{1, all, 0x541b}}, "FIONREAD: bytes waiting"},
	{"ioctl", Allow, []Cond{{1, all, 0x5421}}, "FIONBIO: socket.setblocking, os.set_blocking"},
	{"ioctl", Allow, []Cond{{1, all, 0x5452}}, "FIOASYNC: signals to oneself; the owner cannot be set"},
	{"ioctl", Allow, []Cond{{1, all, 0x5451}}, "FIOCLEX: CPython's close-on-exec"},
	{"ioctl", Allow, []Cond{{1, all, 0x5450}}, "FIONCLEX: CPython's close-on-exec"},
	{"ioctl", Allow, []Cond{{1, all, 0x80086601}}, "FS_IOC_GETFLAGS: reads only, coreutils"},
	{"ioctl", Allow, []Cond{{1, all, 0x40049409}}, "FICLONE: cp and shutil try it first"},
	{"ioctl", notTerminal, nil, "a door to every driver; ENOTTY is what a file says that has no such command"},
}

// waiting is select, poll, epoll, events and file watches.
var waiting = [...]Rule{
	{"select", Allow, nil, "select.select, time.sleep of old Pythons"},
	{"pselect6", Allow, nil, "select.select"},
	{"poll", Allow, nil, "select.poll, subprocess.communicate"},
	{"ppoll", Allow, nil, "poll on arm64"},
	{"epoll_create", Allow, nil, "older libraries"},
	{"epoll_create1", Allow, nil, "asyncio, selectors"},
	{"epoll_ctl", Allow, nil, "asyncio, selectors"},
	{"epoll_wait", Allow, nil, "asyncio, selectors"},
	{"epoll_pwait", Allow, nil, "epoll_wait on arm64"},
	{"epoll_pwait2", Allow, nil, "epoll with nanoseconds"},
	{"eventfd", Allow, nil, "older libraries"},
	{"eventfd2", Allow, nil, "os.eventfd, Rust's runtimes"},
	{"inotify_init", Allow, nil, "older libraries"},
	{"inotify_init1", Allow, nil, "file watchers"},
	{"inotify_add_watch", Allow, nil, "file watchers; sees only what may be read"},
	{"inotify_rm_watch", Allow, nil, "file watchers"},
}
