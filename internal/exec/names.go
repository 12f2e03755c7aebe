package exec

// Names that cross the wall, in either direction: what may be one, and how a
// bad one is shown. Nothing is repaired: a name is taken as it is or refused.

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	maxPathBytes = 1024
	maxPathParts = 16
	maxPartBytes = 255
)

// partFault says what is wrong with one component of a path, for inputs and
// artifacts alike; empty when nothing is.
func partFault(part string) string {
	switch {
	case part == "":
		return "has an empty part"
	case part == "." || part == "..":
		return `has a part "` + part + `"`
	case len(part) > maxPartBytes:
		return "has a part over 255 bytes"
	case !utf8.ValidString(part):
		return "is not valid UTF-8"
	case strings.Trim(part, ".") == "":
		return "has a part of dots only"
	case strings.Contains(part, `\`):
		return "has a backslash"
	case part[0] == ' ' || part[len(part)-1] == ' ':
		return "has a leading or trailing space"
	}
	for _, r := range part {
		switch {
		case unicode.IsControl(r):
			return "has a control character"
		case unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp):
			return "has an invisible or text-direction character"
		}
	}
	if !norm.NFC.IsNormalString(part) {
		return "is not in Unicode normal form C"
	}
	return ""
}

// inputFault says what is wrong with an input's name; empty when nothing is.
// The rules are those of the strictest system it may have come from.
func inputFault(name string) string {
	switch {
	case name == "":
		return "is empty"
	case len(name) > maxPathBytes:
		return "is over 1024 bytes"
	case strings.HasPrefix(name, "/"):
		return "is not relative"
	case hasDrive(name):
		return "begins with a drive letter"
	}
	parts := strings.Split(name, "/")
	if len(parts) > maxPathParts {
		return "has more than 16 parts"
	}
	for _, part := range parts {
		if fault := partFault(part); fault != "" {
			return fault
		}
		if part[len(part)-1] == '.' {
			return "has a part that ends in a dot"
		}
		if isDevice(part) {
			return "has a part that is a device name on Windows"
		}
	}
	return ""
}

func hasDrive(name string) bool {
	return len(name) >= 2 && name[1] == ':' && (name[0]|0x20) >= 'a' && (name[0]|0x20) <= 'z'
}

// isDevice knows the names that Windows takes for devices, with any ending.
func isDevice(part string) bool {
	stem, _, _ := strings.Cut(part, ".")
	stem = strings.ToUpper(strings.TrimRight(stem, " "))
	switch stem {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	if !strings.HasPrefix(stem, "COM") && !strings.HasPrefix(stem, "LPT") {
		return false
	}
	switch stem[3:] {
	case "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "¹", "²", "³":
		return true
	}
	return false
}

// foldName maps names that some file system takes for one and the same to one string.
func foldName(name string) string {
	return norm.NFC.String(strings.Map(func(r rune) rune {
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return least
	}, name))
}

// shown is a name that may be anything as a short line of plain ASCII where it has to be.
func shown(name string) string {
	plain := utf8.ValidString(name)
	for _, r := range name {
		if !unicode.IsPrint(r) || unicode.Is(unicode.Cf, r) {
			plain = false
		}
	}
	if !plain || !norm.NFC.IsNormalString(name) {
		name = strconv.QuoteToASCII(name)
		name = name[1 : len(name)-1]
	}
	return clip(name, 200)
}

// clip shortens s to about n bytes and never in mid-rune.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "..."
}
