package seccomp

// From rules to the program the kernel runs.
//
// The numbers of all calls are cut into spans that are treated alike: most
// hold one answer for a run of neighbours, some hold one call whose arguments
// decide. A search tree over the spans finds the one of a call; its branches
// are placed so that calls made often are found after few steps.

import (
	"errors"
	"fmt"
)

// The kernel's bounds and what it puts in front of the filter.
const (
	// MaxInstructions is the longest filter the kernel takes (BPF_MAXINSNS).
	MaxInstructions = 4096

	offsetNumber = 0
	offsetArch   = 4
	offsetArgs   = 16 // six of 64 bits, low half first on both architectures
	numArgs      = 6

	// x32Begin to x32End are the numbers by which amd64 kernels are asked for
	// their 32-bit pointer variant. Above them lie the negative ones, which no
	// kernel has: they get Default.
	x32Begin = 0x40000000
	x32End   = 0x80000000
)

// ErrRules is wrapped by every error of [Compile]: the rules cannot be made
// into a filter, so nothing may be run with them.
var ErrRules = errors.New("seccomp: cannot compile the rules")

// span is a run of call numbers from first up to the next span's first.
type span struct {
	first  uint32
	weight int
	answer Action // when rule is 0
	rule   int16  // one more than the index of the call's first rule, or 0
}

// chains holds for each call number its rules, in order, as a linked list of
// indices into rules; 0 ends a list, so indices are one too high.
type chains struct {
	rules []Rule
	head  [maxCalls]int16
	tail  [maxCalls]int16
	next  []int16
}

// Compile turns the rules into a filter for one architecture. Rules of calls
// that the architecture lacks are left out; a call that no architecture has is
// an error, and so are a condition that cannot hold and a filter longer than
// [MaxInstructions].
func Compile(rules []Rule, arch Arch) ([]Instruction, error) {
	return assemble(rules, arch, Default)
}

// CompileOver is Compile for a filter that stands on another one, see
// [Divide]: it lets pass every call that it has no rule of.
func CompileOver(rules []Rule, arch Arch) ([]Instruction, error) {
	return assemble(rules, arch, Allow)
}

func assemble(rules []Rule, arch Arch, others Action) ([]Instruction, error) {
	if arch != AMD64 && arch != ARM64 {
		return nil, fmt.Errorf("%w: architecture %#x is not known", ErrRules, uint32(arch))
	}
	c, err := chain(rules, arch)
	if err != nil {
		return nil, err
	}
	a := assembler{rules: c}
	spans := c.spans(arch, others)
	a.tree(spans, totals(spans))
	a.load(offsetNumber)
	a.branch(opJumpEqual, uint32(arch), a.here(), a.answer(KillProcess))
	a.load(offsetArch)
	if len(a.code) > MaxInstructions {
		return nil, fmt.Errorf("%w: %d instructions, the kernel takes %d", ErrRules, len(a.code), MaxInstructions)
	}
	return a.program(), nil
}

// chain sorts the rules to their calls and checks them.
func chain(rules []Rule, arch Arch) (*chains, error) {
	if len(rules) >= 1<<15 {
		return nil, fmt.Errorf("%w: %d rules are too many", ErrRules, len(rules))
	}
	c := &chains{rules: rules, next: make([]int16, len(rules)+1)}
	for i := range rules {
		r := &rules[i]
		row, ok := find(r.Name)
		if !ok {
			return nil, fmt.Errorf("%w: no architecture has a call named %q", ErrRules, r.Name)
		}
		for _, w := range r.When {
			if w.Arg >= numArgs || w.Value&^w.Mask != 0 {
				return nil, fmt.Errorf("%w: a condition of %s can never hold", ErrRules, r.Name)
			}
		}
		nr, ok := arch.numberOf(row)
		if !ok {
			continue
		}
		this := int16(i + 1)
		if c.head[nr] == 0 {
			c.head[nr] = this
		} else {
			c.next[c.tail[nr]] = this
		}
		c.tail[nr] = this
	}
	return c, nil
}

// spans cuts all 32-bit numbers into runs with one answer each.
func (c *chains) spans(arch Arch, others Action) []span {
	spans := make([]span, 0, 256)
	add := func(s span) {
		if n := len(spans); n > 0 && s.rule == 0 && spans[n-1].rule == 0 && spans[n-1].answer == s.answer {
			spans[n-1].weight += s.weight
			return
		}
		spans = append(spans, s)
	}
	for nr, head := range c.head {
		s := span{first: uint32(nr), weight: 1, answer: others}
		if head != 0 {
			r := &c.rules[head-1]
			s.weight = heat(r.Name)
			if len(r.When) == 0 {
				s.answer = r.Action
			} else {
				s.rule = head
			}
		}
		add(s)
	}
	if arch == AMD64 {
		add(span{first: maxCalls, weight: 1, answer: others})
		add(span{first: x32Begin, weight: 1, answer: KillProcess})
		add(span{first: x32End, weight: 1, answer: others})
	}
	return spans
}

// totals returns the sums of the weights before each span, and of all at the end.
func totals(spans []span) []int {
	sums := make([]int, len(spans)+1)
	for i, s := range spans {
		sums[i+1] = sums[i] + s.weight
	}
	return sums
}

// tree writes the search for the span of a call's number, which is loaded,
// and returns where it begins. sums has one element more than spans.
func (a *assembler) tree(spans []span, sums []int) label {
	if len(spans) == 1 {
		if spans[0].rule == 0 {
			return a.answer(spans[0].answer)
		}
		return a.conditions(spans[0].rule, nil)
	}
	// The split that leaves both sides about as heavy: each step then halves
	// what is left, counted in calls made.
	tilt := func(at int) int { return 2*sums[at] - sums[0] - sums[len(spans)] }
	lo, hi := 1, len(spans)-1
	for lo < hi {
		if mid := (lo + hi) / 2; tilt(mid) < 0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo > 1 && -tilt(lo-1) < tilt(lo) {
		lo--
	}
	high := a.tree(spans[lo:], sums[lo:])
	low := a.tree(spans[:lo], sums[:lo+1])
	return a.branch(opJumpAtLeast, spans[lo].first, high, low)
}

// conditions writes the rules of one call from the given one on, and returns
// where they begin. before is the rule that was found not to match on the way
// there, nil at the first.
func (a *assembler) conditions(rule int16, before *Rule) label {
	if rule == 0 {
		return a.answer(Default)
	}
	r := &a.rules.rules[rule-1]
	if len(r.When) == 0 {
		return a.answer(r.Action)
	}
	otherwise := a.conditions(a.rules.next[rule], r)
	at := a.answer(r.Action)
	for i := len(r.When) - 1; i >= 0; i-- {
		w := r.When[i]
		at = a.branch(opJumpEqual, w.Value, at, otherwise)
		if i == 0 && before != nil && leaves(before, w) {
			continue // the register holds it already
		}
		if w.Mask != all {
			a.mask(w.Mask)
		}
		at = a.load(offsetArgs + 8*uint32(w.Arg))
	}
	return at
}

// leaves reports whether the register holds what w compares, after r did not match.
func leaves(r *Rule, w Cond) bool {
	return len(r.When) == 1 && r.When[0].Arg == w.Arg && r.When[0].Mask == w.Mask
}
