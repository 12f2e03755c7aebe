package exec

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestKeeper(t *testing.T) {
	lines := func(from, to int) string {
		var b strings.Builder
		for i := from; i < to; i++ {
			fmt.Fprintln(&b, i)
		}
		return b.String()
	}
	for _, tt := range []struct {
		name  string
		limit int64
		in    string
		want  string
	}{
		{"nothing", 8, "", ""},
		{"fits to the byte", 8, "abcdefgh", "abcdefgh"},
		{"one byte over", 8, "abcdefghi", "abcd\n... [1 bytes, 0 lines omitted] ...\nfghi"},
		{"newline lost", 8, "abcd\nefgh", "abcd\n... [1 bytes, 1 lines omitted] ...\nefgh"},
		{"head ends a line", 8, "abc\nxxxxefgh", "abc\n... [4 bytes, 0 lines omitted] ...\nefgh"},
		{"rune cut in the head", 8, "abc\u00e9xxxxxefgh", "abc\n... [7 bytes, 0 lines omitted] ...\nefgh"},
		{"rune cut in the tail", 8, "abcdxxxxx\u00e9fgh", "abcd\n... [7 bytes, 0 lines omitted] ...\nfgh"},
		{"four byte rune cut", 8, "a\U0001f40dxxx\U0001f40db", "a\n... [11 bytes, 0 lines omitted] ...\nb"},
		{"invalid stays counted", 8, "\xff\xff\xff\xffxx\xff\xff\xff\xff", "\ufffd\ufffd\ufffd\ufffd\n... [2 bytes, 0 lines omitted] ...\n\ufffd\ufffd\ufffd\ufffd"},
		{"between lines", 64, lines(0, 100), "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n" + "... [232 bytes, 78 lines omitted] ...\n" + lines(94, 100)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.name == "between lines" {
				checkLines(t, tt.in, tt.limit)
				return
			}
			for step := 1; step <= len(tt.in)+1; step++ {
				k := newKeeper(tt.limit)
				for p := []byte(tt.in); len(p) > 0; p = p[min(step, len(p)):] {
					k.add(p[:min(step, len(p))])
				}
				if got := k.text(); got != tt.want {
					t.Fatalf("in steps of %d: %q, want %q", step, got, tt.want)
				}
				if k.total != int64(len(tt.in)) {
					t.Fatalf("counted %d of %d", k.total, len(tt.in))
				}
			}
		})
	}
}

// checkLines wants whole lines on both sides of the mark, where they are short.
func checkLines(t *testing.T, in string, limit int64) {
	t.Helper()
	k := newKeeper(limit)
	k.add([]byte(in))
	got := k.text()
	head, rest, ok := strings.Cut(got, "... [")
	mark, tail, ok2 := strings.Cut(rest, " omitted] ...\n")
	if !ok || !ok2 || !strings.HasPrefix(in, head) || !strings.HasSuffix(in, tail) || !strings.HasSuffix(head, "\n") {
		t.Fatalf("%q", got)
	}
	if before := in[len(in)-len(tail)-1]; before != '\n' {
		t.Errorf("the tail begins in mid-line: %q", tail)
	}
	var b, l int
	if _, err := fmt.Sscanf(mark, "%d bytes, %d lines", &b, &l); err != nil {
		t.Fatal(err)
	}
	if out := in[len(head) : len(in)-len(tail)]; b != len(out) || l != strings.Count(out, "\n") {
		t.Errorf("says %d bytes and %d lines of %q", b, l, out)
	}
}

func TestKeeperEnd(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"", ""},
		{"ab", "ab"},
		{"abcdefgh", "efgh"},
		{"0123456789abcdef", "cdef"},
	} {
		k := newKeeper(10)
		k.add([]byte(tt.in))
		if got := string(k.end(4)); got != tt.want {
			t.Errorf("end of %q: %q", tt.in, got)
		}
	}
}

func TestKeeperMemory(t *testing.T) {
	k := newKeeper(1 << 10)
	chunk := bytes.Repeat([]byte("x"), 3000)
	for range 1000 {
		k.add(chunk)
		k.add(chunk[:7])
	}
	if c := cap(k.head) + cap(k.tail); c > 8<<10 {
		t.Errorf("holds %d bytes", c)
	}
}

func FuzzKeeper(f *testing.F) {
	f.Add([]byte("hello\nworld\n"), uint8(3), uint16(8))
	f.Add([]byte("caf\xc3\xa9 \xf0\x9f\x90\x8d\xff\n"), uint8(1), uint16(6))
	f.Add(bytes.Repeat([]byte("0123456789\n"), 50), uint8(7), uint16(100))
	f.Add([]byte{}, uint8(0), uint16(0))
	f.Fuzz(func(t *testing.T, in []byte, step uint8, limit uint16) {
		k := newKeeper(int64(limit))
		for p := in; len(p) > 0; {
			n := min(int(step)+1, len(p))
			k.add(p[:n])
			p = p[n:]
		}
		got := k.text()
		if !utf8.ValidString(got) {
			t.Fatalf("invalid: %q", got)
		}
		if k.total != int64(len(in)) {
			t.Fatalf("counted %d of %d", k.total, len(in))
		}
		if !k.cut() {
			if got != toValid(in) {
				t.Fatalf("%q became %q", in, got)
			}
			return
		}
		if int64(len(in)) <= int64(limit)/2*2 {
			t.Fatalf("cut %d bytes at a limit of %d", len(in), limit)
		}
		if !strings.Contains(got, " lines omitted] ...\n") {
			t.Fatalf("no mark: %q", got)
		}
		if tail := k.end(4); !bytes.HasSuffix(in, tail) {
			t.Fatalf("end %q of %q", tail, in)
		}
	})
}
