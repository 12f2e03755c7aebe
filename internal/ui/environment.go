package ui

import (
	"io"
	"strconv"
	"strings"
	"time"

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

// findings prints those of an area, and says whether there were any.
func (p *sheet) findings(area string) {
	for _, f := range p.e.Findings {
		if f.Area == area {
			p.finding(f)
		}
	}
}

func (p *sheet) head(version string) {
	s := p.e.System
	facts := []string{"pyrun " + version, strings.TrimSpace(osName(s.OS) + " " + s.Kernel + " " + s.Arch)}
	if s.UID >= 0 {
		facts = append(facts, "uid "+strconv.Itoa(s.UID))
	}
	line := strings.Join(facts, p.t.dot)
	if displaywidth.String(line) > p.width {
		line = strings.Join(facts, "\n")
	}
	p.b.WriteString(p.t.dim(line) + "\n")
}

func osName(goos string) string {
	switch goos {
	case "linux":
		return "Linux"
	case "darwin":
		return "macOS"
	case "windows":
		return "Windows"
	}
	return goos
}

func (p *sheet) interpreter() {
	p.section("interpreter")
	if in := p.e.Interpreter; in != nil {
		text := "CPython " + in.Version
		if in.Embedded {
			text += ", embedded"
		} else {
			text += ", " + p.u.tilde(in.Path)
		}
		if in.Wanted != "" {
			text += "; " + in.Wanted + " is wanted"
		}
		p.row(p.held, "", text)
	}
	p.findings("interpreter")
}

func (p *sheet) walls() {
	p.section("walls")
	for _, w := range p.e.Walls {
		if w.Held && !ofLimits(w.Name) {
			p.row(p.held, w.Name, w.Detail)
		}
	}
	for _, f := range p.e.Findings {
		if f.Area == "walls" && !ofLimits(f.Wall) {
			p.finding(f)
		}
	}
}

// ofLimits tells the walls that are shown with the numbers they hold.
func ofLimits(name string) bool { return name == "time" || name == "memory" || name == "limits" }

func (p *sheet) limits() {
	stood := map[string]bool{}
	for _, w := range p.e.Walls {
		stood[w.Name] = w.Held
	}
	if len(stood) == 0 {
		return // nothing was tried, and nothing is claimed
	}
	l := p.e.Limits
	p.section("limits")
	row := func(wall, name, text string) {
		if stood[wall] {
			p.row(p.held, name, text)
		}
	}
	row("time", "time", seconds(l.TimeoutSeconds)+" unless asked for more, "+seconds(l.MaxTimeoutSeconds)+" at most")
	if l.Memory == "sampled" && stood["memory"] {
		p.row(p.look, "memory", Limit(l.MemoryBytes)+", watched, not held by the kernel")
		for _, f := range p.e.Findings {
			if f.Area == "limits" && f.Wall == "memory" {
				p.advice(f)
			}
		}
	} else {
		row("memory", "memory", Limit(l.MemoryBytes)+", held by the kernel ("+l.Memory+")")
	}
	row("limits", "disk", Limit(l.DiskBytes)+", no file over "+Limit(l.FileBytes))
	row("limits", "processes", strconv.Itoa(l.Processes)+", each with at most "+strconv.Itoa(l.OpenFiles)+" open files")
	for _, f := range p.e.Findings {
		if f.Area == "limits" && f.Wall == "" || f.Area == "walls" && ofLimits(f.Wall) {
			p.finding(f)
		}
	}
}

// seconds writes a limit as it was set: 30 s, 0.5 s, 5 min.
func seconds(s float64) string {
	if s < 60 {
		return strconv.FormatFloat(s, 'f', -1, 64) + " s"
	}
	return Duration(time.Duration(s * float64(time.Second)))
}

func (p *sheet) packages() {
	p.section("packages")
	wanted, right, there, tried := 0, 0, 0, false
	for _, k := range p.e.Packages {
		if k.Version != "" {
			there++
		}
		if k.Wanted == "" {
			continue
		}
		wanted++
		tried = tried || k.Import != nil
		if k.Satisfied {
			right++
		}
	}
	switch text := strconv.Itoa(right) + " of " + strconv.Itoa(wanted) + " as wanted"; {
	case wanted == 0 && p.e.Interpreter != nil:
		p.row(p.held, "", "none wanted; "+strconv.Itoa(there)+" installed")
	case right > 0 && !tried:
		p.row(p.held, "", text+"   (pyrun check --imports really imports them)")
	case right > 0:
		p.row(p.held, "", text)
	case p.e.Interpreter == nil:
		p.row(p.look, "", "not looked at: there is no interpreter")
	}
	p.findings("packages")
}

// end counts.
func (p *sheet) end() {
	problems, notes := 0, 0
	for _, f := range p.e.Findings {
		if f.Severity == exec.SeverityProblem {
			problems++
		} else {
			notes++
		}
	}
	var parts []string
	if problems > 0 {
		parts = append(parts, plural(problems, "problem"))
	} else {
		parts = append(parts, "no problem")
	}
	if notes > 0 {
		parts = append(parts, plural(notes, "note"))
	}
	p.b.WriteString("\n")
	if line := strings.Join(parts, ", "); problems > 0 {
		p.b.WriteString(p.t.red(line) + "\n")
	} else {
		p.b.WriteString(p.t.green(line) + "\n")
	}
}
