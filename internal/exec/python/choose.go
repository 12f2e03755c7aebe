// Which interpreter it is.

package python

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// systemPython is the interpreter of an image that was built for pyrun.
const systemPython = "/opt/code-tools-env/bin/python"

// Options chooses an interpreter. Zero values are the defaults.
type Options struct {
	Path     string                               // of an executable; a bare name is looked up in PATH; empty chooses
	Version  string                               // "3.13": any other is an error
	CacheDir string                               // empty is pyrun's folder in the user's cache
	Getenv   func(string) string                  // nil is os.Getenv
	Progress func(what string, done, total int64) // hears of slow steps; total 0 means not known; nil is silent
}

func (o Options) env(name string) string {
	if o.Getenv == nil {
		return os.Getenv(name)
	}
	return o.Getenv(name)
}

// Choose takes Options.Path, else the variable CODE_TOOLS_PYTHON, else
// /opt/code-tools-env/bin/python where that exists, else the environment that
// Install made at Place, else the interpreter that comes with pyrun. What is there
// and cannot be used is an *Error; nothing else is then tried. The first start of
// an interpreter takes 50 ms and more (the embedded one: seconds, with progress),
// later ones a few stats.
func Choose(ctx context.Context, o Options) (*Interpreter, error) {
	r, err := choose(ctx, o)
	if err != nil {
		return nil, err
	}
	i := r.Interpreter
	i.Sites = r.Sites
	if err := checkVersion(&i, o.Version); err != nil {
		return nil, err
	}
	i.EnvOutside = systemEnv(o.env)
	addData(&i, r.CAFile, r.Sites)
	return &i, nil
}

func choose(ctx context.Context, o Options) (*record, error) {
	if path := o.named(); path != "" {
		return named(ctx, o, path)
	}
	if r, found, err := installed(ctx, o); found {
		return r, err
	}
	return embedded(ctx, o)
}

// named is the interpreter that somebody asked for, or that the image has.
func (o Options) named() string {
	if o.Path != "" {
		return o.Path
	}
	if path := o.env("CODE_TOOLS_PYTHON"); path != "" {
		return path
	}
	if rootIsSafe {
		if _, err := os.Lstat(systemPython); err == nil {
			return systemPython
		}
	}
	return ""
}

// named is an interpreter of this machine.
func named(ctx context.Context, o Options, path string) (*record, error) {
	path, err := locate(path)
	if err != nil {
		return nil, err
	}
	dir, noDir := cacheDir(o)
	if noDir == nil {
		if r := loadRecord(dir, path); r != nil && r.current(dir) {
			return r, nil
		}
	}
	r, err := findOut(ctx, o, path)
	if err != nil {
		return nil, err
	}
	if noDir == nil {
		r.store(dir)
	}
	return r, nil
}

// locate is the whole path of a program.
func locate(path string) (string, error) {
	if !strings.ContainsRune(path, filepath.Separator) {
		found, err := exec.LookPath(path)
		if err != nil {
			return "", &Error{Name: path, Kind: ErrMissing, Msg: "is not in PATH", Remedy: "give its whole path with --python"}
		}
		path = found
	}
	whole, err := filepath.Abs(path)
	if err != nil {
		return "", &Error{Name: path, Kind: ErrUnusable, Msg: "find it", Err: err}
	}
	return whole, nil
}

// findOut looks at an interpreter that nothing is remembered of.
func findOut(ctx context.Context, o Options, path string) (*record, error) {
	root, c, isEnvironment := readConfig(path)
	if c.base != "" {
		return overBase(ctx, o, root, path, c)
	}
	if made := madeAround(path); made != "" {
		return nil, environmentError(made, "is not to be started by "+path, nil)
	}
	f, err := probe(ctx, path, probeTime)
	if err != nil {
		return nil, err
	}
	if err := c.fits(root, f.Version); err != nil {
		return nil, err
	}
	r := describe(f, path, "")
	if isEnvironment {
		r.Interpreter.Environment = root
	}
	return r, nil
}

// describe makes the record of an interpreter of this machine; made is the
// environment that pyrun made of which it is, or empty.
func describe(f *facts, path, made string) *record {
	i := Interpreter{Path: f.Executable, Source: path, Base: f.Real, Version: f.Version, Prefix: f.Prefix}
	i.Harness, i.HarnessName = f.Harness, harnessCompiled
	if len(f.Harness) == 0 {
		i.Harness, i.HarnessName = harness(), harnessSource
	}
	addPrefixes(&i, f, made)
	i.Packages = findPackages(f.Sites)
	stamps := []stamp{stampOf(path), stampOf(f.Real), stampOf(filepath.Join(f.Prefix, "pyvenv.cfg")), stampOf(loaderCache)}
	for _, dir := range append(append([]string{}, f.Sites...), f.Dynload...) {
		stamps = append(stamps, stampOf(dir))
	}
	return &record{Schema: recordSchema, Print: harnessPrint(), Path: path, Stamps: stamps, CAFile: f.CAFile, Sites: f.Sites, Interpreter: i}
}

// checkVersion compares as many parts as were asked for.
func checkVersion(i *Interpreter, want string) error {
	want = strings.TrimSpace(want)
	if want == "" || i.Version == want || strings.HasPrefix(i.Version, want+".") {
		return nil
	}
	return &Error{
		Name: i.Source, Kind: ErrVersion, Msg: fmt.Sprintf("is CPython %s, and %s was asked for", i.Version, want),
		Remedy: "give a CPython " + want + " with --python, or change python_version",
	}
}
