package exec

// One sentence the reader can act on. Pure: what it looks at is in clue.
// Words of the script end up in hints only when they are plain names.

import (
	"fmt"
	"strings"
	"time"

	"github.com/pyrun-dev/pyrun/internal/exec/sandbox"
)

// clue is all a hint may rest on.
type clue struct {
	verdict  Verdict
	signal   string
	err      *ScriptError
	tail     string // the end of stderr
	stdout   string
	code     string
	script   string // name of the script's file
	value    bool   // the last expression's value was asked for
	hasFiles bool   // artifacts came out
	stdin    bool   // something was given on stdin
	inputs   []string
	allowed  []pkg
	limits   sandbox.Limits
	most     time.Duration // the longest timeout allowed
	output   int64         // bytes of output allowed
	terminal bool
	beside   func(base string) bool // whether a file of that name lies beside the script
}

// pkg is a package a script may import.
type pkg struct {
	name      string
	imports   []string
	installed bool
	listed    bool // in packages.txt
}

// importName is the name to import it by: of several the first that is not private.
func (p pkg) importName() string {
	for _, name := range p.imports {
		if !strings.HasPrefix(name, "_") {
			return name
		}
	}
	return p.imports[0]
}

// hintFor finds the first hint that fits; the empty string when none does.
func hintFor(c clue) string {
	for _, find := range []func(clue) string{hintLimit, hintSource, hintModule, hintInput, hintResource, hintNetwork, hintFile, hintSilence} {
		if h := find(c); h != "" {
			return h
		}
	}
	return ""
}

// flag is the command line's way to say it, where there is a command line.
func (c clue) flag(text string) string {
	if !c.terminal {
		return ""
	}
	return ": " + text
}

// hintLimit is for runs that were ended from outside.
func hintLimit(c clue) string {
	switch c.verdict {
	case VerdictTimeout:
		if h := hintResource(c); c.err != nil && h != "" { // threads waited for, after the one that could not be started
			return h
		}
		if c.limits.Wall >= c.most {
			return fmt.Sprintf("the time limit of %s was reached, and it is the longest allowed: do less in one run", seconds(c.limits.Wall))
		}
		more := min(max(2*c.limits.Wall, 60*time.Second), c.most)
		return fmt.Sprintf("the time limit of %s was reached; raise the timeout (up to %s)%s", seconds(c.limits.Wall), seconds(c.most), c.flag("--timeout "+seconds(more)))
	case VerdictCPU:
		return fmt.Sprintf("the processor time limit of %s was reached; do less, or raise it%s", seconds(c.limits.CPU), c.flag("--cpu-time "+seconds(2*c.limits.CPU)))
	case VerdictMemory:
		return fmt.Sprintf("the memory limit of %s was reached; work in smaller pieces, or raise it%s", size(c.limits.Memory), c.flag("--memory "+short(2*c.limits.Memory)))
	case VerdictOutput:
		return fmt.Sprintf("more than %s were written to stdout and stderr; print less, or write a file to ARTIFACTS_DIR", size(c.output)) + c.flag("PYRUN_MAX_OUTPUT_TOTAL="+short(4*c.output)+" allows more")
	case VerdictSignal:
		switch c.signal {
		case "SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL":
			return "native code crashed (" + c.signal + "): look for ctypes, an extension module or very deep recursion; Python's own trace is on stderr"
		case "SIGABRT":
			return "the interpreter or a library called abort() (SIGABRT): stderr says why"
		case "SIGSYS":
			return "a system call that no honest program makes was stopped (SIGSYS): code for another architecture"
		}
		return "the script was ended by " + c.signal + ", which came from itself or from a process it started"
	}
	return ""
}

// hintSource is for code that did not arrive as it was meant.
func hintSource(c clue) string {
	if c.err == nil || !strings.HasSuffix(c.err.Type, "SyntaxError") && c.err.Type != "IndentationError" {
		return ""
	}
	switch rule, _ := mangled([]byte(c.code), c.err.Line); {
	case rule == ruleFence:
		return "the code is inside a Markdown fence: " + fixFence
	case rule == ruleNewlines:
		return `the code is one line with \n written out: ` + fixNewlines
	case strings.Contains(c.err.Message, "'await' outside"), strings.Contains(c.err.Message, "'async with' outside"), strings.Contains(c.err.Message, "'async for' outside"):
		return "await works only inside an async function: " + fixAwait
	}
	return ""
}

// hintInput is for a script that asks where nobody answers.
func hintInput(c clue) string {
	if c.stdin || c.err == nil || c.err.Type != "EOFError" || !strings.Contains(c.err.Message, "EOF when reading a line") {
		return ""
	}
	if c.terminal {
		return "input() found stdin empty: pipe the answers in, as in: printf 'Ada\\n' | pyrun run " + quoted(c.script)
	}
	return "input() found stdin empty, for nobody answers here: pass the answers as stdin, or put the values into the code"
}

// hintResource is for limits that a script meets as an error it can catch.
func hintResource(c clue) string {
	said := c.said()
	switch {
	case has(said, "can't start new thread", "Errno 11] Resource temporarily unavailable", "fork: Resource temporarily unavailable", "fork: retry"):
		return fmt.Sprintf("the limit of %d processes and threads was reached%s", c.limits.Processes, c.flag(fmt.Sprintf("--processes %d", 2*c.limits.Processes)))
	case has(said, "Errno 28]", "No space left on device", "Errno 122]"):
		return fmt.Sprintf("the disk limit of %s (or %d files) was reached%s", size(c.limits.Disk), c.limits.Inodes, c.flag("--disk "+short(2*c.limits.Disk)))
	case has(said, "Errno 27]", "File too large"):
		return fmt.Sprintf("the limit of %s for one file was reached%s", size(c.limits.FileSize), c.flag("--file-size "+short(2*c.limits.FileSize)))
	case has(said, "Errno 24]", "Too many open files"):
		return fmt.Sprintf("the limit of %d open files was reached; close what is no longer needed", c.limits.OpenFiles)
	case has(said, "Errno 30]", "Read-only file system"):
		return "only the working directory, /tmp and ARTIFACTS_DIR can be written to; what is to be kept belongs in ARTIFACTS_DIR"
	}
	return ""
}

// hintNetwork keeps people and models from trying again.
func hintNetwork(c clue) string {
	if c.verdict != VerdictError {
		return ""
	}
	if !has(c.said(), "Network is unreachable", "gaierror", "Errno 101]", "URLError", "Name or service not known",
		"Temporary failure in name resolution", "ConnectionError", "NewConnectionError", "ConnectError", "NameResolutionError") {
		return ""
	}
	return "there is no network in this sandbox, by design: retrying will not help; pass the data in" + c.flag("--in FILE")
}

// hintSilence is for scripts that worked and said nothing.
func hintSilence(c clue) string {
	if c.verdict != VerdictOK || c.value || c.stdout != "" || c.tail != "" || c.hasFiles || !endsInExpression(c.code) {
		return ""
	}
	if c.terminal {
		return "nothing was printed: the last line is an expression, so print() it or run with --value"
	}
	return "nothing was printed: the last line is an expression, so print() it"
}

// said is where errors are looked for: the script's own, and the end of stderr.
// A run that went well has none.
func (c clue) said() string {
	if c.verdict == VerdictOK {
		return ""
	}
	if c.err != nil {
		return c.err.Type + ": " + c.err.Message + "\n" + c.tail
	}
	return c.tail
}

func has(s string, any ...string) bool {
	for _, a := range any {
		if strings.Contains(s, a) {
			return true
		}
	}
	return false
}

func seconds(d time.Duration) string {
	return strings.TrimSuffix(fmt.Sprintf("%.3g", d.Seconds()), ".") + "s"
}

// size is a number of bytes in words, short the same as a flag takes it.
func size(n int64) string {
	switch {
	case n >= 1<<30 && n%(1<<30) == 0:
		return fmt.Sprintf("%d GiB", n>>30)
	case n >= 1<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

func short(n int64) string {
	switch {
	case n >= 1<<30 && n%(1<<30) == 0:
		return fmt.Sprintf("%dG", n>>30)
	case n >= 1<<20:
		return fmt.Sprintf("%dM", n>>20)
	}
	return fmt.Sprint(n)
}
