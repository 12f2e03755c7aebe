package exec

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestInputFault(t *testing.T) {
	good := []string{
		"a", "data.csv", "a/b/c.txt", "-rf", ".hidden", "..data", "a..b", "sp ace", "日本.txt", "café.txt", "12:30.png",
		"console", "com10", "nulls.txt", strings.Repeat("x", 255), strings.Repeat("d/", 15) + "f", "quote'\".txt", "🐍.py",
	}
	for _, name := range good {
		if f := inputFault(name); f != "" {
			t.Errorf("%q %s", name, f)
		}
	}
	bad := map[string]string{
		"":                                   "is empty",
		"/etc/passwd":                        "is not relative",
		"a//b":                               "has an empty part",
		"a/":                                 "has an empty part",
		".":                                  `has a part "."`,
		"./":                                 `has a part "."`,
		"./a":                                `has a part "."`,
		"a/../../b":                          `has a part ".."`,
		"..":                                 `has a part ".."`,
		"...":                                "has a part of dots only",
		"a\x00b":                             "has a control character",
		"a\nb":                               "has a control character",
		"a\x7f":                              "has a control character",
		"a\u0085b":                           "has a control character",
		"rtl\u202etxt.exe":                   "has an invisible or text-direction character",
		"zero\u200bwidth":                    "has an invisible or text-direction character",
		"\ufefftop":                          "has an invisible or text-direction character",
		"line\u2028":                         "has an invisible or text-direction character",
		"e\u0301.txt":                        "is not in Unicode normal form C",
		"bad\xff":                            "is not valid UTF-8",
		`a\b`:                                "has a backslash",
		`C:\x`:                               "begins with a drive letter",
		"c:evil":                             "begins with a drive letter",
		"con":                                "has a part that is a device name on Windows",
		"d/NUL.txt":                          "has a part that is a device name on Windows",
		"Com1.tar.gz":                        "has a part that is a device name on Windows",
		"lpt³":                               "has a part that is a device name on Windows",
		" lead":                              "has a leading or trailing space",
		"trail ":                             "has a leading or trailing space",
		"d/trail ":                           "has a leading or trailing space",
		"dot.":                               "has a part that ends in a dot",
		strings.Repeat("x", 256):             "has a part over 255 bytes",
		strings.Repeat("d/", 16) + "f":       "has more than 16 parts",
		strings.Repeat("0123456789/", 100):   "is over 1024 bytes",
		"a/" + strings.Repeat("\u00e9", 128): "has a part over 255 bytes",
	}
	for name, want := range bad {
		if got := inputFault(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func TestFoldName(t *testing.T) {
	same := [][2]string{{"README", "readme"}, {"Σ", "ς"}, {"K", "\u212a"}, {"É", "é"}, {"a/B", "A/b"}}
	for _, s := range same {
		if foldName(s[0]) != foldName(s[1]) {
			t.Errorf("%q and %q differ", s[0], s[1])
		}
	}
	if foldName("a") == foldName("b") {
		t.Error("a is b")
	}
}

func TestShown(t *testing.T) {
	for in, want := range map[string]string{
		"plain.txt":              "plain.txt",
		"日本":                     "日本",
		"new\nline":              `new\nline`,
		"esc\x1b[31m":            `esc\x1b[31m`,
		"bad\xff":                `bad\xff`,
		"rtl\u202e":              `rtl\u202e`,
		"e\u0301":                `e\u0301`,
		strings.Repeat("é", 150): strings.Repeat("é", 100) + "...",
	} {
		if got := shown(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func FuzzInputName(f *testing.F) {
	for _, s := range []string{"a", "../x", "a/b", "C:x", "con", "e\u0301", "a\x00", `a\b`, "\u202e", "...", " a", "a/./b", strings.Repeat("a/", 20)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if s := shown(name); !utf8.ValidString(s) || strings.ContainsAny(s, "\x00\x1b\n\r\u202e\u200b") {
			t.Fatalf("shown as %q", s)
		}
		if inputFault(name) != "" {
			return
		}
		if !utf8.ValidString(name) || strings.ContainsAny(name, "\\\x00\n\u202e") || name[0] == '/' {
			t.Fatalf("accepted %q", name)
		}
		for _, part := range strings.Split(name, "/") {
			if strings.Trim(part, ".") == "" || len(part) > 255 {
				t.Fatalf("accepted %q", name)
			}
		}
		if f := foldName(name); foldName(f) != f {
			t.Fatalf("%q folds to %q and that to %q", name, f, foldName(f))
		}
	})
}

func FuzzArtifactName(f *testing.F) {
	for _, s := range []string{"a", "..", "...", "a\nb", "-rf", "..hidden", "\xff", "rtl\u202etxt", " lead", "trail ", `back\..\slash`, "C:evil.txt", "e\u0301"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if partFault(name) != "" {
			return
		}
		if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "\\\x00\r\n\x1b\x7f\u202e\u2066\u200b\u0085") || !utf8.ValidString(name) {
			t.Fatalf("accepted %q", name)
		}
		if shown(name) != clip(name, 200) {
			// A name that may be returned is shown as it is, but for odd blanks and unassigned runes.
			for _, r := range name {
				if r < utf8.RuneSelf && (r < ' ' || r == 0x7f) {
					t.Fatalf("accepted %q", name)
				}
			}
		}
	})
}
