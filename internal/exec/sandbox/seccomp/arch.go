package seccomp

// The architectures the filter is written for, and how a call's name becomes
// a number there.

// Arch is a kernel architecture: its AUDIT_ARCH_* value, which the kernel
// shows to the filter with each call.
type Arch uint32

// The architectures that are known.
const (
	AMD64 Arch = 0xc000003e
	ARM64 Arch = 0xc00000b7
)

// maxCalls bounds the call numbers of the table, so that arrays can be indexed by them.
const maxCalls = 512

// find returns the row of a call in the table.
func find(name string) (*call, bool) {
	lo, hi := 0, len(calls)
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if calls[mid].name < name {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(calls) && calls[lo].name == name {
		return &calls[lo], true
	}
	return nil, false
}

// number returns the number of a call, and whether the architecture has it.
func (a Arch) number(name string) (int, bool) {
	c, ok := find(name)
	if !ok {
		return 0, false
	}
	return a.numberOf(c)
}

func (a Arch) numberOf(c *call) (int, bool) {
	nr := int16(none)
	switch a {
	case AMD64:
		nr = c.amd64
	case ARM64:
		nr = c.arm64
	}
	return int(nr), nr != none
}
