package ui

import (
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// tabWidth is how far a tab goes in an excerpt, whatever column it begins in.
const tabWidth = 4

// cell is one grapheme of a source line as it is shown.
type cell struct {
	text         string
	width        int
	first, after int // the characters it holds, from 1
}

// cells lays a source line out. Tabs become blanks; what a terminal would obey
// is written by its name.
func cells(line string) []cell {
	var list []cell
	at, prev := 1, rune(0)
	for g := displaywidth.StringGraphemes(line); g.Next(); {
		c := cell{first: at}
		var b []byte
		for _, r := range g.Value() {
			at++
			switch {
			case r == '\t':
				b = append(b, strings.Repeat(" ", tabWidth)...)
			case acts(r, prev) || r == '\n':
				b = appendName(b, r)
			default:
				b = utf8.AppendRune(b, r)
			}
			prev = r
		}
		c.text, c.after = string(b), at
		c.width = displaywidth.String(c.text)
		list = append(list, c)
	}
	return list
}

// cut shows a line in room columns, with the characters from column up to end
// (0: the line's end) in sight, and says between which columns of the screen they
// stand. What is left out on either side is marked.
func cut(line string, column, end, room int, gap string) (shown string, from, to int) {
	all := cells(line)
	first, last := len(all), len(all) // the cells to mark
	for i, c := range all {
		if first == len(all) && c.after > column {
			first = i
		}
		if end > 0 && last == len(all) && c.first >= end {
			last = i
		}
	}
	last = max(last, min(first+1, len(all)))
	width := func(from, to int) (n int) {
		for _, c := range all[from:to] {
			n += c.width
		}
		return n
	}
	lo, hi := 0, len(all)
	if width(lo, hi) > room {
		mark := displaywidth.String(gap)
		// From the left, unless the spot would then be out of sight.
		if width(0, last) > room-mark {
			lo = first
			for lo > 0 && width(lo-1, min(first+1, len(all))) <= (room-2*mark)/2 {
				lo--
			}
		}
		left := room
		if lo > 0 {
			left -= mark
		}
		if width(lo, hi) > left {
			left -= mark
			for hi = lo; hi < len(all) && all[hi].width <= left; hi++ {
				left -= all[hi].width
			}
		} else {
			left -= width(lo, hi)
		}
		for lo > 1 && all[lo-1].width <= left {
			lo--
			left -= all[lo].width
		}
	}
	var b strings.Builder
	if lo > 0 {
		b.WriteString(gap)
	}
	before := displaywidth.String(b.String())
	for _, c := range all[lo:hi] {
		b.WriteString(c.text)
	}
	if hi < len(all) {
		b.WriteString(gap)
	}
	from = before + width(lo, max(min(first, hi), lo))
	to = before + width(lo, max(min(last, hi), lo))
	return strings.TrimRight(b.String(), " "), from, max(to, from+1)
}
