package seccomp

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"
)

// data is one call as the kernel describes it to a filter.
type data struct {
	nr   uint32
	arch Arch
	args [numArgs]uint64
}

// evaluate says what the rules mean, without any filter: the reading that
// [Compile] has to agree with.
func evaluate(rules []Rule, arch Arch, d data) Action {
	if d.arch != arch {
		return KillProcess
	}
	if arch == AMD64 && d.nr >= 0x40000000 && d.nr < 0x80000000 {
		return KillProcess
	}
	name := ""
	for i := range calls {
		if nr, ok := arch.numberOf(&calls[i]); ok && uint32(nr) == d.nr {
			name = calls[i].name
		}
	}
	for _, r := range rules {
		if r.Name != name {
			continue
		}
		holds := true
		for _, w := range r.When {
			if uint32(d.args[w.Arg])&w.Mask != w.Value {
				holds = false
			}
		}
		if holds {
			return r.Action
		}
	}
	return Default
}

// interpret runs a filter as the kernel does: it returns the answer and the number of steps.
func interpret(t testing.TB, p []Instruction, d data) (Action, int) {
	t.Helper()
	var raw [64]byte
	binary.LittleEndian.PutUint32(raw[0:], d.nr)
	binary.LittleEndian.PutUint32(raw[4:], uint32(d.arch))
	for i, a := range d.args {
		binary.LittleEndian.PutUint64(raw[16+8*i:], a)
	}
	var acc uint32
	for pc, steps := 0, 1; ; pc, steps = pc+1, steps+1 {
		if pc >= len(p) {
			t.Fatalf("ran off the end of the filter")
		}
		i := p[pc]
		jump := func(yes bool) {
			if yes {
				pc += int(i.Jt)
			} else {
				pc += int(i.Jf)
			}
		}
		switch i.Code {
		case opLoad:
			acc = binary.LittleEndian.Uint32(raw[i.K:])
		case opAnd:
			acc &= i.K
		case opJump:
			pc += int(i.K)
		case opJumpEqual:
			jump(acc == i.K)
		case opJumpAtLeast:
			jump(acc >= i.K)
		case opReturn:
			return Action(i.K), steps
		default:
			t.Fatalf("instruction %d: code %#x is none of ours", pc, i.Code)
		}
	}
}

// kernelTakes repeats the checks of the kernel's loader (bpf_check_classic and seccomp_check_filter).
func kernelTakes(t testing.TB, p []Instruction) {
	t.Helper()
	if len(p) == 0 || len(p) > MaxInstructions {
		t.Fatalf("%d instructions", len(p))
	}
	for pc, i := range p {
		left := len(p) - pc - 1
		switch i.Code {
		case opLoad:
			if i.K%4 != 0 || i.K >= 64 {
				t.Fatalf("instruction %d loads from %d", pc, i.K)
			}
		case opJump:
			if int64(i.K) >= int64(left) {
				t.Fatalf("instruction %d jumps out", pc)
			}
		case opJumpEqual, opJumpAtLeast:
			if int(i.Jt) >= left || int(i.Jf) >= left {
				t.Fatalf("instruction %d jumps out", pc)
			}
		case opAnd, opReturn:
		default:
			t.Fatalf("instruction %d: code %#x is none of ours", pc, i.Code)
		}
	}
	if p[len(p)-1].Code != opReturn {
		t.Fatal("the last instruction does not return")
	}
}

func compile(t testing.TB, rules []Rule, arch Arch) []Instruction {
	t.Helper()
	p, err := Compile(rules, arch)
	if err != nil {
		t.Fatal(err)
	}
	kernelTakes(t, p)
	return p
}

var (
	arches   = map[string]Arch{"amd64": AMD64, "arm64": ARM64}
	networks = []string{"loopback", "none"}
)

func TestEveryRuleHasAReason(t *testing.T) {
	for _, network := range networks {
		for _, r := range Policy(network) {
			if len(strings.TrimSpace(r.Why)) < 5 {
				t.Errorf("%s: %s %v without a reason", network, r.Name, r.Action)
			}
			if _, ok := r.Action.Errno(); !ok && r.Action != Allow {
				t.Errorf("%s: %s: %v is neither allow nor an error number", network, r.Name, r.Action)
			}
			if strings.HasPrefix(r.Action.String(), "0x") {
				t.Errorf("%s: %s: the action %v has no name", network, r.Name, r.Action)
			}
		}
	}
}

// A rule behind one that always matches would never be asked, and a call with
// an argument rule must say what happens otherwise.
func TestRulesOfACallEndInAnUnconditionalOne(t *testing.T) {
	for _, network := range networks {
		closed := map[string]bool{}
		for _, r := range Policy(network) {
			if closed[r.Name] {
				t.Errorf("%s: %s has a rule that is never reached", network, r.Name)
			}
			closed[r.Name] = len(r.When) == 0
		}
		for name, done := range closed {
			if !done {
				t.Errorf("%s: %s does not say what happens to other arguments", network, name)
			}
		}
	}
}

func TestEveryKnownCallIsDecided(t *testing.T) {
	for _, network := range networks {
		decided := map[string]bool{}
		for _, r := range Policy(network) {
			decided[r.Name] = true
		}
		for _, c := range calls {
			if !decided[c.name] {
				t.Errorf("%s: no rule says anything about %s", network, c.name)
			}
		}
	}
}

func TestUnknownNetworkGetsTheNarrowerRules(t *testing.T) {
	d := data{nr: 41, arch: AMD64, args: [numArgs]uint64{familyINET, stream}}
	for _, network := range []string{"", "Loopback", "full"} {
		if got := evaluate(Policy(network), AMD64, d); got != netUnreachable {
			t.Errorf("network %q: an INET socket gets %v", network, got)
		}
	}
}

func TestCompileRefuses(t *testing.T) {
	long := make([]Rule, 0, 5000)
	for i := range uint32(5000) {
		long = append(long, Rule{"ioctl", Allow, []Cond{{1, all, i}}, "one of very many"})
	}
	for name, c := range map[string]struct {
		rules []Rule
		arch  Arch
		want  string
	}{
		"unknown call":         {[]Rule{{"raed", Allow, nil, "a slip"}}, AMD64, `"raed"`},
		"unknown architecture": {nil, Arch(0x40000003), "0x40000003"},
		"argument seven":       {[]Rule{{"read", Allow, []Cond{{6, all, 0}}, "there is none"}}, AMD64, "can never hold"},
		"value outside mask":   {[]Rule{{"read", Allow, []Cond{{0, 0xf, 0x10}}, "never"}}, ARM64, "can never hold"},
		"too long":             {long, AMD64, "the kernel takes 4096"},
		"too many":             {make([]Rule, 1<<15), AMD64, "too many"},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := Compile(c.rules, c.arch)
			if !errors.Is(err, ErrRules) || !strings.Contains(err.Error(), c.want) || p != nil {
				t.Errorf("got %d instructions and %v", len(p), err)
			}
		})
	}
}

func TestBytes(t *testing.T) {
	got := Bytes([]Instruction{{0x1234, 5, 6, 0x789abcde}})
	if want := "\x34\x12\x05\x06\xde\xbc\x9a\x78"; string(got) != want {
		t.Errorf("got % x", got)
	}
}

func TestCountIsWhatTheRulesAllow(t *testing.T) {
	for name, arch := range arches {
		rules := Policy("loopback")
		want := map[string]bool{}
		for _, r := range rules {
			if _, ok := arch.number(r.Name); ok && r.Action == Allow {
				want[r.Name] = true
			}
		}
		if got := Count(rules, arch); got != len(want) || got < 150 {
			t.Errorf("%s: %d, want %d", name, got, len(want))
		}
	}
	if got := Count(Policy("none"), AMD64); got != 218 {
		t.Errorf("amd64 allows %d calls; the decision was 218: change this number with the rules", got)
	}
}

// The size bounds the time the kernel takes to load the filter, the depth the
// time of a call where the kernel does not remember that it is always allowed.
func TestFilterIsSmallAndShallow(t *testing.T) {
	for name, arch := range arches {
		for _, network := range networks {
			rules := Policy(network)
			p := compile(t, rules, arch)
			deepest, sum := 0, 0
			for nr := range uint32(600) {
				_, steps := interpret(t, p, data{nr: nr, arch: arch})
				deepest = max(deepest, steps)
				sum += steps
			}
			hot := 0
			for _, call := range []string{"read", "write", "futex", "mmap", "newfstatat"} {
				nr, _ := arch.number(call)
				_, steps := interpret(t, p, data{nr: uint32(nr), arch: arch})
				t.Logf("%s %s: %s in %d steps", name, network, call, steps)
				hot = max(hot, steps)
			}
			t.Logf("%s %s: %d instructions, deepest %d, mean %.1f", name, network, len(p), deepest, float64(sum)/600)
			if len(p) > 500 || deepest > 60 || hot > 11 {
				t.Errorf("%s %s: %d instructions, %d deep, %d for a hot call", name, network, len(p), deepest, hot)
			}
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		p, err := Compile(Policy("loopback"), AMD64)
		if err != nil || len(Bytes(p)) == 0 {
			b.Fatal(err)
		}
	}
}

// TestInit: pid 1 may do five things, whatever the arguments, and all else is ENOSYS.
func TestInit(t *testing.T) {
	for name, arch := range arches {
		t.Run(name, func(t *testing.T) {
			rules := Init()
			p := compile(t, rules, arch)
			want := map[int]bool{}
			for _, call := range []string{"read", "write", "close", "wait4", "exit_group"} {
				nr, ok := arch.number(call)
				if !ok {
					t.Fatalf("%s has no number", call)
				}
				want[nr] = true
			}
			if n := Count(rules, arch); n != len(want) {
				t.Errorf("%d calls are allowed", n)
			}
			for nr := range maxCalls {
				action := Default
				if want[nr] {
					action = Allow
				}
				if got, _ := interpret(t, p, data{nr: uint32(nr), arch: arch}); got != action {
					t.Errorf("call %d: %v, want %v", nr, got, action)
				}
			}
		})
	}
}
