package ui

import (
	"io"
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// Help is one page of help.
type Help struct {
	Title    string   // "pyrun run: run a script in the sandbox"
	Usage    []string // one form a line
	Text     string   // paragraphs; a line that begins with two blanks stays as it is
	Tables   []HelpTable
	Examples []string // to paste
	End      string
}

// HelpTable is a list of words and what they mean.
type HelpTable struct {
	Title string
	Rows  [][2]string
}

// helpWidth is how wide a sentence may be before it is hard to read.
const helpWidth = 100

// Help prints h to stdout, which is where asked-for help belongs.
func (u *UI) Help(h Help) {
	t := newTheme(u.outColor, u.theme.ellipsis == "…")
	width := min(u.width, helpWidth)
	var b strings.Builder
	for _, l := range wrap(h.Title, width) {
		b.WriteString(l + "\n")
	}
	heading := func(s string) { b.WriteString("\n" + t.bold(s) + "\n") }
	if len(h.Usage) > 0 {
		heading("Usage")
		for _, l := range h.Usage {
			b.WriteString("  " + l + "\n")
		}
	}
	if h.Text != "" {
		b.WriteString("\n")
		for line := range strings.SplitSeq(h.Text, "\n") {
			if line == "" || strings.HasPrefix(line, "  ") {
				b.WriteString(line + "\n")
				continue
			}
			b.WriteString(strings.Join(wrap(line, width), "\n") + "\n")
		}
	}
	column := 0
	for _, table := range h.Tables {
		for _, r := range table.Rows {
			column = max(column, displaywidth.String(r[0]))
		}
	}
	for _, table := range h.Tables {
		heading(table.Title)
		for _, r := range table.Rows {
			b.WriteString(helpRow(r, min(column, 30), width))
		}
	}
	if len(h.Examples) > 0 {
		heading("Examples")
		for _, e := range h.Examples {
			b.WriteString("  " + e + "\n")
		}
	}
	if h.End != "" {
		b.WriteString("\n" + t.dim(h.End) + "\n")
	}
	_, _ = io.WriteString(u.out, b.String())
}

// helpRow is a word and its meaning; below each other where there is no room beside.
func helpRow(r [2]string, column, width int) string {
	indent := column + 4
	if indent > width/2 || displaywidth.String(r[0]) > column {
		indent = min(indent, 6)
		if width >= 2*(column+4) {
			indent = column + 4
		}
		gap := strings.Repeat(" ", indent)
		return "  " + r[0] + "\n" + gap + strings.Join(wrap(r[1], max(width-indent, 12)), "\n"+gap) + "\n"
	}
	gap := strings.Repeat(" ", indent)
	return "  " + pad(r[0], column) + "  " + strings.Join(wrap(r[1], max(width-indent, 12)), "\n"+gap) + "\n"
}
