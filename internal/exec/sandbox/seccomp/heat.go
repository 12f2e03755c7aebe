package seccomp

// heat is how often a call is made compared with an ordinary one, taken from
// traces of Python's start, numpy and thread pools. It only shapes the search
// tree: no answer depends on it.
func heat(name string) int {
	switch name {
	case "read", "write", "futex", "newfstatat", "mmap":
		return 200
	case "openat", "close", "fstat", "lseek", "ioctl", "fcntl", "madvise", "munmap", "mprotect", "brk":
		return 60
	case "getdents64", "rt_sigaction", "rt_sigprocmask", "clone", "wait4", "poll", "ppoll", "epoll_wait",
		"epoll_pwait", "clock_nanosleep", "readlinkat", "readlink", "sendto", "recvfrom", "sched_yield", "getrandom":
		return 12
	}
	return 1
}
