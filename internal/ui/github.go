package ui

import (
	"bufio"
	"strconv"
	"strings"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

// GitHub prints findings to stdout as workflow commands, which GitHub shows
// beside the line. Paths are taken as they are: they have to start at the
// repository's root.
func (u *UI) GitHub(r *exec.Report) error {
	w := bufio.NewWriter(u.out)
	for _, d := range r.Diagnostics {
		a := Annotation{Level: "error", File: d.File, Title: "pyrun " + d.Code, Message: d.Message}
		if d.Severity == exec.SeverityNote {
			a.Level = "notice"
		}
		if d.Line > 0 {
			a.Line, a.EndLine = d.Line, d.EndLine
			if d.EndLine == d.Line { // columns of two lines are refused
				a.Column, a.EndColumn = d.Column, d.EndColumn
			}
		}
		if d.Fix != "" {
			a.Message += "\n" + d.Fix
		}
		_, _ = w.WriteString(a.String()) // told by Flush
	}
	return w.Flush()
}

// Annotation is one line that GitHub Actions shows beside the code, or, without
// a file, with the job.
type Annotation struct {
	Level              string // "error", "warning" or "notice"
	File               string // relative to the repository's root; may be empty
	Line, Column       int    // from 1; 0 is not known
	EndLine, EndColumn int
	Title              string
	Message            string
}

// String is the workflow command, with its newline.
func (a Annotation) String() string {
	var props []string
	add := func(name, value string) {
		if value != "" {
			props = append(props, name+"="+githubProperty(value))
		}
	}
	number := func(n int) string {
		if n <= 0 {
			return ""
		}
		return strconv.Itoa(n)
	}
	add("file", a.File)
	add("line", number(a.Line))
	add("endLine", number(a.EndLine))
	add("col", number(a.Column))
	add("endColumn", number(a.EndColumn))
	add("title", a.Title)
	command := "::" + a.Level
	if len(props) > 0 {
		command += " " + strings.Join(props, ",")
	}
	return command + "::" + githubText(a.Message) + "\n"
}

// githubText escapes what would end the command or begin another.
func githubText(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func githubProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(githubText(s))
}
