package exec

// Where hints get what they know: the request, the result, the packages.

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/pyrun-dev/pyrun/internal/exec/python"
)

func (e *Executor) hint(r Request, j *job, in *python.Interpreter, res *Result, tail string) string {
	c := clue{
		verdict: res.Verdict, signal: res.Signal, err: res.Error, tail: toValid([]byte(tail)), stdout: res.Stdout,
		code: string(j.code), script: j.name, value: j.value, hasFiles: len(res.Artifacts)+len(res.Skipped) > 0,
		stdin: j.stdin != nil, limits: j.limits, most: e.options.MaxTimeout, output: e.options.MaxOutputTotal,
		terminal: r.Terminal,
	}
	for _, i := range j.inputs {
		c.inputs = append(c.inputs, i.Name)
	}
	if res.Verdict == VerdictError {
		c.allowed = e.allowed(e.life, in)
	}
	if r.Dir != "" {
		c.beside = func(base string) bool {
			if base != filepath.Base(base) || !filepath.IsLocal(base) {
				return false
			}
			info, err := os.Lstat(filepath.Join(r.Dir, base))
			return err == nil && info.Mode().IsRegular()
		}
	}
	return hintFor(c)
}

// allowed is what is installed, and what is on the list but not installed.
func (e *Executor) allowed(ctx context.Context, in *python.Interpreter) []pkg {
	listed := map[string]bool{}
	for _, name := range e.listed(ctx, in) {
		listed[name] = true
	}
	var all []pkg
	for _, d := range in.Packages {
		name := python.NormalName(d.Name)
		all = append(all, pkg{name: d.Name, imports: d.Imports, installed: true, listed: listed[name]})
		delete(listed, name)
	}
	for _, name := range slices.Sorted(maps.Keys(listed)) {
		all = append(all, pkg{name: name, listed: true})
	}
	return all
}
