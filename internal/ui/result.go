package ui

import (
	"strconv"
	"strings"
	"time"

	"github.com/clipperhouse/displaywidth"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

// Outcome is a finished run, with what its Result does not say of itself.
type Outcome struct {
	Result *exec.Result
	Script string // the file's base name; empty for code without one
	Folder string // where artifacts were written; empty when they were not
	Lines  int    // printed before the end

	Memory, Output int64         // the limits that held, in bytes
	Wall, CPU      time.Duration // likewise
}

// Summary says what came of a run. A good run is one dim line, and only on a
// terminal; then artifacts, then what needs a look. With quiet only a limit or
// signal that ended the script is told: the script cannot have said it.
func (u *UI) Summary(o Outcome, quiet bool) {
	r := o.Result
	if r.Verdict == exec.VerdictRejected {
		f := Failure{What: strings.TrimPrefix(strings.TrimSpace(r.Stderr), "pyrun: "), NoRun: true}
		if r.Hint != "" {
			f.Fix = []string{r.Hint}
		}
		u.Fail(f)
		return
	}
	var b strings.Builder
	ok := r.Verdict == exec.VerdictOK
	if r.Value != "" && !quiet {
		b.WriteString(u.value(r.Value))
	}
	switch {
	case ok && u.errTTY && !quiet:
		b.WriteString(u.success(r))
	case !ok:
		b.WriteString(u.ended(o, quiet))
	}
	if !quiet {
		b.WriteString(u.artifacts(o))
		if ok && r.Hint != "" && u.errTTY {
			b.WriteString(u.hint(r.Hint))
		}
	}
	if b.Len() > 0 {
		u.say(b.String())
	}
}

// success is ✓ 14 ms · 9 MB · 2 artifacts.
func (u *UI) success(r *exec.Result) string {
	facts := []string{Duration(time.Duration(r.DurationMS) * time.Millisecond)}
	if r.Usage.PeakMemoryBytes > 0 {
		facts = append(facts, memory(r.Usage.PeakMemoryBytes))
	}
	if n := len(r.Artifacts); n > 0 {
		facts = append(facts, plural(n, "artifact"))
	}
	room := u.width - displaywidth.String(u.theme.held) - 1
	line := strings.Join(facts, u.theme.dot)
	for len(facts) > 1 && displaywidth.String(line) > room {
		facts = facts[:len(facts)-1] // the last says least
		line = strings.Join(facts, u.theme.dot)
	}
	return u.theme.green(u.theme.held) + " " + u.theme.dim(line) + "\n"
}

// memory is rounded: nobody reads the decimals of a peak.
func memory(n int64) string {
	if n < 1e6 {
		return "1 MB"
	}
	if n < 1e9 {
		return strconv.FormatInt((n+5e5)/1e6, 10) + " MB"
	}
	return Size(n)
}

// ended is the block after a run that did not end well. Off a terminal an
// ordinary exit code is told only when there is a hint: the code itself says it.
func (u *UI) ended(o Outcome, quiet bool) string {
	r := o.Result
	hint := r.Hint
	if r.Verdict == exec.VerdictError && (quiet || !u.errTTY && hint == "") {
		return ""
	}
	line := u.fate(o)
	var b strings.Builder
	if u.errTTY {
		if u.screen.wrote && !quiet {
			b.WriteString("\n") // a thought of its own, apart from the traceback
		}
		b.WriteString(u.markLine(line))
	} else {
		b.WriteString("pyrun: " + line + "\n")
	}
	if hint != "" && !quiet {
		b.WriteString(u.hint(hint))
	}
	return b.String()
}

// markLine is ✗ and the line, wrapped under itself.
func (u *UI) markLine(line string) string {
	indent := strings.Repeat(" ", displaywidth.String(u.theme.fail)+1)
	lines := wrap(line, u.width-len(indent))
	return u.theme.red(u.theme.fail) + " " + strings.Join(lines, "\n"+indent) + "\n"
}

// fate is one line: how it ended, after how long, and why.
func (u *UI) fate(o Outcome) string {
	r := o.Result
	after := " after " + Duration(time.Duration(r.DurationMS)*time.Millisecond)
	switch r.Verdict {
	case exec.VerdictTimeout:
		line := "stopped" + after + ": time limit"
		if o.Lines > 0 {
			line += "; " + plural(o.Lines, "line") + were(o.Lines) + " printed before"
		}
		return line
	case exec.VerdictMemory:
		how := "killed"
		if r.ExitCode == 1 { // Python met the limit itself, as a MemoryError
			how = "ended"
		}
		return how + after + ": memory limit" + reached(o.Memory)
	case exec.VerdictCPU:
		line := "killed" + after + ": processor time limit"
		if o.CPU > 0 {
			line += ", " + Duration(o.CPU) + " used up"
		}
		return line
	case exec.VerdictOutput:
		return "killed" + after + ": output limit" + reached(o.Output)
	case exec.VerdictCancelled:
		return "interrupted" + after
	case exec.VerdictSignal:
		return "ended by " + signalName(r) + after
	}
	line := "exit " + strconv.Itoa(r.ExitCode) + after
	if e := r.Error; e != nil && e.Type != "" && e.Type != "SystemExit" {
		line += ": " + Clean(e.Type)
		if e.Line > 0 {
			name := o.Script
			if name == "" {
				name = "line "
			} else {
				name = Clean(name) + ":"
			}
			line += " at " + name + strconv.Itoa(e.Line)
		}
	}
	return line
}

func signalName(r *exec.Result) string {
	if r.Signal != "" {
		return Clean(r.Signal)
	}
	return "signal " + strconv.Itoa(r.ExitCode-128)
}

func reached(limit int64) string {
	if limit <= 0 {
		return ""
	}
	return ", " + Limit(limit) + " reached"
}

func were(n int) string {
	if n == 1 {
		return " was"
	}
	return " were"
}

// hint is the advice below a fact, wrapped under its own first word.
func (u *UI) hint(text string) string {
	return u.labelled("  hint: ", cleanLines(text))
}

// labelled colours the label of a wrapped text.
func (u *UI) labelled(label, text string) string {
	s := labelled(label, text, u.wrapWidth())
	word := strings.TrimSpace(label)
	return strings.Replace(s, word, u.theme.yellow(word), 1)
}

// wrapWidth is the terminal's; in a file lines stay whole, for grep.
func (u *UI) wrapWidth() int {
	if u.errTTY {
		return u.width
	}
	return maxWidth
}

// value is the repr of the script's last expression.
func (u *UI) value(v string) string {
	v = cleanLines(v)
	if !u.errTTY {
		return "pyrun: value: " + strings.ReplaceAll(v, "\n", "\n  ") + "\n"
	}
	return u.theme.dim("value: ") + strings.ReplaceAll(v, "\n", "\n       ") + "\n"
}

// note is one yellow mark and its text.
func (u *UI) note(text string) string {
	label := "pyrun: "
	if u.errTTY {
		label = u.theme.look + " "
	}
	return u.labelled(label, text)
}
