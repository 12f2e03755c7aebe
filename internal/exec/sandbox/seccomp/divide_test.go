package seccomp

import "testing"

// TestDivide: under both parts together every call gets what the rules give it.
func TestDivide(t *testing.T) {
	names := []string{"mount", "clone", "prctl", "ioctl", "socket", "setns", "seccomp", "getpid", "landlock_add_rule"}
	for _, network := range []string{"loopback", "none"} {
		for _, arch := range []Arch{AMD64, ARM64} {
			rules := Policy(network)
			first, second := Divide(rules, names)
			a, err := Compile(first, arch)
			if err != nil {
				t.Fatal(err)
			}
			b, err := CompileOver(second, arch)
			if err != nil {
				t.Fatal(err)
			}
			if len(b) > 200 {
				t.Errorf("%v: the second part has %d instructions", arch, len(b))
			}
			for nr := range uint32(maxCalls + 10) {
				for _, v := range []uint64{0, 1, 2, 10, 16, 17, 0x5401, 0x20000000, 0x7e020000, 0xffffffff, 1 << 32} {
					d := data{nr: nr, arch: arch, args: [numArgs]uint64{v, v, v, v, v, v}}
					x, _ := interpret(t, a, d)
					y, _ := interpret(t, b, d)
					if got, want := harder(x, y), evaluate(rules, arch, d); got != want {
						t.Fatalf("%v %s: call %d with %#x gets %v and %v, want %v", arch, network, nr, v, x, y, want)
					}
				}
			}
			for _, d := range []data{{nr: x32Begin + 5, arch: AMD64}, {nr: 1, arch: 0x40000003}} {
				if y, _ := interpret(t, b, d); arch == AMD64 && y != KillProcess {
					t.Errorf("the second part lets %#x pass", d.nr)
				}
			}
		}
	}
}

// harder is the kernel's choice between the answers of two filters.
func harder(x, y Action) Action {
	if int32(x&0xffff0000) <= int32(y&0xffff0000) {
		return x
	}
	return y
}
