package ui

import (
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/clipperhouse/displaywidth"
)

// Duration writes d as a person would: 14 ms, 2.31 s, 10.0 s, 2 min 5 s.
func Duration(d time.Duration) string {
	d = max(d, 0)
	switch {
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + " ms"
	case d < 9995*time.Millisecond:
		return strconv.FormatFloat(d.Seconds(), 'f', 2, 64) + " s"
	case d < 59950*time.Millisecond:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	}
	s := int64((d + time.Second/2) / time.Second)
	if s%60 == 0 {
		return strconv.FormatInt(s/60, 10) + " min"
	}
	return strconv.FormatInt(s/60, 10) + " min " + strconv.FormatInt(s%60, 10) + " s"
}

// Size writes a file's size in decimal units, as a file manager does: 18.2 kB.
func Size(n int64) string {
	return scaled(n, 1000, [...]string{" B", " kB", " MB", " GB", " TB", " PB", " EB"})
}

// Limit writes a limit in the binary units it was set in: 512 MiB.
func Limit(n int64) string {
	return scaled(n, 1024, [...]string{" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"})
}

// scaled keeps one decimal where it says something.
func scaled(n, base int64, units [7]string) string {
	n = max(n, 0)
	v, i := float64(n), 0
	for v >= float64(base)-0.05 && i < len(units)-1 {
		v /= float64(base)
		i++
	}
	s := strconv.FormatFloat(v, 'f', 1, 64)
	if i == 0 || v >= 100 || base == 1024 {
		s = strings.TrimSuffix(strconv.FormatFloat(v, 'f', precision(v), 64), ".0")
	}
	return s + units[i]
}

func precision(v float64) int {
	if v >= 100 {
		return 0
	}
	return 1
}

// plural is "1 artifact" or "3 artifacts".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// wrap breaks text at spaces so that no line is wider than width, where the
// words allow it: a word is never cut, for it may be a command to paste.
func wrap(text string, width int) []string {
	var lines []string
	for para := range strings.SplitSeq(text, "\n") {
		line, used := "", 0
		for word := range strings.FieldsSeq(para) {
			w := displaywidth.String(word)
			if used > 0 && used+1+w > width {
				lines = append(lines, line)
				line, used = "", 0
			}
			if used > 0 {
				line += " "
				used++
			}
			line += word
			used += w
		}
		lines = append(lines, line)
	}
	return lines
}

// wrapAfter wraps text whose first line stands behind used columns, and whose
// further lines are indented by two.
func wrapAfter(used int, text string, width int) []string {
	words := strings.Fields(text)
	n := 0
	for used <= width && n < len(words) {
		used += displaywidth.String(words[n]) + 1
		if used-1 > width && n > 0 {
			break
		}
		n++
	}
	lines := []string{strings.Join(words[:n], " ")}
	if n < len(words) {
		lines = append(lines, wrap(strings.Join(words[n:], " "), max(width-2, 8))...)
	}
	return lines
}

// labelled is a label and its text, wrapped, each further line under the first.
// Where a third of the width would go to the indent, the text starts on a line of its own.
func labelled(label, text string, width int) string {
	indent := displaywidth.String(label)
	first := label
	if indent > width/3 {
		indent = 4
		first = strings.TrimRight(label, " ") + "\n" + strings.Repeat(" ", indent)
	}
	lines := wrap(text, max(width-indent, 8))
	return first + strings.Join(lines, "\n"+strings.Repeat(" ", indent)) + "\n"
}

// shorten cuts the middle out of a path until it fits; the end, which tells
// files apart, gets the larger half.
func (u *UI) shorten(path string, width int) string {
	if displaywidth.String(path) <= width {
		return path
	}
	gap := u.theme.ellipsis
	keep := max(width-displaywidth.String(gap), 2)
	head := displaywidth.TruncateString(path, keep*2/5, "")
	return head + gap + suffix(path, keep-displaywidth.String(head))
}

// suffix is the longest end of s that is at most width wide.
func suffix(s string, width int) string {
	var cuts []string
	for g := displaywidth.StringGraphemes(s); g.Next(); {
		cuts = append(cuts, g.Value())
	}
	i, used := len(cuts), 0
	for i > 0 && used+displaywidth.String(cuts[i-1]) <= width {
		i--
		used += displaywidth.String(cuts[i])
	}
	return strings.Join(cuts[i:], "")
}

// tilde writes a path below the home folder with ~.
func (u *UI) tilde(path string) string {
	if u.home == "" || u.home == "/" || !filepath.IsAbs(u.home) {
		return path
	}
	if rest, ok := strings.CutPrefix(path, strings.TrimSuffix(u.home, "/")+"/"); ok {
		return "~/" + rest
	}
	return path
}

// pad fills s with blanks up to width columns.
func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(width-displaywidth.String(s), 0))
}

// padLeft is pad with the blanks in front: for numbers.
func padLeft(s string, width int) string {
	return strings.Repeat(" ", max(width-displaywidth.String(s), 0)) + s
}
