package exec

// What this machine gives: the interpreter, the walls (tried, see attest.go),
// the limits and the packages.

import (
	"cmp"
	"context"
	"errors"
	"os"
	"runtime"
	"strings"

	"github.com/pyrun-dev/pyrun/internal/exec/python"
	"github.com/pyrun-dev/pyrun/internal/exec/sandbox"
)

// Check looks around. What is missing or wrong is a Finding, also when nothing
// can be run here at all; an error is only the context's end, ErrClosed, or ErrBusy
// where the walls could not all be tried within a minute.
func (e *Executor) Check(ctx context.Context, i Inspection) (*Environment, error) {
	if !e.begin() {
		return nil, ErrClosed
	}
	defer e.running.Done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(e.life, cancel)()

	env := e.surroundings()
	in, noWalls, err := e.whatIsHere(ctx, i.Progress)
	switch {
	case ctx.Err() != nil:
		return nil, e.orClosed(ctx.Err())
	case err != nil:
		env.find(findingOf("interpreter", err))
	default:
		env.Interpreter = &InterpreterInfo{Version: in.Version, Path: in.Source, Embedded: in.Embedded, Wanted: e.options.PythonVersion}
	}
	runs := false
	switch {
	case noWalls != nil:
		env.find(findingOf("walls", noWalls))
	case in == nil:
		env.find(Finding{
			Area: "walls", Severity: SeverityNote, Message: "no wall was tried, for there is no interpreter to try it with",
		})
	case e.options.Sandbox == string(sandbox.None):
		runs = true
		env.find(Finding{
			Area: "walls", Severity: SeverityProblem, Message: "there is no wall: a script can read, change and send whatever pyrun can",
			Why: "the sandbox is set to none", Remedy: "leave --sandbox out, or set it to native",
		})
	default:
		if runs, err = e.tryWalls(ctx, env, in); err != nil {
			return nil, e.orClosed(err)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, e.orClosed(err)
	}
	if in != nil {
		e.packages(ctx, env, in)
		if i.Imports && runs {
			e.tryImports(ctx, env, i)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, e.orClosed(err)
	}
	return env, nil
}

// whatIsHere makes what runs need. Without walls there may be an interpreter all the same.
func (e *Executor) whatIsHere(ctx context.Context, progress func(Progress)) (in *python.Interpreter, noWalls, err error) {
	in, err = e.prepare(ctx, progress)
	var built *sandbox.Error
	if !errors.As(err, &built) {
		return in, nil, err
	}
	e.ready <- struct{}{}
	defer func() { <-e.ready }()
	in, err = e.choose(ctx, progress)
	return in, built, err
}

// surroundings is what can be said without trying anything.
func (e *Executor) surroundings() *Environment {
	o := e.options
	env := &Environment{
		System:  System{OS: runtime.GOOS, Arch: runtime.GOARCH, UID: os.Getuid()},
		Sandbox: SandboxInfo{Backend: o.Sandbox, Layers: []string{}, Network: string(o.Network)},
		Walls:   []Wall{}, Packages: []PackageInfo{}, Findings: []Finding{},
		Limits: LimitsInfo{
			TimeoutSeconds: o.DefaultTimeout.Seconds(), MaxTimeoutSeconds: o.MaxTimeout.Seconds(),
			MemoryBytes: o.Limits.Memory, DiskBytes: o.Limits.Disk, FileBytes: o.Limits.FileSize,
			Processes: o.Limits.Processes, OpenFiles: o.Limits.OpenFiles, OutputBytes: o.MaxOutputBytes,
			ArtifactBytes: o.MaxArtifactBytes, InputFileBytes: o.MaxInputBytes, InputFiles: o.MaxInputs,
		},
	}
	if text, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		env.System.Kernel = strings.TrimSpace(string(text))
	}
	return env
}

// tryWalls says whether a script could be run; an error, that this is not known.
func (e *Executor) tryWalls(ctx context.Context, env *Environment, in *python.Interpreter) (bool, error) {
	v, err := e.attest(ctx, in, coldTrial())
	switch {
	case errors.Is(err, ErrBusy), errors.Is(err, ErrClosed), ctx.Err() != nil:
		return false, err
	case err != nil:
		env.find(findingOf("walls", err))
		return false, nil
	}
	env.Sandbox, env.Walls, env.Limits.Memory = v.sandbox, v.walls(), v.sandbox.Memory
	for _, w := range env.Walls {
		if !w.Held {
			env.find(Finding{
				Area: "walls", Wall: w.Name, Severity: SeverityProblem, Message: w.Name + " does not hold: " + w.Detail,
				Why: "the walls were built without an error, and still this was seen", Remedy: "run nothing here that you do not trust",
			})
		}
	}
	if v.sandbox.Memory == "sampled" {
		f := Finding{Area: "limits", Wall: "memory", Severity: SeverityNote, Message: "memory is watched every few milliseconds, not held by the kernel"}
		var told explained
		if errors.As(v.survey.Sampled, &told) {
			f.Why, f.Remedy = told.Explain()
		}
		env.find(f)
	}
	if err := e.tryPool(ctx, in); err != nil {
		f := findingOf("copies", err)
		f.Remedy = cmp.Or(f.Remedy, "none is needed: until a new one holds, every run starts an interpreter behind walls of its own")
		env.find(f)
	}
	return true, nil
}

// explained is an error that knows its likely cause and the way out.
type explained interface {
	error
	Explain() (why, remedy string)
}

// findingOf makes a finding of an error.
func findingOf(area string, err error) Finding {
	f := Finding{Area: area, Severity: SeverityProblem, Message: err.Error()}
	if errors.As(err, new(*python.Error)) {
		f.Area = "interpreter"
	}
	var (
		told  explained
		cache *CacheError
	)
	switch {
	case errors.As(err, &told):
		f.Why, f.Remedy = told.Explain()
	case errors.As(err, &cache):
		f.Remedy = cache.Remedy
	}
	return f
}

func (env *Environment) find(f Finding) {
	env.Findings = append(env.Findings, f)
	if f.Severity == SeverityProblem {
		env.Problems++
	}
}

// Ready says whether scripts can be run here as promised: there is an
// interpreter, and every wall was tried and held. Packages have no part in it.
func (env *Environment) Ready() bool {
	for _, w := range env.Walls {
		if !w.Held {
			return false
		}
	}
	return env.Interpreter != nil && len(env.Walls) > 0
}
