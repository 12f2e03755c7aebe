package seccomp

// Processor time and clocks. A knob that takes a pid may be turned on oneself
// only: where ids are shared, the process outside would be reachable by it.

// scheduling is limits, priorities and processors.
var scheduling = [...]Rule{
	{"getrlimit", Allow, nil, "resource.getrlimit"},
	{"setrlimit", Allow, nil, "resource.setrlimit; down only, no capability is left"},
	{"prlimit64", Allow, []Cond{{0, all, 0}}, "resource.getrlimit and setrlimit of oneself"},
	{"prlimit64", notPermitted, nil, "somebody else's limits"},
	{"getrusage", Allow, nil, "resource.getrusage"},
	{"getpriority", Allow, nil, "os.getpriority"},
	{"setpriority", Allow, []Cond{{0, all, 0}, {1, all, 0}}, "os.nice of oneself"},
	{"setpriority", notPermitted, nil, "somebody else's priority, a whole user's with PRIO_USER"},
	{"getcpu", Allow, nil, "numpy, allocators"},
	{"sched_yield", Allow, nil, "OpenBLAS, time.sleep(0)"},
	{"sched_getaffinity", Allow, nil, "os.process_cpu_count, OpenBLAS"},
	{"sched_setaffinity", Allow, []Cond{{0, all, 0}}, "os.sched_setaffinity of oneself"},
	{"sched_setaffinity", notPermitted, nil, "somebody else's processors"},
	{"sched_getparam", Allow, nil, "os.sched_getparam"},
	{"sched_getscheduler", Allow, nil, "os.sched_getscheduler, pthread_getattr_np"},
	{"sched_get_priority_max", Allow, nil, "os.sched_get_priority_max"},
	{"sched_get_priority_min", Allow, nil, "os.sched_get_priority_min"},
	{"sched_rr_get_interval", Allow, nil, "os.sched_rr_get_interval"},
	{"sched_getattr", Allow, nil, "reads only"},
	{"getrandom", Allow, nil, "os.urandom, hash seeds"},
}

// clocks is telling the time and waiting for it.
var clocks = [...]Rule{
	{"time", Allow, nil, "old C code; the vdso answers elsewhere"},
	{"gettimeofday", Allow, nil, "where the vdso has no clock"},
	{"clock_gettime", Allow, nil, "where the vdso has no clock; thread and process clocks always"},
	{"clock_getres", Allow, nil, "time.get_clock_info"},
	{"clock_nanosleep", Allow, nil, "time.sleep"},
	{"nanosleep", Allow, nil, "sleep of older libraries"},
	{"alarm", Allow, nil, "signal.alarm"},
	{"getitimer", Allow, nil, "signal.getitimer"},
	{"setitimer", Allow, nil, "signal.setitimer"},
	{"timer_create", Allow, nil, "POSIX timers; bounded by SIGPENDING"},
	{"timer_settime", Allow, nil, "POSIX timers"},
	{"timer_gettime", Allow, nil, "POSIX timers"},
	{"timer_getoverrun", Allow, nil, "POSIX timers"},
	{"timer_delete", Allow, nil, "POSIX timers"},
	{"timerfd_create", Allow, nil, "os.timerfd_create, event loops"},
	{"timerfd_settime", Allow, nil, "event loops"},
	{"timerfd_gettime", Allow, nil, "event loops"},
}
