package exec

// Inline script metadata as policy: packages are a matter of build time, so a
// script that asks for its own is refused before anything is started.

import (
	"strings"

	"github.com/pyrun-dev/pyrun/internal/exec/python"
)

// refuseDependencies refuses what can be refused without an interpreter.
func (e *Executor) refuseDependencies(j *job) (*Result, error) {
	meta, err := python.ParseMetadata(j.code)
	if err != nil {
		return e.refusal(j, "the inline script metadata cannot be read: %v", err), nil
	}
	if meta == nil || len(meta.Dependencies) == 0 {
		return nil, nil
	}
	names := make([]string, 0, len(meta.Dependencies))
	for _, d := range meta.Dependencies {
		names = append(names, shown(d))
	}
	return e.refusal(j, "%s:%d: inline dependencies are refused: %s\n"+
		"packages are installed at build time from packages.txt, never by a script; remove the dependencies line",
		shown(j.name), meta.Line, clip(strings.Join(names, ", "), 2048)), nil
}

// refuseVersion refuses a script that asks for another Python than there is.
func (e *Executor) refuseVersion(j *job, in *python.Interpreter) (*Result, error) {
	meta, err := python.ParseMetadata(j.code)
	if err != nil || meta == nil || meta.RequiresPython == "" {
		return nil, nil // an error was refused before
	}
	ok, err := meta.Allows(in.Version)
	if err != nil {
		return e.refusal(j, "%s:%d: requires-python cannot be read: %v", shown(j.name), meta.Line, err), nil
	}
	if !ok {
		return e.refusal(j, "%s:%d: the script requires Python %s, but this is %s\n"+
			"choose another interpreter with --python, or change requires-python",
			shown(j.name), meta.Line, shown(meta.RequiresPython), in.Version), nil
	}
	return nil, nil
}
