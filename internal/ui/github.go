package ui

import (
	"strconv"
	"strings"
)

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
