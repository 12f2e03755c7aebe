package ui

import (
	"strings"
	"unicode/utf8"
)

// acts tells whether a terminal, or the eye, would obey r and not just show it.
// The character before decides about joiners: emoji, Arabic and Indic text need them.
func acts(r, prev rune) bool {
	switch {
	case r < 0x20:
		return r != '\n' && r != '\t'
	case r < 0x7f:
		return false
	case r < 0xa0: // DEL and C1
		return true
	case r == 0x200c, r == 0x200d: // ZWNJ, ZWJ
		return !joins(prev)
	case r == 0xfe0e, r == 0xfe0f: // text or emoji form of the character before
		return prev <= ' ' || prev == r
	}
	return invisible(r)
}

// invisible are format characters and fillers, by block of Unicode.
func invisible(r rune) bool {
	switch {
	case r == 0xad, r == 0x34f, r == 0x61c, // soft hyphen, joiner, Arabic mark
		r == 0x115f, r == 0x1160, r == 0x3164, r == 0xffa0, // Hangul fillers
		r == 0x17b4, r == 0x17b5, r == 0xfeff,
		r >= 0x180b && r <= 0x180f,
		r >= 0x200b && r <= 0x200f, // zero width, left-to-right, right-to-left marks
		r >= 0x2028 && r <= 0x202e, // separators, embeddings, overrides
		r >= 0x2060 && r <= 0x206f, // isolates, invisible operators
		r >= 0xfe00 && r <= 0xfe0d,
		r >= 0xfff0 && r <= 0xfffb,
		r >= 0x1bca0 && r <= 0x1bca3,
		r >= 0x1d173 && r <= 0x1d17a,
		r >= 0xe0000 && r <= 0xe0fff: // tags, further variation selectors
		return true
	}
	return false
}

// joins tells whether a joiner after r is part of ordinary writing.
func joins(r rune) bool {
	return r == 0xfe0f || r >= 0x1f000 && r < 0xe0000 || r >= 0x2600 && r <= 0x27bf ||
		r >= 0x620 && r <= 0x6ff || r >= 0x900 && r <= 0xdff
}

// appendName writes r as Python would in a string literal.
func appendName(b []byte, r rune) []byte {
	const hex = "0123456789abcdef"
	digits := 8
	switch {
	case r < 0x100:
		b, digits = append(b, `\x`...), 2
	case r < 0x10000:
		b, digits = append(b, `\u`...), 4
	default:
		b = append(b, `\U`...)
	}
	for i := (digits - 1) * 4; i >= 0; i -= 4 {
		b = append(b, hex[r>>i&0xf])
	}
	return b
}

// Clean makes one line of text that came from a script fit to stand in a line
// of pyrun's: control characters, newlines too, are shown by name.
func Clean(s string) string {
	clean := true
	prev := rune(0)
	for _, r := range s {
		if acts(r, prev) || r == '\n' || r == '\t' || r == utf8.RuneError {
			clean = false
			break
		}
		prev = r
	}
	if clean {
		return s
	}
	b := make([]byte, 0, len(s)+16)
	prev = 0
	for _, r := range s {
		switch {
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\t':
			b = append(b, ' ')
		case acts(r, prev):
			b = appendName(b, r)
		default:
			b = utf8.AppendRune(b, r)
		}
		prev = r
	}
	return string(b)
}

// cleanLines is Clean for text of several lines: the newlines stay.
func cleanLines(s string) string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	for i, l := range lines {
		lines[i] = Clean(l)
	}
	return strings.Join(lines, "\n")
}

// sgr reads the parameters between ESC [ and m. It refuses what hides text
// (conceal), and says whether something stays switched on.
func sgr(params string) (on, ok bool) {
	skip := 0 // parameters that belong to an extended colour
	extended := false
	for p := range strings.SplitSeq(params, ";") {
		switch {
		case skip > 0:
			skip--
		case extended:
			extended = false
			switch p {
			case "5":
				skip = 1
			case "2":
				skip = 3
			}
		case p == "38", p == "48", p == "58":
			extended, on = true, true
		case strings.Trim(p, "0") == "":
			on = false
		case strings.TrimLeft(p, "0") == "8":
			return false, false
		default:
			on = true
		}
	}
	return on, true
}
