package exec

import (
	"io"
	"iter"
)

// Validation asks what would stop scripts from running here. Nothing of them
// is run; they are parsed by the runtime interpreter behind the same walls as a
// run, because a parser can be attacked too.
type Validation struct {
	// Sources are drawn as they are needed, so that a large tree is never held
	// in memory at once.
	Sources iter.Seq[Source]

	// Done hears of every source that was looked at, in the order of Sources.
	Done func(name string)

	// Progress hears of slow preparations (an interpreter unpacked for the first time).
	Progress func(Progress)

	// Caller says whose turn this is, as for a Request.
	Caller string

	// Admit is asked when it is this one's turn, as for a Request.
	Admit func() error
}

// Source is one text to validate.
type Source struct {
	Name  string   // as its diagnostics name it; empty is code without a file
	Code  []byte   // exactly as it stands in the file
	Local []string // top-level names that it can import from beside it: siblings, inputs
	Err   error    // why it could not be read; Code is then empty and this its only diagnostic

	// Package says that it lies in a package, which relative imports need.
	Package bool
}

// Report is what a Validation found.
type Report struct {
	Python      string       `json:"python"` // version of the interpreter that parsed: "3.14.6"
	Files       int          `json:"files"`
	Problems    int          `json:"problems"` // diagnostics that are no notes
	DurationMS  int64        `json:"duration_ms"`
	Diagnostics []Diagnostic `json:"diagnostics"` // by source, then by place; never nil
}

// First is the first problem; nil when there is none.
func (r *Report) First() *Diagnostic {
	for i := range r.Diagnostics {
		if r.Diagnostics[i].Severity == SeverityProblem {
			return &r.Diagnostics[i]
		}
	}
	return nil
}

// Encode writes the Report as Result.Encode does.
func (r *Report) Encode(w io.Writer, indent string) error {
	return Encode(w, "report", r, indent)
}

// Severity says whether a diagnostic would stop the script.
type Severity string

// A problem would stop the script, or policy would refuse it. A note is good
// to know: an import that may fail because the script is ready for it.
const (
	SeverityProblem Severity = "error"
	SeverityNote    Severity = "note"
)

// Diagnostic is one thing found in one source. Lines and columns count from 1;
// columns count characters (code points). Line 0 is the source as a whole.
type Diagnostic struct {
	File      string   `json:"file"`
	Line      int      `json:"line"`
	Column    int      `json:"column"`
	EndLine   int      `json:"end_line"`
	EndColumn int      `json:"end_column"` // one past the last character
	Code      string   `json:"code"`       // "PYR301", see docs/diagnostics.md
	Severity  Severity `json:"severity"`
	Message   string   `json:"message"` // lower case, no full stop
	Fix       string   `json:"fix,omitempty"`
	Text      string   `json:"text,omitempty"` // the source line at Line, bounded
}
