package seccomp

import (
	"math/rand/v2"
	"testing"
)

// interesting are values around which comparisons go wrong.
var interesting = []uint64{
	0, 1, 2, 3, 8, 10, 12, 16, 17, 0xf, 22, 38, 47, 100, 0x80, 0x5401, 0x5412, 0x541b, 1031, 0x20000, 0x10000000, 0x7e020000,
	0o010600, 0o020600, 0o100600, 0x80801, 0x80002, 0x3fffffff, 0x40000000, 0x7fffffff, 0x80000000, 0xffffffff,
	0x100000000, 0x100005412, 0xffffffff00000002, 0xdeadbeef00005401, ^uint64(0),
}

// FuzzPolicy holds the filters that are used against the plain reading of their rules.
func FuzzPolicy(f *testing.F) {
	for _, nr := range []uint32{0, 1, 16, 41, 53, 56, 72, 157, 198, 202, 262, 302, 435, 511, 512, 1 << 30, 1<<30 | 39, 1 << 31, ^uint32(0)} {
		for _, v := range interesting {
			f.Add(nr, uint32(AMD64), v, v, v)
			f.Add(nr, uint32(ARM64), v, v, v)
		}
		f.Add(nr, uint32(0x40000003), uint64(0), uint64(0), uint64(0))
	}
	f.Add(uint32(41), uint32(AMD64), uint64(2), uint64(0x80001), uint64(6))
	f.Add(uint32(41), uint32(AMD64), uint64(2), uint64(1), uint64(262))
	type filter struct {
		rules []Rule
		code  []Instruction
		arch  Arch
	}
	var filters []filter
	for _, arch := range arches {
		for _, network := range networks {
			rules := Policy(network)
			filters = append(filters, filter{rules, compile(f, rules, arch), arch})
		}
	}
	f.Fuzz(func(t *testing.T, nr, arch uint32, a, b, c uint64) {
		d := data{nr: nr, arch: Arch(arch), args: [numArgs]uint64{a, b, c, a, b, c}}
		for _, x := range filters {
			got, _ := interpret(t, x.code, d)
			if want := evaluate(x.rules, x.arch, d); got != want {
				t.Errorf("filter of %#x: call %d of %#x (%#x, %#x, %#x): %v, the rules say %v", uint32(x.arch), nr, arch, a, b, c, got, want)
			}
		}
	})
}

// randomRules makes rules of any shape: long lists of arguments, several
// conditions, calls in any order, so that jumps get long.
func randomRules(r *rand.Rand, n int) []Rule {
	actions := []Action{Allow, Default, notPermitted, pretend, invalid, netUnreachable}
	rules := make([]Rule, n)
	for i := range rules {
		rule := Rule{Name: calls[r.IntN(len(calls))].name, Action: actions[r.IntN(len(actions))], Why: "by chance"}
		if r.IntN(3) == 0 && i > 0 {
			rule.Name = rules[i-1].Name
		}
		for range r.IntN(4) {
			w := Cond{Arg: uint8(r.IntN(numArgs)), Mask: all}
			if r.IntN(3) == 0 {
				w.Mask = uint32(interesting[r.IntN(len(interesting))])
			}
			w.Value = uint32(interesting[r.IntN(len(interesting))]) & w.Mask
			rule.When = append(rule.When, w)
		}
		rules[i] = rule
	}
	return rules
}

// FuzzCompile holds the compiler against the plain reading, with rules by chance.
func FuzzCompile(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed, uint16(seed*seed*4))
	}
	f.Fuzz(func(t *testing.T, seed uint64, n uint16) {
		r := rand.New(rand.NewPCG(seed, uint64(n)))
		rules := randomRules(r, int(n)%1500)
		for _, arch := range arches {
			p, err := Compile(rules, arch)
			if err != nil {
				if len(rules) < 400 {
					t.Fatalf("%d rules: %v", len(rules), err)
				}
				continue // too long is a fair answer
			}
			kernelTakes(t, p)
			for range 300 {
				d := data{nr: uint32(r.IntN(maxCalls + 10)), arch: arch}
				if len(rules) > 0 && r.IntN(2) == 0 {
					rule := rules[r.IntN(len(rules))]
					if nr, ok := arch.number(rule.Name); ok {
						d.nr = uint32(nr)
					}
				}
				for i := range d.args {
					d.args[i] = interesting[r.IntN(len(interesting))]
				}
				got, _ := interpret(t, p, d)
				if want := evaluate(rules, arch, d); got != want {
					t.Fatalf("call %d %v: %v, the rules say %v", d.nr, d.args, got, want)
				}
			}
		}
	})
}
