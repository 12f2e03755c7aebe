package ui

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/clipperhouse/displaywidth"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

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
	case wanted == 0 && p.wrong("packages"):
		// a list that cannot be read wants nothing: the finding is all that can be said
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

// wrong says whether there is a problem in an area.
func (p *sheet) wrong(area string) bool {
	return slices.ContainsFunc(p.e.Findings, func(f exec.Finding) bool {
		return f.Area == area && f.Severity == exec.SeverityProblem
	})
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
