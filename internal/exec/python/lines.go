// The lines of packages.txt, as pip joins and cuts them.

package python

import (
	"strings"
	"unicode/utf8"
)

// notText finds the line of a NUL byte or of what is not UTF-8.
func notText(text string) (line int, found bool) {
	at := strings.IndexByte(text, 0)
	if at < 0 && !utf8.ValidString(text) {
		at = strings.IndexFunc(text, func(r rune) bool { return r == utf8.RuneError })
	}
	if at < 0 {
		return 0, false
	}
	return 1 + strings.Count(text[:at], "\n"), true
}

type numbered struct {
	number int
	text   string
}

// logicalLines joins continued lines and takes off comments, in pip's order:
// a backslash counts before a comment does, but in a line that is only a comment.
func logicalLines(text string) []numbered {
	var all []numbered
	joined, start := "", 0
	add := func(number int, line string) {
		if line = strings.TrimSpace(uncomment(line)); line != "" {
			all = append(all, numbered{number, line})
		}
	}
	for i, line := range splitLines([]byte(text)) {
		comment := strings.HasPrefix(strings.TrimLeft(line, " \t\f\v"), "#")
		if comment {
			line = " " + line
		}
		if start == 0 {
			start = i + 1
		}
		if strings.HasSuffix(line, "\\") && !comment {
			joined += strings.Trim(line, "\\")
			continue
		}
		add(start, joined+line)
		joined, start = "", 0
	}
	add(start, joined)
	return all
}

// uncomment takes off a comment: # at the start or after a blank.
func uncomment(line string) string {
	for i := 0; i < len(line); i++ {
		if line[i] == '#' && (i == 0 || strings.IndexByte(" \t\f\v", line[i-1]) >= 0) {
			return line[:i]
		}
	}
	return line
}
