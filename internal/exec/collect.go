package exec

// What is left of a run, as a Result. The tree is dead when this begins.

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"unicode/utf8"

	"github.com/pyrun-dev/pyrun/internal/exec/python"
	"github.com/pyrun-dev/pyrun/internal/exec/sandbox"
)

const (
	maxReport = 64 << 10
	maxValue  = 4 << 10
	hintTail  = 4 << 10 // of stderr, where hints look
)

// result is never nil; the error is a *WriteError, a *FolderError or both.
func (e *Executor) result(r Request, j *job, in *python.Interpreter, done *ended, to outlet) (*Result, error) {
	exit := done.exit
	report := readReport(done.tree.Store())
	res := &Result{
		Stdout: done.out.kept.text(), Stderr: done.err.kept.text(), ExitCode: exitCode(exit),
		RequestID: j.id, Signal: signalName(exit.Signal), Error: toldError(report, exit), Timeout: j.clamped,
		Sandbox: SandboxInfo{
			Backend: string(done.posture.Backend), Layers: done.posture.Layers,
			Memory: done.posture.Memory, Network: string(done.posture.Network),
		},
		Usage: Usage{CPUMS: exit.Usage.CPU.Milliseconds(), PeakMemoryBytes: exit.Usage.PeakMemory},
	}
	if res.Sandbox.Layers == nil {
		res.Sandbox.Layers = []string{}
	}
	if !exit.Released.IsZero() && exit.Ended.After(exit.Released) {
		res.DurationMS = exit.Ended.Sub(exit.Released).Milliseconds()
	}
	res.Verdict = decide(exit, j.limits, res.Error)
	res.TimedOut = res.Verdict == VerdictTimeout
	if exit.Killed != "" && res.Signal == "" {
		res.Signal = signalName(sigKILL)
	}
	if res.Verdict == VerdictOK || res.Verdict == VerdictError {
		if j.value {
			res.Value = clipValue(report.Value)
		}
	}
	if done.out.kept.cut() || done.err.kept.cut() {
		res.Truncated = &Truncated{
			StdoutBytes: done.out.kept.total, StderrBytes: done.err.kept.total,
			stdoutLines: done.out.kept.lines, stderrLines: done.err.kept.lines,
		}
	}
	var failed error
	res.Artifacts, res.Skipped, failed = artifactsOf(done.tree.Store(), e.options, to.sink)
	res.Hint = e.hint(r, j, in, res, string(done.err.kept.end(hintTail)))
	if res.Hint == "" && len(report.Notes) > 0 { // what the harness could not do, in a word it may have been given
		res.Hint = "the harness says: " + shown(report.Notes[0])
	}

	var errs []error
	for _, p := range []*pump{done.out, done.err} {
		if p.failed != nil {
			errs = append(errs, &WriteError{Stream: p.name, Err: p.failed})
		}
	}
	if failed != nil {
		folder := r.Folder
		if folder == "" {
			folder = "the run's folder"
			if own, ok := to.sink.(*runFolder); ok && own.to != nil {
				folder = own.to.path
			}
		}
		errs = append(errs, &FolderError{Folder: folder, Err: failed})
	}
	if len(errs) == 1 {
		return res, errs[0]
	}
	return res, errors.Join(errs...)
}

// readReport reads the harness's word. Anything wrong with it makes it empty:
// it decides nothing.
func readReport(store *os.File) python.Report {
	f, info, err := openPath(store, storeReport+"/"+reportName)
	if err != nil {
		return python.Report{}
	}
	defer f.Close()
	if !info.Mode().IsRegular() {
		return python.Report{}
	}
	report, err := python.ReadReport(io.LimitReader(f, maxReport))
	if err != nil {
		return python.Report{}
	}
	return report
}

// toldError is nil where nothing can have been left uncaught, whatever a script
// has put in the report's place.
func toldError(r python.Report, exit sandbox.Exit) *ScriptError {
	if r.Error == nil || exit.Code == 0 {
		return nil
	}
	return &ScriptError{
		Type: valid(r.Error.Type, 256), Message: valid(r.Error.Message, 2048),
		Line: max(0, r.Error.Line), Code: valid(r.Error.Code, 1024),
	}
}

func valid(s string, most int) string { return clip(toValid([]byte(s)), most) }

// clipValue keeps a repr within 4 KiB, its mark of a cut included.
func clipValue(s string) string {
	s = toValid([]byte(s))
	if len(s) <= maxValue {
		return s
	}
	n := maxValue - 3
	for !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "..."
}

// artifactsOf collects from the store of a dead tree.
func artifactsOf(store *os.File, o Options, to sink) ([]Artifact, []Skipped, error) {
	dir, info, err := openPath(store, storeJob+"/"+storeArtifacts)
	if err == nil && !info.IsDir() {
		dir.Close()
		err = &sandbox.KindError{Mode: info.Mode()}
	}
	if err != nil {
		reason := "the artifacts folder was replaced: " + why(err)
		if errors.Is(err, fs.ErrNotExist) {
			reason = "the artifacts folder was removed"
		}
		return []Artifact{}, []Skipped{{Path: ".", Reason: reason}}, nil
	}
	defer dir.Close()
	c := newCollector(dir, o, to)
	c.collect()
	return c.list, c.skipped, c.failed
}
