// Package seccomp says which system calls a sandboxed program may make, and
// turns that into the program of the kernel's seccomp filter. It is pure: it
// makes no system call and works the same on every system.
//
// The policy, in the order a reader needs it:
//
//   - It is an allow-list. A call it does not know, now or in a later kernel,
//     answers ENOSYS, for that makes a libc fall back to an older call.
//   - A call that is known and dangerous answers EPERM, which Python shows as
//     a PermissionError with a traceback.
//   - Only a foreign architecture (int 0x80 and x32 on amd64, 32-bit ARM on
//     arm64) kills the process: no honest program asks for one.
//   - Arguments are compared by their low 32 bits, as the kernel does. A
//     64-bit comparison is passed by garbage in the upper half (CVE-2019-10063).
//
// The rules stand in the rules_*.go files by topic, each call with its reason.
//
// Not promised: anything about what an argument points to. A filter sees
// numbers, never memory, so paths and addresses are left to the other walls.
package seccomp

// Action is what the kernel does with a call: a SECCOMP_RET_* value.
type Action uint32

// What can be done with a call. The error numbers are Linux's, which are the
// same on both architectures, whatever system this is built on.
const (
	Allow       Action = 0x7fff0000
	KillProcess Action = 0x80000000

	errorNumber Action = 0x00050000 // SECCOMP_RET_ERRNO, the number in the low 16 bits

	pretend            = errorNumber // answers 0 without doing anything
	notPermitted       = errorNumber | 1
	invalid            = errorNumber | 22
	notTerminal        = errorNumber | 25
	notImplemented     = errorNumber | 38
	protoNotSupported  = errorNumber | 93
	notSupported       = errorNumber | 95
	familyNotSupported = errorNumber | 97
	netUnreachable     = errorNumber | 101

	// Default is what a call gets that no rule matches.
	Default = notImplemented
)

// Cond holds when the low 32 bits of argument Arg (0 to 5), after Mask, equal Value.
type Cond struct {
	Arg   uint8
	Mask  uint32
	Value uint32
}

// all is the Mask of a Cond that looks at the whole low half.
const all = 0xffffffff

// Rule is what happens to one system call, and why. It matches when all of
// When hold. The first matching rule of a call decides; if none matches, the
// call gets [Default].
type Rule struct {
	Name   string
	Action Action
	When   []Cond
	Why    string
}

// Policy returns the rules of a sandbox whose network is "loopback" or "none".
// Every other word gets the rules of "none", the narrower ones. The slice is
// the caller's, the Conds in it are shared and must not be changed.
func Policy(network string) []Rule {
	sockets := socketsNone[:]
	if network == "loopback" {
		sockets = socketsLoopback[:]
	}
	groups := [...][]Rule{
		files[:], tree[:], attributes[:], descriptors[:], waiting[:],
		memory[:], processes[:], signals[:], identity[:], scheduling[:], clocks[:],
		messages[:], sockets, refused[:], absent[:],
	}
	n := 0
	for _, g := range groups {
		n += len(g)
	}
	rules := make([]Rule, 0, n)
	for _, g := range groups {
		rules = append(rules, g...)
	}
	return rules
}

// Count returns how many calls of the architecture the rules let through, some
// of them only with certain arguments.
func Count(rules []Rule, arch Arch) int {
	var seen [maxCalls]bool
	n := 0
	for _, r := range rules {
		nr, ok := arch.number(r.Name)
		if ok && r.Action == Allow && !seen[nr] {
			seen[nr] = true
			n++
		}
	}
	return n
}
