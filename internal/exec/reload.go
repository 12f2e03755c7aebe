package exec

// The list of packages that an Executor goes by, which may change while it lives.

import (
	"context"
	"errors"
	"os"

	"github.com/pyrun-dev/pyrun/internal/exec/python"
)

// CheckPackages tells whether data is a list of packages, markers apart, which
// only an interpreter can read. An Executor reads its list again whenever it
// needs it, and goes on with the last good one while the file holds none: this is
// for whoever wants to say so.
func CheckPackages(data []byte) error {
	_, err := python.ParsePackages(string(data))
	return err
}

// listing is what became of a text of packages.txt.
type listing struct {
	file, text string
	err        error        // it is refused
	good       packagesText // the last that was not
}

// wanted is the list for in: the file that is named, else the one beside its
// environment, else the built-in one, without the lines whose marker is not
// true. An interpreter is asked about markers once for each text. What was named
// or lies there and cannot be read is a *PackagesError.
func (e *Executor) wanted(ctx context.Context, in *python.Interpreter) (packagesText, error) {
	list, err := readList(e.options, "", folderOf(in))
	if err != nil {
		return list, err
	}
	before := e.known.Load()
	if before != nil && before.file == list.file && before.text == list.text {
		if before.err != nil {
			return list, before.err
		}
		return before.good, nil
	}
	applied, err := list.applied(ctx, e.choice(nil), in)
	now := &listing{file: list.file, text: list.text, err: err, good: applied}
	if err != nil {
		if !errors.As(err, new(*python.RequirementError)) {
			return list, err // of this moment
		}
		if now.good = (packagesText{}); before != nil {
			now.good = before.good
		}
	}
	e.known.Store(now)
	return applied, err
}

// listed is wanted as normalised names. A list that cannot be read is no reason
// to fail a run that is over: the last good one counts.
func (e *Executor) listed(ctx context.Context, in *python.Interpreter) []string {
	list, err := e.wanted(ctx, in)
	if err != nil {
		list = packagesText{}
		if last := e.known.Load(); last != nil {
			list = last.good
		}
	}
	names := make([]string, 0, len(list.wanted))
	for _, r := range list.wanted {
		names = append(names, r.Name)
	}
	return names
}

// choice says which interpreter runs take.
func (e *Executor) choice(progress func(Progress)) python.Options {
	o := python.Options{
		Path: e.options.Python, Version: e.options.PythonVersion,
		CacheDir: e.options.CacheDir, Getenv: os.Getenv,
	}
	if progress != nil {
		o.Progress = func(what string, done, total int64) { progress(Progress{what, done, total}) }
	}
	return o
}
