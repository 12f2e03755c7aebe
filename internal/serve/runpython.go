package serve

import (
	"fmt"
	"strings"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

// runText is a Result as run_python tells it, to the byte: clients read it line
// by line. Every section ends with a line's end; an empty line stands before the trailer.
func runText(r *exec.Result) string {
	var b strings.Builder
	section := func(name, text string) {
		fmt.Fprintf(&b, "--- %s ---\n%s", name, text)
		if text != "" && !strings.HasSuffix(text, "\n") {
			b.WriteByte('\n')
		}
	}
	fmt.Fprintf(&b, "[request_id=%s]\n", r.RequestID)
	section("stdout", r.Stdout)
	if r.Stderr != "" {
		section("stderr", r.Stderr)
	}
	fmt.Fprintf(&b, "\n--- exit_code: %d | duration: %.3fs ---", r.ExitCode, float64(r.DurationMS)/1000)
	if t := r.Timeout; t != nil {
		fmt.Fprintf(&b, "\n--- clamped: asked %gs, allowed %gs ---", t.Requested, t.Effective)
	}
	if r.Truncated != nil {
		fmt.Fprintf(&b, "\n--- truncated: stdout had %d bytes, stderr %d ---", r.Truncated.StdoutBytes, r.Truncated.StderrBytes)
	}
	if r.Verdict != exec.VerdictOK && r.Verdict != exec.VerdictError {
		fmt.Fprintf(&b, "\n--- %s", r.Verdict)
		if r.Signal != "" && r.Verdict == exec.VerdictSignal {
			b.WriteString(": " + r.Signal)
		} else if r.Hint != "" {
			b.WriteString(": " + r.Hint)
		}
		b.WriteString(" ---")
	} else if r.Hint != "" {
		fmt.Fprintf(&b, "\n--- hint: %s ---", r.Hint)
	}
	return b.String()
}
