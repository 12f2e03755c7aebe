package seccomp

// The assembler: classic BPF instructions, written from the last to the first,
// so that every jump's target is known when the jump is written.

// Instruction is one instruction of classic BPF, laid out as the kernel's
// struct sock_filter.
type Instruction struct {
	Code   uint16
	Jt, Jf uint8
	K      uint32
}

// Bytes returns the filter as the kernel reads it on both architectures, 8
// bytes an instruction, little endian.
func Bytes(p []Instruction) []byte {
	b := make([]byte, 0, 8*len(p))
	for _, i := range p {
		b = append(b, byte(i.Code), byte(i.Code>>8), i.Jt, i.Jf,
			byte(i.K), byte(i.K>>8), byte(i.K>>16), byte(i.K>>24))
	}
	return b
}

// The instructions used: the ones by which the kernel (since 5.11) can see
// that a call is always allowed, and then does not run the filter for it.
const (
	opLoad        = 0x20 // BPF_LD|BPF_W|BPF_ABS
	opAnd         = 0x54 // BPF_ALU|BPF_AND|BPF_K
	opJump        = 0x05 // BPF_JMP|BPF_JA
	opJumpEqual   = 0x15 // BPF_JMP|BPF_JEQ|BPF_K
	opJumpAtLeast = 0x35 // BPF_JMP|BPF_JGE|BPF_K
	opReturn      = 0x06 // BPF_RET|BPF_K
)

// reach is how far a conditional jump goes, one less so that the other target
// of the same jump may need a stepping stone in between.
const reach = 254

// label is a place in the code, counted from the end.
type label int

// assembler holds the code backwards: its last element runs first.
type assembler struct {
	rules   *chains
	code    []Instruction
	answers []label // where the return instructions are
}

func (a *assembler) push(i Instruction) label {
	if a.code == nil {
		a.code = make([]Instruction, 0, 512)
	}
	a.code = append(a.code, i)
	return a.here()
}

// here is the instruction that was written last.
func (a *assembler) here() label { return label(len(a.code) - 1) }

// skipped is the number of instructions between the next one written and to.
func (a *assembler) skipped(to label) int { return len(a.code) - 1 - int(to) }

// answer returns a place within reach that ends the filter with this action.
func (a *assembler) answer(do Action) label {
	for i, at := range a.answers {
		if a.code[at].K == uint32(do) {
			if a.skipped(at) > reach {
				a.answers[i] = a.push(a.code[at])
			}
			return a.answers[i]
		}
	}
	at := a.push(Instruction{Code: opReturn, K: uint32(do)})
	a.answers = append(a.answers, at)
	return at
}

// near returns a place within reach from which to is arrived at: to itself, or a stepping stone.
func (a *assembler) near(to label) label {
	if a.skipped(to) <= reach {
		return to
	}
	if a.code[to].Code == opReturn {
		return a.answer(Action(a.code[to].K))
	}
	return a.push(Instruction{Code: opJump, K: uint32(a.skipped(to))})
}

// branch goes to yes if the register compares true with k, else to no.
func (a *assembler) branch(op uint16, k uint32, yes, no label) label {
	yes = a.near(yes)
	no = a.near(no)
	return a.push(Instruction{Code: op, Jt: uint8(a.skipped(yes)), Jf: uint8(a.skipped(no)), K: k})
}

// load puts 32 bits of the call's description into the register; what was
// written before it follows it.
func (a *assembler) load(offset uint32) label {
	return a.push(Instruction{Code: opLoad, K: offset})
}

// mask clears bits of the register; what was written before it follows it.
func (a *assembler) mask(m uint32) { a.push(Instruction{Code: opAnd, K: m}) }

// program returns the code in the order it runs.
func (a *assembler) program() []Instruction {
	p := a.code
	for i, j := 0, len(p)-1; i < j; i, j = i+1, j-1 {
		p[i], p[j] = p[j], p[i]
	}
	return p
}
