package ui

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

// GitHub prints findings to stdout as workflow commands, which GitHub shows
// beside the line. Paths are taken as they are: they have to start at the
// repository's root.
func (u *UI) GitHub(r *exec.Report) error {
	w := bufio.NewWriter(u.out)
	for _, d := range r.Diagnostics {
		command := "error"
		if d.Severity == exec.SeverityNote {
			command = "notice"
		}
		fmt.Fprintf(w, "::%s file=%s", command, property(d.File))
		if d.Line > 0 {
			fmt.Fprintf(w, ",line=%d,endLine=%d", d.Line, d.EndLine)
			if d.EndLine == d.Line { // columns of two lines are refused
				fmt.Fprintf(w, ",col=%d,endColumn=%d", d.Column, d.EndColumn)
			}
		}
		text := d.Message
		if d.Fix != "" {
			text += "\n" + d.Fix
		}
		fmt.Fprintf(w, ",title=%s::%s\n", property("pyrun "+d.Code), message(text))
	}
	return w.Flush()
}

// message escapes what would end a workflow command.
func message(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

// property escapes what would end a property as well.
func property(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(message(s))
}
