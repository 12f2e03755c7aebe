package ui

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

// through writes in through a filter in pieces of size n and closes it.
func through(t testing.TB, in string, n int, set func(*Escaper)) string {
	t.Helper()
	var out bytes.Buffer
	e := NewEscaper(&out)
	e.Color, e.Redraw = true, true
	if set != nil {
		set(e)
	}
	for p := []byte(in); len(p) > 0; {
		k := min(n, len(p))
		if got, err := e.Write(p[:k]); got != k || err != nil {
			t.Fatalf("Write = %d, %v; want %d", got, err, k)
		}
		p = p[k:]
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestEscaper(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain", "hello\n\tworld\n", "hello\n\tworld\n"},
		{"utf-8", "café 🐍 中文\n", "café 🐍 中文\n"},
		{"colour", "\x1b[31mred\x1b[0m\n", "\x1b[31mred\x1b[0m\n"},
		{"256 and true colour", "\x1b[38;5;8mx\x1b[48;2;1;2;8my\x1b[m", "\x1b[38;5;8mx\x1b[48;2;1;2;8my\x1b[m"},
		{"colour left on", "\x1b[1;31mred", "\x1b[1;31mred\x1b[0m"},
		{"on after a reset", "\x1b[0;32mx", "\x1b[0;32mx\x1b[0m"},
		{"conceal hides text", "\x1b[8msecret", `\x1b[8msecret`},
		{"conceal among others", "\x1b[1;08;31mx", `\x1b[1;08;31mx`},
		{"title", "\x1b]0;pwned\x07", `\x1b]0;pwned\x07`},
		{"clipboard", "\x1b]52;c;ZXZpbA==\x07", `\x1b]52;c;ZXZpbA==\x07`},
		{"clear and home", "\x1b[2J\x1b[H", `\x1b[2J\x1b[H`},
		{"cursor up and erase", "\x1b[1A\x1b[2Kforged", `\x1b[1A\x1b[2Kforged`},
		{"link", "\x1b]8;;http://x\x07t\x1b]8;;\x07", `\x1b]8;;http://x\x07t\x1b]8;;\x07`},
		{"DCS", "\x1bP+q544e\x1b\\", `\x1bP+q544e\x1b\`},
		{"private m is no colour", "\x1b[?25m\x1b[>4;2m", `\x1b[?25m\x1b[>4;2m`},
		{"ESC ESC", "\x1b\x1b[31mx\x1b[0m", `\x1b` + "\x1b[31mx\x1b[0m"},
		{"newline inside a sequence", "\x1b[3\n1m", `\x1b[3` + "\n1m"},
		{"cut off at the end", "\x1b[31", `\x1b[31`},
		{"C1 as characters", "\u009b31m\u009d0;c1\u009c", `\x9b31m\x9d0;c1\x9c`},
		{"C1 as bytes are not UTF-8", "\x9b31m", "\ufffd31m"},
		{"bell, backspace, DEL", "\a\b\b\x7f", `\x07\x08\x08\x7f`},
		{"vertical tab, form feed, NUL", "\v\f\x00", `\x0b\x0c\x00`},
		{"CRLF", "a\r\nb\r\n", "a\nb\n"},
		{"CR CR LF", "a\r\r\nb", "a\nb"},
		{"progress bar", "\r 10%\r 20%\r100%\n", "\r 10%\r 20%\r100%\n"},
		{"many CR", "a\r\r\r\rb", "a\rb"},
		{"CR at the end", "done\r", "done"},
		{"CR before colour", "a\r\x1b[32mb\x1b[0m\n", "a\r\x1b[32mb\x1b[0m\n"},
		{"override", "a\u202egpj.exe", `a\u202egpj.exe`},
		{"isolates", "\u2066x\u2069", `\u2066x\u2069`},
		{"zero width", "pass\u200bword\ufeff\u00ad", `pass\u200bword\ufeff\xad`},
		{"tags", "\U000e0041", `\U000e0041`},
		{"line separator", "a\u2028b", `a\u2028b`},
		{"family stays one", "👨\u200d👩\u200d👧", "👨\u200d👩\u200d👧"},
		{"emoji form", "❤\ufe0f", "❤\ufe0f"},
		{"Persian", "می\u200cخواهم", "می\u200cخواهم"},
		{"joiner between Latin letters", "a\u200db", `a\u200db`},
		{"invalid bytes", "a\xffb\xc3", "a\ufffdb\ufffd"},
		{"overlong", "\xc0\xafx", "\ufffd\ufffdx"},
		{"surrogate", "\xed\xa0\xbd", "\ufffd\ufffd\ufffd"},
		{"broken start then ESC", "\xe2\x1b[31mx\x1b[0m", "\ufffd\x1b[31mx\x1b[0m"},
		{"too long for a colour", "\x1b[" + strings.Repeat("1;", 40) + "m", `\x1b[` + strings.Repeat("1;", 40) + "m"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, n := range []int{1, 2, 3, 5, 1 << 20} {
				if got := through(t, tt.in, n, nil); got != tt.want {
					t.Errorf("in pieces of %d:\n got %q\nwant %q", n, got, tt.want)
				}
			}
		})
	}
}

func TestEscaperWithoutColor(t *testing.T) {
	got := through(t, "\x1b[31mred\x1b[0m a\rb\n", 3, func(e *Escaper) { e.Color, e.Redraw = false, false })
	if want := "red a\nb\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestEscaperHostile is what a hostile script sends; no byte may act.
func TestEscaperHostile(t *testing.T) {
	in := "\x1b]0;pwned title\x07\x1b]52;c;ZXZpbA==\x07\x1b[2J\x1b[H\x1b[31mred\x1b]8;;http://evil.example\x07click\x1b]8;;\x07" +
		"\x1bP+q544e\x1b\\\u009b31m\u009d0;c1\u009c\x1b[6n\x1b[21t\b\b\b\rsafe\n"
	got := through(t, in, 7, func(e *Escaper) { e.Color, e.Redraw = false, false })
	for _, r := range got {
		if r != '\n' && r != '\t' && r < 0x20 || r >= 0x7f && r < 0xa0 {
			t.Errorf("%U passed: %q", r, got)
		}
	}
	if !strings.Contains(got, `\x1b]0;pwned title\x07`) || !strings.Contains(got, "safe\n") {
		t.Errorf("not shown: %q", got)
	}
}

type brokenWriter struct{}

var errBroken = errors.New("broken")

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestEscaperPassesErrorsOn(t *testing.T) {
	if _, err := NewEscaper(brokenWriter{}).Write([]byte("x")); !errors.Is(err, errBroken) {
		t.Errorf("got %v", err)
	}
}

func TestEscaperHoldsLittle(t *testing.T) {
	e := NewEscaper(brokenWriter{})
	for range 10000 {
		_, _ = e.Write([]byte("\x1b[1111111111111111111111111111111;"))
		if len(e.held) > maxSGR {
			t.Fatalf("holds %d bytes", len(e.held))
		}
	}
}

func FuzzEscaper(f *testing.F) {
	for _, s := range []string{
		"", "plain\n", "\x1b[31mred\x1b[0m", "\x1b]0;t\x07", "\r\n\r", "\xff\xfe\xe2\x82", "\u202e\u200d\ufe0f",
		"\x1b[38;5;8;8m", "\x1b[\x1b[31", "👨\u200d👩",
	} {
		f.Add(s, 3)
	}
	f.Fuzz(func(t *testing.T, in string, n int) {
		if n <= 0 || n > 1<<16 {
			n = 1
		}
		whole := through(t, in, len(in)+1, nil)
		if pieces := through(t, in, n, nil); pieces != whole {
			t.Fatalf("pieces of %d differ:\n%q\n%q", n, pieces, whole)
		}
		if !utf8.ValidString(whole) {
			t.Fatalf("not UTF-8: %q", whole)
		}
		prev, rest := rune(0), whole
		for len(rest) > 0 {
			r, size := utf8.DecodeRuneInString(rest)
			if r == 0x1b {
				end := strings.IndexByte(rest, 'm')
				if end < 2 || end > maxSGR || rest[1] != '[' || strings.Trim(rest[2:end], "0123456789:;") != "" {
					t.Fatalf("an escape passed: %q", rest)
				}
				rest = rest[end+1:]
				continue
			}
			if r != '\r' && acts(r, prev) && r != 0x200c && r != 0x200d && r != 0xfe0e && r != 0xfe0f {
				t.Fatalf("%U passed in %q", r, whole)
			}
			prev, rest = r, rest[size:]
		}
		// Without colour and redrawing not one control character is left.
		bare := through(t, in, n, func(e *Escaper) { e.Color, e.Redraw = false, false })
		for _, r := range bare {
			if r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
				t.Fatalf("%U passed in %q", r, bare)
			}
		}
	})
}

func FuzzClean(f *testing.F) {
	f.Add("a\nb\x1b[31m\u202e\xff")
	f.Fuzz(func(t *testing.T, s string) {
		got := Clean(s)
		if !utf8.ValidString(got) {
			t.Fatalf("not UTF-8: %q", got)
		}
		for _, r := range got {
			if r < 0x20 || r >= 0x7f && r < 0xa0 || invisible(r) {
				t.Fatalf("%U passed in %q", r, got)
			}
		}
	})
}

func BenchmarkEscaper(b *testing.B) {
	line := []byte(strings.Repeat("some ordinary text of a script, 80 columns wide or so, with \x1b[32mcolour\x1b[0m\n", 800))
	var out bytes.Buffer
	e := NewEscaper(&out)
	e.Color = true
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		out.Reset()
		_, _ = e.Write(line)
	}
}
