package ui

import (
	"bufio"
	"strconv"
	"strings"
	"time"

	"github.com/clipperhouse/displaywidth"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

// Diagnostics prints findings to stdout: where, what, the line with a caret
// under the spot, the fix.
func (u *UI) Diagnostics(r *exec.Report) error {
	p := page{theme: newTheme(u.outColor, u.theme.ellipsis == "…"), shorten: u.shorten, width: maxWidth}
	if u.outTTY {
		p.width = u.width
	}
	p.bar = "│"
	if u.theme.ellipsis != "…" {
		p.bar = "|"
	}
	w := bufio.NewWriter(u.out)
	for i := range r.Diagnostics {
		if i > 0 {
			_ = w.WriteByte('\n')
		}
		_, _ = w.WriteString(p.diagnostic(&r.Diagnostics[i]))
	}
	if len(r.Diagnostics) > 0 && u.outTTY && u.errTTY {
		_ = w.WriteByte('\n') // before Validated
	}
	return w.Flush()
}

// Validated is the last line, on stderr: what the findings come to. A clean run
// is told on a terminal only.
func (u *UI) Validated(r *exec.Report) {
	took := Duration(time.Duration(r.DurationMS) * time.Millisecond)
	files := plural(r.Files, "file")
	notes := ""
	if n := len(r.Diagnostics) - r.Problems; n > 0 {
		notes = u.theme.dot + plural(n, "note")
	}
	switch {
	case r.Problems == 0 && u.errTTY:
		u.say(u.theme.green(u.theme.held) + " " + u.theme.dim(files+notes+" ("+took+")") + "\n")
	case r.Problems == 0:
	case u.errTTY:
		line := plural(r.Problems, "problem") + " in " + strconv.Itoa(faulty(r)) + " of " + files + notes + " (" + took + ")"
		u.say(u.markLine(line))
	default:
		u.say("pyrun: " + plural(r.Problems, "problem") + " in " + strconv.Itoa(faulty(r)) + " of " + files + notes + "\n")
	}
}

// faulty counts the files that have a problem; the report has them one after the other.
func faulty(r *exec.Report) int {
	n, last := 0, ""
	for _, d := range r.Diagnostics {
		if d.Severity == exec.SeverityProblem && (n == 0 || d.File != last) {
			n, last = n+1, d.File
		}
	}
	return n
}

// page is how diagnostics are laid out.
type page struct {
	theme   theme
	shorten func(path string, width int) string
	width   int
	bar     string
}

func (p page) diagnostic(d *exec.Diagnostic) string {
	place := Clean(d.File)
	spot := ""
	if d.Line > 0 {
		spot = ":" + strconv.Itoa(d.Line) + ":" + strconv.Itoa(d.Column)
	}
	code, message := p.theme.red(d.Code), cleanLines(d.Message)
	if d.Severity == exec.SeverityNote {
		code, message = p.theme.yellow(d.Code), "note: "+message
	}
	var b strings.Builder
	used := displaywidth.String(place+spot) + len(d.Code) + 4
	switch lines := wrap(message, max(p.width-used, 1)); {
	case used+displaywidth.String(message) <= p.width, used <= p.width/2:
		b.WriteString(p.theme.bold(place+spot) + "  " + code + "  " + strings.Join(lines, "\n"+strings.Repeat(" ", used)) + "\n")
	default: // the place on a line of its own, so that it stays whole where it can
		b.WriteString(p.theme.bold(p.shorten(place, max(p.width-displaywidth.String(spot), 8))+spot) + "\n")
		indent := len(d.Code) + 4
		b.WriteString("  " + code + "  " + strings.Join(wrap(message, max(p.width-indent, 8)), "\n"+strings.Repeat(" ", indent)) + "\n")
	}
	b.WriteString(p.excerpt(d))
	return b.String()
}

// excerpt is the source line, the caret and the fix; the fix alone where there is no line.
func (p page) excerpt(d *exec.Diagnostic) string {
	fix := cleanLines(d.Fix)
	if strings.TrimSpace(d.Text) == "" {
		if fix == "" {
			return ""
		}
		return "    " + strings.Join(wrap(fix, p.width-4), "\n    ") + "\n"
	}
	number := padLeft(strconv.Itoa(d.Line), 5)
	room := max(p.width-len(number)-3, 8)
	end := d.EndColumn
	if d.EndLine > d.Line {
		end = 0 // to the end of the line
	}
	line, from, to := cut(d.Text, d.Column, end, room, p.theme.ellipsis)
	gutter := strings.Repeat(" ", len(number)) + " " + p.theme.dim(p.bar) + " "
	text := p.theme.dim(number+" "+p.bar) + " " + line + "\n"
	paint := p.theme.red
	if d.Severity == exec.SeverityNote {
		paint = p.theme.yellow
	}
	carets := strings.Repeat(" ", from) + paint(strings.Repeat("^", to-from))
	switch {
	case fix == "":
		return text + gutter + carets + "\n"
	case to+1+displaywidth.String(fix) <= room:
		return text + gutter + carets + " " + fix + "\n"
	}
	return text + gutter + carets + "\n" + gutter + strings.Join(wrap(fix, room), "\n"+gutter) + "\n"
}
