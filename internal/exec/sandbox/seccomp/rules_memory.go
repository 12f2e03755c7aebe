package seccomp

// Memory and the locks that live in it. How much of it there is, is a matter
// of the cgroup and the limits; what it is made of is restricted here: only
// plain mappings, which both of those count.

var memory = [...]Rule{
	{"mmap", Allow, nil, "every allocation, every library"},
	{"munmap", Allow, nil, "every allocation"},
	{"mprotect", Allow, nil, "the dynamic loader, thread stacks, ctypes"},
	{"mremap", Allow, nil, "realloc, mmap.resize"},
	{"msync", Allow, nil, "mmap.flush"},
	{"brk", Allow, nil, "malloc"},
	{"mlock", Allow, nil, "libraries that hold keys; bounded by MEMLOCK"},
	{"mlock2", Allow, nil, "like mlock"},
	{"munlock", Allow, nil, "the way back from mlock"},

	{"madvise", notPermitted, []Cond{{2, all, 12}}, "MADV_MERGEABLE: merged pages tell others by time what they hold"},
	{"madvise", notPermitted, []Cond{{2, all, 100}}, "MADV_HWPOISON: takes memory out of service"},
	{"madvise", notPermitted, []Cond{{2, all, 101}}, "MADV_SOFT_OFFLINE: takes memory out of service"},
	{"madvise", Allow, []Cond{{2, all, 4}}, "MADV_DONTNEED: malloc gives memory back"},
	{"madvise", Allow, []Cond{{2, all, 8}}, "MADV_FREE: malloc gives memory back later"},
	{"madvise", Allow, []Cond{{2, all, 14}}, "MADV_HUGEPAGE: numpy's large arrays"},
	{"madvise", Allow, []Cond{{2, all, 15}}, "MADV_NOHUGEPAGE: thread stacks"},
	{"madvise", Allow, []Cond{{2, all, 0}}, "MADV_NORMAL: a hint"},
	{"madvise", Allow, []Cond{{2, all, 1}}, "MADV_RANDOM: a hint"},
	{"madvise", Allow, []Cond{{2, all, 2}}, "MADV_SEQUENTIAL: a hint"},
	{"madvise", Allow, []Cond{{2, all, 3}}, "MADV_WILLNEED: a hint"},
	{"madvise", Allow, []Cond{{2, all, 9}}, "MADV_REMOVE: punches a hole in one's own file"},
	{"madvise", Allow, []Cond{{2, all, 10}}, "MADV_DONTFORK: not for children"},
	{"madvise", Allow, []Cond{{2, all, 11}}, "MADV_DOFORK: for children again"},
	{"madvise", Allow, []Cond{{2, all, 16}}, "MADV_DONTDUMP: not for core files"},
	{"madvise", Allow, []Cond{{2, all, 17}}, "MADV_DODUMP: for core files, of which there are none"},
	{"madvise", Allow, []Cond{{2, all, 18}}, "MADV_WIPEONFORK: random generators of libraries"},
	{"madvise", Allow, []Cond{{2, all, 19}}, "MADV_KEEPONFORK: undoes the one above"},
	{"madvise", Allow, []Cond{{2, all, 20}}, "MADV_COLD: a hint"},
	{"madvise", Allow, []Cond{{2, all, 21}}, "MADV_PAGEOUT: a hint about one's own pages"},
	{"madvise", Allow, []Cond{{2, all, 22}}, "MADV_POPULATE_READ: faults in now"},
	{"madvise", Allow, []Cond{{2, all, 23}}, "MADV_POPULATE_WRITE: faults in now"},
	{"madvise", invalid, nil, "what the kernel says to advice it does not know; allocators fall back"},

	{"futex", Allow, nil, "every lock of every thread"},
	{"futex_waitv", Allow, nil, "the newer futex"},
	{"futex_wake", Allow, nil, "the newer futex"},
	{"futex_wait", Allow, nil, "the newer futex"},
	{"futex_requeue", Allow, nil, "the newer futex"},
	{"set_robust_list", Allow, nil, "glibc, at the start of every thread"},
	{"get_robust_list", Allow, nil, "its counterpart; of another process only with ptrace rights"},
	{"rseq", Allow, nil, "glibc, at the start of every thread"},
	{"membarrier", Allow, nil, "threading libraries"},
}
