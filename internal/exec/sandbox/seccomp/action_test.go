package seccomp

import "strconv"

// Errno returns the Linux error number the call answers, and whether it
// answers one at all. 0 is a success that is only pretended.
func (a Action) Errno() (int, bool) {
	return int(a & 0xffff), a&0xffff0000 == errorNumber
}

// String is "allow", "kill", or the name of the error: "EPERM".
func (a Action) String() string {
	switch a {
	case Allow:
		return "allow"
	case KillProcess:
		return "kill"
	case pretend:
		return "pretend"
	case notPermitted:
		return "EPERM"
	case invalid:
		return "EINVAL"
	case notTerminal:
		return "ENOTTY"
	case notImplemented:
		return "ENOSYS"
	case protoNotSupported:
		return "EPROTONOSUPPORT"
	case notSupported:
		return "ENOTSUP"
	case familyNotSupported:
		return "EAFNOSUPPORT"
	case netUnreachable:
		return "ENETUNREACH"
	}
	return "0x" + strconv.FormatUint(uint64(a), 16)
}
