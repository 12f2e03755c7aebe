package ui

import (
	"io"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

// Environment prints what a check found to stdout: a section for each area,
// what holds in one line each, what does not with its reason and its remedy.
// With quiet only problems are printed. version is pyrun's own.
func (u *UI) Environment(e *exec.Environment, version string, quiet bool) error {
	p := &sheet{u: u, t: newTheme(u.outColor, u.theme.ellipsis == "…"), e: e, width: u.width}
	if !u.outTTY {
		p.width = maxWidth
	}
	if quiet {
		for _, f := range e.Findings {
			if f.Severity == exec.SeverityProblem {
				p.finding(f)
			}
		}
		_, err := io.WriteString(u.out, p.b.String())
		return err
	}
	p.head(version)
	p.interpreter()
	p.walls()
	p.limits()
	p.packages()
	p.imports()
	p.end()
	_, err := io.WriteString(u.out, p.b.String())
	return err
}

// sheet is the page while it is written.
type sheet struct {
	u     *UI
	t     theme
	e     *exec.Environment
	b     strings.Builder
	width int
	label string // of the section, until its first row
	gap   int    // columns before a row's mark
}

const (
	labelColumn = 14 // "interpreter" and a gap
	nameColumn  = 14 // "interpreter"'s peer among the rows: "inheritance"
	narrow      = 60 // below it labels stand on a line of their own
)

func (p *sheet) section(label string) {
	p.b.WriteString("\n")
	p.label, p.gap = label, labelColumn
	if p.width < narrow {
		p.b.WriteString(p.t.bold(label) + "\n")
		p.label, p.gap = "", 2
	}
}

// row is a mark, a name, and what is so.
func (p *sheet) row(mark func() string, name, text string) {
	first := p.t.bold(pad(p.label, p.gap))
	if p.label == "" {
		first = strings.Repeat(" ", p.gap)
	}
	p.label = ""
	indent := p.gap + displaywidth.String(p.t.held) + 1
	switch {
	case name != "" && p.width < narrow:
		name += "\n" + strings.Repeat(" ", p.gap+4)
		indent += 2
	case name != "":
		name = pad(name, nameColumn)
		indent += nameColumn
	}
	p.b.WriteString(first + mark() + " " + name)
	lines := wrap(Clean(text), max(p.width-indent, 12))
	p.b.WriteString(strings.TrimRight(strings.Join(lines, "\n"+strings.Repeat(" ", indent)), " ") + "\n")
}

func (p *sheet) held() string { return p.t.green(p.t.held) }
func (p *sheet) look() string { return p.t.yellow(p.mark(p.t.look)) }
func (p *sheet) fail() string { return p.t.red(p.mark(p.t.fail)) }

// mark makes all marks as wide as the widest, which is a word where there is no Unicode.
func (p *sheet) mark(s string) string { return pad(s, displaywidth.String(p.t.held)) }

func (p *sheet) finding(f exec.Finding) {
	mark := p.fail
	if f.Severity == exec.SeverityNote {
		mark = p.look
	}
	p.row(mark, "", f.Message)
	p.advice(f)
}

// advice is why, and what to do. What can be pasted is never broken.
func (p *sheet) advice(f exec.Finding) {
	indent := strings.Repeat(" ", p.gap+displaywidth.String(p.t.held)+1)
	if f.Why != "" {
		s := labelled("why: ", Clean(f.Why), max(p.width-len(indent), 16))
		for line := range strings.Lines(s) {
			p.b.WriteString(indent + p.t.dim(strings.TrimRight(line, "\n")) + "\n")
		}
	}
	if f.Remedy != "" {
		p.b.WriteString(indent + p.t.yellow("fix:") + " " + Clean(f.Remedy) + "\n")
	}
}

// findings prints those of an area. One remedy for several stands below the last.
func (p *sheet) findings(area string) {
	var list []exec.Finding
	for _, f := range p.e.Findings {
		if f.Area == area {
			list = append(list, f)
		}
	}
	for i, f := range list {
		if i+1 < len(list) && list[i+1].Remedy == f.Remedy && f.Why == "" {
			f.Remedy = ""
		}
		p.finding(f)
	}
}
