package exec

// Verdict is the fate of a run in one word. It is decided from outside:
// by wait, the cgroup and the clock.
type Verdict string

// The verdicts.
const (
	VerdictOK        Verdict = "ok"
	VerdictError     Verdict = "error" // the script ended by itself with a code that is not 0
	VerdictTimeout   Verdict = "timeout"
	VerdictCPU       Verdict = "cpu"
	VerdictMemory    Verdict = "memory"
	VerdictOutput    Verdict = "output"
	VerdictSignal    Verdict = "signal"
	VerdictCancelled Verdict = "cancelled"
	VerdictRejected  Verdict = "rejected" // policy refused it; nothing was run
)

// Result is what came of a run. Its JSON, in this order, is `pyrun run --json`
// and execute_python's text alike; it is not changed after Execute returns it.
type Result struct {
	Stdout     string     `json:"stdout"`
	Stderr     string     `json:"stderr"`
	ExitCode   int        `json:"exit_code"`
	DurationMS int64      `json:"duration_ms"`
	TimedOut   bool       `json:"timed_out"`
	Artifacts  []Artifact `json:"artifacts"` // never nil

	Verdict   Verdict      `json:"verdict"`
	RequestID string       `json:"request_id"` // 8 hex digits
	Sandbox   SandboxInfo  `json:"sandbox"`
	Usage     Usage        `json:"usage"`
	Value     string       `json:"value,omitempty"`
	Error     *ScriptError `json:"error,omitempty"`
	Signal    string       `json:"signal,omitempty"` // "SIGSEGV"
	Hint      string       `json:"hint,omitempty"`
	Truncated *Truncated   `json:"truncated,omitempty"`
	Skipped   []Skipped    `json:"skipped,omitempty"`
	Timeout   *Timeout     `json:"timeout,omitempty"`
}

// written counts the artifacts that became files.
func (r *Result) written() (n int) {
	for _, a := range r.Artifacts {
		if a.File != "" {
			n++
		}
	}
	return n
}

// bytes is what the Result holds in memory, roughly.
func (r *Result) bytes() int64 {
	if r == nil {
		return 0
	}
	n := len(r.Stdout) + len(r.Stderr)
	for _, a := range r.Artifacts {
		n += len(a.Content)
	}
	return int64(n)
}

// Artifact is a file the script left in ARTIFACTS_DIR. Error stands in place
// of the content when it was too large. Text and Index are for doors that pass
// the content on otherwise; Execute leaves them empty.
type Artifact struct {
	Path      string  `json:"path"`
	MediaType string  `json:"media_type,omitempty"`
	Size      int64   `json:"size"`
	SHA256    string  `json:"sha256,omitempty"`
	Content   []byte  `json:"content_base64,omitzero"` // nil when File or Error stands in its place; an empty file keeps its key
	Text      *string `json:"content_text,omitempty"`
	Index     int     `json:"content_index,omitempty"` // of the image block that holds it
	File      string  `json:"file,omitempty"`          // where it was written, when the request named a folder
	Error     string  `json:"error,omitempty"`
}

// SandboxInfo names the walls that held.
type SandboxInfo struct {
	Backend string   `json:"backend"`
	Layers  []string `json:"layers"`
	Memory  string   `json:"memory"`
	Network string   `json:"network"`
}

// Usage is what the run took. QueueMS, StartMS and Result.DurationMS follow each other and do not overlap.
type Usage struct {
	CPUMS           int64 `json:"cpu_ms"`
	PeakMemoryBytes int64 `json:"peak_memory_bytes"`
	QueueMS         int64 `json:"queue_ms"` // waiting for a free worker
	StartMS         int64 `json:"start_ms"` // from the call to the script's release, without the queue
}

// ScriptError is the uncaught exception as the harness inside told it. It is
// the script's word: bounded, and never what a verdict rests on.
type ScriptError struct {
	Type    string `json:"type"`
	Message string `json:"message"`
	Line    int    `json:"line,omitempty"`
	Code    string `json:"code,omitempty"` // the source line
}

// Truncated counts what was written when not all was kept.
type Truncated struct {
	StdoutBytes int64 `json:"stdout_bytes"`
	StderrBytes int64 `json:"stderr_bytes"`

	stdoutLines, stderrLines int64 // newlines likewise, for whoever cuts again
}

// Skipped is something in ARTIFACTS_DIR that was not returned, and why.
type Skipped struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// Timeout tells that a value was clamped; seconds.
type Timeout struct {
	Requested float64 `json:"requested"`
	Effective float64 `json:"effective"`
}
