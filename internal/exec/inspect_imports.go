package exec

// Packages are really imported: one may be installed as it should be and fail
// to load, or take more than a run has.

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
)

// tryImports imports every wanted package that is installed, each in a run of its own.
func (e *Executor) tryImports(ctx context.Context, env *Environment, i Inspection) {
	var todo []*PackageInfo
	for k := range env.Packages {
		if p := &env.Packages[k]; p.Wanted != "" && p.Version != "" {
			todo = append(todo, p)
		}
	}
	var (
		group errgroup.Group
		mu    sync.Mutex
		done  int
	)
	group.SetLimit(e.options.MaxWorkers)
	for _, p := range todo {
		group.Go(func() error {
			p.Import = e.importPackage(ctx, *p, i.Progress)
			mu.Lock()
			defer mu.Unlock()
			if done++; i.Imported != nil {
				i.Imported(done, len(todo))
			}
			return nil
		})
	}
	_ = group.Wait() // failures are what is found
	for _, p := range todo {
		if p.Import != nil && !p.Import.OK {
			env.find(Finding{
				Area: "imports", Severity: SeverityProblem, Package: p.Name,
				Message: fmt.Sprintf("%s %s is installed and does not import: %s", p.Name, p.Version, p.Import.Error),
				Remedy:  "pyrun run -c 'import " + strings.Join(importable(*p), ", ") + "'",
			})
		}
	}
}

func (e *Executor) importPackage(ctx context.Context, p PackageInfo, progress func(Progress)) *Import {
	var code strings.Builder
	for _, name := range importable(p) {
		fmt.Fprintf(&code, "__import__(%s)\n", strconv.QuoteToASCII(name))
	}
	off := false
	res, err := e.patient(ctx, Request{Code: []byte(code.String()), Name: "import.py", Figures: &off, Progress: progress})
	if res == nil {
		return &Import{Error: err.Error()}
	}
	got := &Import{OK: res.Verdict == VerdictOK, DurationMS: res.DurationMS, PeakMemoryBytes: res.Usage.PeakMemoryBytes}
	if !got.OK {
		got.Error = e.whyNot(res)
	}
	return got
}

// whyNot is the traceback's last line, or the limit that ended the import.
func (e *Executor) whyNot(res *Result) string {
	switch res.Verdict {
	case VerdictError:
		if res.Error != nil {
			first, _, _ := strings.Cut(res.Error.Message, "\n")
			return clip(shown(res.Error.Type+": "+first), 200)
		}
		if line := lastLine(res.Stderr); line != "" {
			return clip(shown(line), 200)
		}
		return "it ends the interpreter with code " + strconv.Itoa(res.ExitCode)
	case VerdictMemory:
		return fmt.Sprintf("it takes more than the %d MiB of memory that a run has", e.options.Limits.Memory>>20)
	case VerdictTimeout:
		return fmt.Sprintf("it takes longer than the %v that a run has", e.options.DefaultTimeout)
	case VerdictSignal:
		return "it ends the interpreter with " + res.Signal
	}
	return "it was ended: " + string(res.Verdict)
}

// importable are the names a script would import: the package's own, without
// private ones and without the tests and papers that some install beside them.
func importable(p PackageInfo) []string {
	names := slices.DeleteFunc(slices.Clone(p.Imports), func(name string) bool {
		switch name {
		case "test", "tests", "testing", "doc", "docs", "example", "examples", "benchmark", "benchmarks", "conftest", "setup":
			return true
		}
		return strings.HasPrefix(name, "_")
	})
	if len(names) == 0 {
		return p.Imports
	}
	return names
}
