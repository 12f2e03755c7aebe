package seccomp

// pid1 is what is left to do for a pid 1 that has forked its one child.
var pid1 = [...]Rule{
	{"write", Allow, nil, "lets the child go and tells the parent what becomes of it"},
	{"read", Allow, nil, "hears whether the child has failed on its way"},
	{"close", Allow, nil, "both of that"},
	{"wait4", Allow, nil, "the child and every orphan"},
	{"exit_group", Allow, nil, "the end, and with it that of the namespace"},
}

// Init returns the rules of pid 1 itself, far narrower than any [Policy]: it
// stands over the processes behind that one.
func Init() []Rule { return append([]Rule(nil), pid1[:]...) }
