package main

import (
	"errors"
	"strconv"
	"strings"

	"github.com/pyrun-dev/pyrun/internal/config"
	"github.com/pyrun-dev/pyrun/internal/exec"
	"github.com/pyrun-dev/pyrun/internal/ui"
)

// explained is what an error of the lower floors may tell beside its text.
type explained interface {
	Explain() (why, remedy string)
}

// fail says what went wrong, once, and gives the exit code.
func (d *door) fail(err error) int {
	code := errorCode(err)
	if code == exitPipe {
		return code // nobody is there to read about it
	}
	f := ui.Failure{What: err.Error()}
	var (
		mistake *usageMistake
		request *exec.RequestError
		cache   *exec.CacheError
		write   *exec.WriteError
		folder  *exec.FolderError
		pkgs    *exec.PackagesError
		lower   explained
	)
	switch {
	case errors.As(err, &mistake):
		f.Fix = one(mistake.hint)
	case errors.As(err, &request):
		f.Fix, f.NoRun = one(request.Hint), true
	case errors.Is(err, config.ErrInvalid):
	case errors.As(err, &write):
		f.What = "write " + write.Stream + ": " + reason(write.Err)
	case errors.As(err, &folder):
		// The run is over, and its summary has been printed.
		f.Fix = one("write them elsewhere with --out DIR")
	case errors.As(err, &pkgs):
		f.Why, f.Fix = pkgs.Why, one(pkgs.Remedy)
	case errors.As(err, &cache):
		f.Fix, f.NoRun = one(cache.Remedy), true
	case errors.As(err, &lower):
		why, remedy := lower.Explain()
		f.Why, f.Fix, f.NoRun = why, one(remedy), true
	default:
		f.NoRun = true
	}
	d.ui.Fail(f)
	return code
}

func one(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, "\n")
}

// named puts the flag that was typed in place of a request's field.
func (d *door) named(err error, r exec.Request) error {
	var e *exec.RequestError
	if !errors.As(err, &e) {
		return err
	}
	name := e.Field
	switch {
	case name == "code" && r.Name != "":
		name = r.Name
	case name == "code" && d.line.command == "run" && len(d.line.words) == 0:
		name = "-c"
	case name == "code":
		name = "the script on stdin"
	case name == "folder":
		name = "--out"
	case strings.HasPrefix(name, "inputs"):
		name = "--in"
		if i, err := strconv.Atoi(between(e.Field, "[", "]")); err == nil && i < len(r.Inputs) {
			name += " " + r.Inputs[i].Path
			if strings.HasSuffix(e.Field, ".name") && !strings.HasSuffix(r.Inputs[i].Path, r.Inputs[i].Name) {
				name += "=" + r.Inputs[i].Name
			}
		}
	case strings.HasPrefix(name, "env"):
		name = "--env" + strings.Replace(strings.TrimPrefix(name, "env"), ".", " ", 1)
	case strings.HasPrefix(name, "args"):
		name = "arguments after --"
	case name == "timeout", name == "memory", name == "disk", name == "processes", name == "sandbox", name == "network", name == "python":
		name = "--" + name
	case name == "cpu_time", name == "file_size":
		name = "--" + strings.ReplaceAll(name, "_", "-")
	}
	return &exec.RequestError{Field: name, Msg: e.Msg, Hint: e.Hint}
}

func between(s, from, to string) string {
	_, s, _ = strings.Cut(s, from)
	s, _, _ = strings.Cut(s, to)
	return s
}
