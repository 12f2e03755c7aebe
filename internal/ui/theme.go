package ui

import (
	"io"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
)

// theme holds every style there is. Few colours, each with one meaning: green
// held, yellow look here, red broken, dim context. A mark is one column wide in
// Unicode; a locale without UTF-8 gets a word or sign of ASCII.
type theme struct {
	held, look, fail string // marks
	dot              string // between the facts of one line
	ellipsis         string // where the middle of a path was

	colors *lipgloss.Renderer // nil: none
}

func newTheme(color, unicode bool) theme {
	t := theme{held: "ok", look: "!", fail: "x", dot: ", ", ellipsis: "..."}
	if unicode {
		t.held, t.fail, t.dot, t.ellipsis = "✓", "✗", " · ", "…"
	}
	if color {
		// Told, not asked: a renderer left to itself queries the terminal and waits
		// for the answer. Sixteen colours and no more follow the reader's own palette.
		t.colors = lipgloss.NewRenderer(io.Discard)
		t.colors.SetColorProfile(termenv.ANSI)
		t.colors.SetHasDarkBackground(true)
	}
	return t
}

func (t theme) green(s string) string  { return t.color(s, "2") }
func (t theme) yellow(s string) string { return t.color(s, "3") }
func (t theme) red(s string) string    { return t.color(s, "1") }
func (t theme) dim(s string) string    { return t.paint(s, lipgloss.Style.Faint) }
func (t theme) bold(s string) string   { return t.paint(s, lipgloss.Style.Bold) }

func (t theme) color(s string, c lipgloss.Color) string {
	return t.paint(s, func(st lipgloss.Style, _ bool) lipgloss.Style { return st.Foreground(c) })
}

// paint styles line by line: a block would be padded to its widest line.
func (t theme) paint(s string, with func(lipgloss.Style, bool) lipgloss.Style) string {
	if t.colors == nil {
		return s
	}
	style := with(t.colors.NewStyle(), true)
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		if line != "" {
			lines[i] = style.Render(line)
		}
	}
	return strings.Join(lines, "\n")
}
