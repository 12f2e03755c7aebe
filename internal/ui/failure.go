package ui

import "strings"

// Failure is pyrun's own refusal; it never looks like the script's failure.
type Failure struct {
	What    string   // what was being done, then the cause
	Why     string   // what is likely behind it; may be empty
	Fix     []string // what to type or do, one a line; may be empty
	NoRun   bool     // say that nothing was run
	Warning bool     // it goes on all the same
}

// Fail writes f to stderr.
func (u *UI) Fail(f Failure) {
	what := cleanLines(f.What)
	var b strings.Builder
	prefix := "pyrun: "
	if f.Warning {
		prefix = "pyrun: warning: "
	}
	lines := strings.Split(what, "\n")
	head := strings.Join(wrapAfter(len(prefix), lines[0], u.wrapWidth()), "\n  ")
	paint := u.theme.red
	if f.Warning {
		paint = u.theme.yellow
	}
	b.WriteString(paint(strings.TrimSpace(prefix)) + " " + head + "\n")
	for _, l := range lines[1:] {
		b.WriteString("  " + strings.Join(wrap(l, u.wrapWidth()-2), "\n  ") + "\n")
	}
	if f.Why != "" {
		b.WriteString(u.labelled("  why:  ", cleanLines(f.Why)))
	}
	for i, fix := range f.Fix {
		label := "  fix:  "
		if i > 0 {
			label = "        "
		}
		// A fix is something to paste: it is never broken.
		if i == 0 {
			label = "  " + u.theme.yellow("fix:") + "  "
		}
		b.WriteString(label + Clean(fix) + "\n")
	}
	if f.NoRun {
		b.WriteString("  nothing was run.\n")
	}
	u.say(b.String())
}

// Note writes to stderr what is neither failure nor warning.
func (u *UI) Note(text string) {
	const prefix = "pyrun: "
	u.say(prefix + strings.Join(wrapAfter(len(prefix), cleanLines(text), u.wrapWidth()), "\n  ") + "\n")
}
