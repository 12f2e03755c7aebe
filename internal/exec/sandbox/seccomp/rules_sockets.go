package seccomp

// Sockets. What one is made of is decided at its birth, by family, type and
// protocol, so the calls that only use one are free. The network namespace
// holds nothing but lo; this keeps the kernel's many other families out of
// reach, and says "no network" in a way that programs understand.

// messages is everything one does with a socket that exists.
var messages = [...]Rule{
	{"socketpair", Allow, []Cond{{0, all, familyUnix}}, "asyncio's self-pipe, multiprocessing, subprocess"},
	{"socketpair", familyNotSupported, nil, "no other family has pairs that programs use"},
	{"bind", Allow, nil, "servers on localhost, multiprocessing's listener"},
	{"connect", Allow, nil, "clients of them; glibc asks for nscd"},
	{"listen", Allow, nil, "servers on localhost, multiprocessing"},
	{"accept", Allow, nil, "older libraries"},
	{"accept4", Allow, nil, "socket.accept"},
	{"getsockname", Allow, nil, "which port a server got"},
	{"getpeername", Allow, nil, "who called"},
	{"getsockopt", Allow, nil, "socket.getsockopt, asyncio"},
	{"setsockopt", Allow, nil, "SO_REUSEADDR and its like; what needs rights has none"},
	{"shutdown", Allow, nil, "the end of one direction"},
	{"sendto", Allow, nil, "socket.send"},
	{"recvfrom", Allow, nil, "socket.recv"},
	{"sendmsg", Allow, nil, "multiprocessing hands descriptors over"},
	{"recvmsg", Allow, nil, "multiprocessing takes descriptors"},
	{"sendmmsg", Allow, nil, "glibc's resolver"},
	{"recvmmsg", Allow, nil, "datagram libraries"},
}

// Families, types and protocols of Linux. A type carries flags
// (SOCK_CLOEXEC, SOCK_NONBLOCK) above its low four bits.
const (
	familyUnix  = 1
	familyINET  = 2
	familyINET6 = 10
	typeBits    = 0xf
	stream      = 1
	datagram    = 2
	tcp         = 6
	udp         = 17
)

// socketsLoopback is the network "loopback": TCP and UDP within the namespace.
// The protocol is looked at too, or SOCK_STREAM would also be SCTP, MPTCP and
// SMC: kernel modules loaded at a script's word.
var socketsLoopback = [...]Rule{
	{"socket", Allow, []Cond{{0, all, familyUnix}}, "multiprocessing, asyncio"},
	{"socket", Allow, []Cond{{0, all, familyINET}, {1, typeBits, stream}, {2, all, 0}}, "TCP on localhost"},
	{"socket", Allow, []Cond{{0, all, familyINET}, {1, typeBits, stream}, {2, all, tcp}}, "TCP, asked for by name: getaddrinfo"},
	{"socket", Allow, []Cond{{0, all, familyINET}, {1, typeBits, datagram}, {2, all, 0}}, "UDP on localhost"},
	{"socket", Allow, []Cond{{0, all, familyINET}, {1, typeBits, datagram}, {2, all, udp}}, "UDP, asked for by name: getaddrinfo"},
	{"socket", protoNotSupported, []Cond{{0, all, familyINET}}, "raw sockets, ICMP, SCTP, MPTCP"},
	{"socket", Allow, []Cond{{0, all, familyINET6}, {1, typeBits, stream}, {2, all, 0}}, "TCP on ::1"},
	{"socket", Allow, []Cond{{0, all, familyINET6}, {1, typeBits, stream}, {2, all, tcp}}, "TCP, asked for by name: getaddrinfo"},
	{"socket", Allow, []Cond{{0, all, familyINET6}, {1, typeBits, datagram}, {2, all, 0}}, "UDP on ::1"},
	{"socket", Allow, []Cond{{0, all, familyINET6}, {1, typeBits, datagram}, {2, all, udp}}, "UDP, asked for by name: getaddrinfo"},
	{"socket", protoNotSupported, []Cond{{0, all, familyINET6}}, "raw sockets, ICMP, SCTP, MPTCP"},
	{"socket", familyNotSupported, nil, "NETLINK, PACKET, ALG, VSOCK and the rest: attack surface, and VSOCK is in no namespace"},
}

// socketsNone is the network "none".
var socketsNone = [...]Rule{
	{"socket", Allow, []Cond{{0, all, familyUnix}}, "multiprocessing, asyncio"},
	{"socket", netUnreachable, []Cond{{0, all, familyINET}}, "libraries and readers understand: Network is unreachable"},
	{"socket", netUnreachable, []Cond{{0, all, familyINET6}}, "libraries and readers understand: Network is unreachable"},
	{"socket", familyNotSupported, nil, "NETLINK, PACKET, ALG, VSOCK and the rest: attack surface, and VSOCK is in no namespace"},
}
