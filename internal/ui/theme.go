package ui

import "github.com/muesli/termenv"

// theme holds every style there is. Few colours, each with one meaning: green
// held, yellow look here, red broken, dim context. A mark is one column wide in
// Unicode; a locale without UTF-8 gets a word or sign of ASCII.
type theme struct {
	profile          termenv.Profile
	held, look, fail string // marks
	dot              string // between the facts of one line
	ellipsis         string // where the middle of a path was
}

func newTheme(color, unicode bool) theme {
	t := theme{profile: termenv.Ascii, held: "ok", look: "!", fail: "x", dot: ", ", ellipsis: "..."}
	if unicode {
		t.held, t.fail, t.dot, t.ellipsis = "✓", "✗", " · ", "…"
	}
	if color {
		// Sixteen colours and no more: they follow the reader's own palette.
		t.profile = termenv.ANSI
	}
	return t
}

func (t theme) green(s string) string  { return t.paint(s, termenv.ANSIGreen) }
func (t theme) yellow(s string) string { return t.paint(s, termenv.ANSIYellow) }
func (t theme) red(s string) string    { return t.paint(s, termenv.ANSIRed) }

func (t theme) dim(s string) string {
	if t.profile == termenv.Ascii {
		return s
	}
	return t.profile.String(s).Faint().String()
}

func (t theme) bold(s string) string {
	if t.profile == termenv.Ascii {
		return s
	}
	return t.profile.String(s).Bold().String()
}

func (t theme) paint(s string, c termenv.ANSIColor) string {
	if t.profile == termenv.Ascii {
		return s
	}
	return t.profile.String(s).Foreground(c).String()
}
