//go:build amd64 || arm64

package sandbox

import (
	"maps"
	"math"
	"strings"

	"golang.org/x/sys/unix"
)

// A program is an ordered list of system calls with names, and the data they
// point at. It is built here, in Go, from a Policy, and played in the child by
// a hundred machine instructions that decide nothing (player_linux_amd64.s).
// So the child's half of the sandbox is data: it can be printed, compared and
// made to fail at any place.
//
// A run's list comes in two parts. The opening holds what no policy changes, so
// it can be played before there is a request. Its last step receives the rest
// as a sealed memory file and goes on there.
//
// In memory the child has these segments, at fixed addresses:
//
//	codeBase  the player, execute only
//	opsBase   the opening's ops, read-only
//	restBase  the rest's ops, read-only
//	dataBase  16 bytes for the player's own report, then the opening's strings, structures, slots
//	restData  the rest's
//
// A zygote, which is somebody else's program, has a list at copyOps and its data
// at copyData.
const (
	codeBase = 0x400000
	opsBase  = 0x800000
	restBase = opsBase + restOp*opSize
	dataBase = 0x4000000
	restData = 0x5000000

	copyOps  = 0x10_0000_0000 // below 512 GiB, which is all that some arm64 kernels give
	copyData = copyOps + restDataAt

	opSize = 80
	restOp = 4096 // the number of the rest's first op, counted from opsBase
)

// op is one system call as the player reads it; see player_linux_amd64.s.
type op struct {
	nr       uint32
	load     uint8  // bit i: arg i is the address of a 32-bit value
	expect   uint8  // expectAny, expectExact, expectSame
	foreseen uint16 // an errno that is no failure
	args     [6]uint64
	store    uint64 // address that keeps the result's low 32 bits
	onErrno  uint32 // op to go on with after the foreseen errno; 0 is the next
	onZero   uint32 // op to go on with after a result of 0; 0 is the next
	want     uint64 // expectExact: the result; expectSame: the address of it
}

const (
	expectAny   = iota // any result that is not an error
	expectExact        // else EPIPE
	expectSame         // else the op is played again
	expectNone         // of a function: it has no result

	// Not calls.
	opCheck    = math.MaxUint32     // the value at arg 0, masked with arg 1, is arg 2, else errno arg 3
	opFunction = math.MaxUint32 - 1 // the C function at arg 0 is called with args 1 to 3; its int result is judged as a call's
	opReturn   = math.MaxUint32 - 2 // back to who called the player, with arg 0

	anyErrno = unix.Errno(math.MaxUint16) // foreseen, and kept where the result would be, negative
)

// arg is one argument: a number, or the address of one that an earlier op stored.
type arg struct {
	value uint64
	slot  bool
}

func num[T ~int | ~int32 | ~int64 | ~uint32 | ~uint64 | ~uintptr](v T) arg {
	return arg{value: uint64(v)}
}

// slot is the address of a 32-bit result.
type slot uint64

func (s slot) arg() arg { return arg{uint64(s), true} }

// label is a place in the list, known before or after somebody goes there.
type label struct {
	at   int // 0: not known yet; nobody goes to the first op
	refs []func(uint32)
}

func (l *label) tell(set func(uint32)) {
	if l.at != 0 {
		set(uint32(l.at))
	}
	l.refs = append(l.refs, set)
}

// program is one part of a list. It grows step by step; its methods never
// fail, so that a list of steps reads aloud.
type program struct {
	at    uint64 // the address of op 0
	first int    // the number of its first op
	ops   []op
	steps []string // the name of the step each op belongs to
	step  string
	base  uint64 // where its data lies
	data  []byte
	made  map[string]bool // directories
	fault string
}

func newOpening(fault string) *program {
	return &program{
		at:    opsBase,
		ops:   make([]op, 0, 160),
		steps: make([]string, 0, 160),
		base:  dataBase,
		data:  make([]byte, 16, 4<<10),
		made:  map[string]bool{},
		fault: fault,
	}
}

// rest begins the part that follows p.
func (p *program) rest(fault string) *program {
	return &program{
		at:    p.at,
		first: restOp,
		ops:   make([]op, 0, 512),
		steps: make([]string, 0, 512),
		base:  restData,
		data:  make([]byte, 0, 48<<10),
		made:  maps.Clone(p.made),
		fault: fault,
	}
}

// newCopy is a list of its own for a zygote.
func newCopy(fault string) *program {
	return &program{
		at:    copyOps,
		ops:   make([]op, 0, 400),
		steps: make([]string, 0, 400),
		base:  copyData,
		data:  make([]byte, 16, 16<<10),
		made:  map[string]bool{},
		fault: fault,
	}
}

// begin names what follows. A step that is to fail begins with a check that
// cannot hold, one that is to dawdle with a sleep.
func (p *program) begin(step string) {
	p.step = step
	switch p.fault {
	case "":
	case step:
		p.check(p.bytes(make([]byte, 8), 8), math.MaxUint64, 1, unix.EIO)
	case dawdle + step:
		p.call(unix.SYS_NANOSLEEP, num(p.words(0, 300e6)), num(0))
	}
}

const dawdle = "late: " // before the name of a step, as a fault: 300 ms

// call adds one system call and returns it for its foreseen turns.
func (p *program) call(nr uintptr, args ...arg) *op {
	o := op{nr: uint32(nr)}
	for i, a := range args {
		o.args[i] = a.value
		if a.slot {
			o.load |= 1 << i
		}
	}
	p.ops = append(p.ops, o)
	p.steps = append(p.steps, p.step)
	return &p.ops[len(p.ops)-1]
}

// check fails with errno unless the 64 bits at addr, masked, are want.
func (p *program) check(addr, mask, want uint64, errno unix.Errno) {
	o := p.call(0, num(addr), num(mask), num(want), num(uintptr(errno)))
	o.nr = opCheck
}

// function calls the C function at an address.
func (p *program) function(addr uint64, args ...arg) *op {
	o := p.call(0, append([]arg{num(addr)}, args...)...)
	o.nr = opFunction
	return o
}

// back returns to who called the player.
func (p *program) back(result arg) { p.call(0, result).nr = opReturn }

func (o *op) plain() *op             { o.expect = expectNone; return o }
func (o *op) allow(e unix.Errno) *op { o.foreseen = uint16(e); return o }
func (o *op) exactly(n int) *op      { o.expect, o.want = expectExact, uint64(n); return o }
func (o *op) until(s slot) *op       { o.expect, o.want = expectSame, uint64(s); return o }
func (o *op) keep(s slot) *op        { o.store = uint64(s); return o }
func (p *program) last() int         { return len(p.ops) - 1 }
func (p *program) ifErrno(l *label) {
	i := p.last()
	l.tell(func(n uint32) { p.ops[i].onErrno = n })
}

func (p *program) ifZero(l *label) {
	i := p.last()
	l.tell(func(n uint32) { p.ops[i].onZero = n })
}

func (p *program) here(l *label) {
	l.at = p.first + len(p.ops)
	for _, set := range l.refs {
		set(uint32(l.at))
	}
}

// stepOf names the step of the op at an address that the player reported.
func stepOf(addr uint64, parts ...*program) string {
	for _, p := range parts {
		if p == nil {
			continue
		}
		begin := p.at + uint64(p.first)*opSize
		if i := (addr - begin) / opSize; addr >= begin && i < uint64(len(p.steps)) {
			return p.steps[i]
		}
	}
	return "play the list"
}

// list returns the names of all steps in order, each once.
func (p *program) list() []string {
	var names []string
	for _, s := range p.steps {
		if len(names) == 0 || names[len(names)-1] != s {
			names = append(names, s)
		}
	}
	return names
}

// rel turns an absolute path of the new root into one below the working
// directory, which is the new root's while it is being built.
func rel(path string) string { return "." + strings.TrimRight(path, "/") }
