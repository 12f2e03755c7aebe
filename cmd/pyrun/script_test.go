package main

import "testing"

func TestWordFor(t *testing.T) {
	for _, c := range [][3]string{
		{"linux", "a/b-1.py", "a/b-1.py"},
		{"linux", "", "''"},
		{"linux", "it's", `'it'\''s'`},
		{"linux", `a\b`, `'a\b'`},
		{"windows", `a\b.py`, `a\b.py`},
		{"windows", "it's mine", `"it's mine"`},
		{"windows", "100%", `"100%"`},
	} {
		if got := wordFor(c[0], c[1]); got != c[2] {
			t.Errorf("%s: %q becomes %s, want %s", c[0], c[1], got, c[2])
		}
	}
}
