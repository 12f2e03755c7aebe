package exec

// Packages: environments are made, locked, shown and verified at build time,
// when somebody asks for it by name. No request comes here.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pyrun-dev/pyrun/internal/exec/python"
)

// Packages makes and reads the environment that runs use. Of its options count
// Python, PythonVersion, PackagesFile, BuiltinPackages and CacheDir.
type Packages struct{ options Options }

// NewPackages does nothing else.
func NewPackages(o Options) *Packages { return &Packages{o} }

// PackagesRequest asks for one of Packages' works. Relative paths count from Dir.
type PackagesRequest struct {
	Dir       string   // where packages.txt is looked for
	Target    string   // folder of the environment; empty is the one that runs use
	IndexURL  string   // empty is PIP_INDEX_URL, or pip's default
	FindLinks []string // folders with wheels, or URLs of pages that link to some
	NoIndex   bool     // FindLinks only
	NoLock    bool     // Install: as if there were no lock
	Output    string   // Lock: empty is beside packages.txt
	Once      bool     // Options.Python was named for this work alone, not for runs

	// Progress hears of the steps.
	Progress func(Progress)
}

// Install makes an environment from the list, by pip and from wheels only, and
// puts it in place when it is whole. It reaches for the network. A lock beside
// the list is followed. Errors are *PackagesError, or ctx's own.
func (p *Packages) Install(ctx context.Context, r PackagesRequest) (*Installed, error) {
	start := time.Now()
	list, err := p.list(r)
	if err != nil {
		return nil, err
	}
	in := p.installation(r, list.text)
	lock := ""
	if list.file != "" && !r.NoLock {
		if text, err := readText(lockBeside(list.file)); err == nil {
			lock, in.Lock = lockBeside(list.file), text
		} else if !errors.Is(err, os.ErrNotExist) {
			return nil, unreadable(list.show(lockBeside(list.file)), err)
		}
	}
	env, err := python.Install(ctx, in)
	if err != nil {
		return nil, p.explain(ctx, err, list, lock)
	}
	done := &Installed{
		Environment: env.Dir, Python: env.Python, Version: env.Version, Embedded: env.Embedded,
		List: list.file, Lock: lock, Packages: compare(env.Wanted, env.Packages), DurationMS: time.Since(start).Milliseconds(),
	}
	runs := p.choice(r, "")
	if r.Once {
		runs.Path = ""
	}
	if now, err := python.Choose(ctx, runs); err == nil {
		done.InUse = now.Environment == env.Dir
	}
	return done, nil
}

// Lock writes which files satisfy the list, with their hashes. Errors are those of Install.
func (p *Packages) Lock(ctx context.Context, r PackagesRequest) (*LockedPackages, error) {
	list, err := p.list(r)
	if err != nil {
		return nil, err
	}
	if !list.own {
		return nil, &PackagesError{
			Msg: "there is no packages.txt here to lock", Refused: true,
			Remedy: "write one, or name it: pyrun packages lock --packages-file FILE",
		}
	}
	file := lockBeside(list.file)
	if r.Output != "" {
		file = r.abs(r.Output)
	}
	if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() {
		return nil, &PackagesError{Msg: file + " is no file", Refused: true, Remedy: "name one with --output FILE"}
	}
	locked, err := python.Lock(ctx, p.installation(r, list.text))
	if err != nil {
		return nil, p.explain(ctx, err, list, "")
	}
	if err := replaceFile(file, locked.Text); err != nil {
		return nil, &PackagesError{Msg: "write the lock: " + err.Error(), Err: err, Remedy: "name another file with --output FILE"}
	}
	return &LockedPackages{Lock: file, List: list.file, Packages: compare(locked.Wanted, locked.Packages)}, nil
}

// List shows what is wanted and what is installed. Errors are those of Install.
func (p *Packages) List(ctx context.Context, r PackagesRequest) (*PackageList, error) {
	o := p.choice(r, r.Target)
	in, err := python.Choose(ctx, o)
	if err != nil {
		return nil, p.explain(ctx, err, packagesText{}, "")
	}
	list, err := readList(p.options, r.Dir, folderOf(in))
	if err == nil {
		list, err = list.applied(ctx, o, in)
	}
	if err != nil {
		return nil, p.explain(ctx, err, list, "")
	}
	return &PackageList{
		Environment: in.Environment, Python: in.Source, Version: in.Version, Embedded: in.Embedded,
		List: list.file, Packages: compare(list.wanted, in.Packages),
	}, nil
}

// Verify compares every installed file with the hash it was installed with. It
// runs none of them. Damage is no error; errors are those of Install.
func (p *Packages) Verify(ctx context.Context, r PackagesRequest) (*Verification, error) {
	v, err := python.Verify(ctx, p.choice(r, r.Target))
	if r.Target != "" && errors.Is(err, python.ErrMissing) {
		return nil, &PackagesError{Msg: "there is no environment at " + r.abs(r.Target), Err: err, Remedy: "make it: pyrun packages install --target " + r.Target, Refused: true}
	}
	if err != nil {
		return nil, p.explain(ctx, err, packagesText{}, "")
	}
	found := &Verification{Environment: v.Dir, Packages: v.Packages, Files: v.Files, Unhashed: v.Unhashed, Damage: []Damage{}}
	for _, d := range v.Damage {
		found.Damage = append(found.Damage, Damage(d))
	}
	return found, nil
}

// choice says which interpreter: that of the environment at target, or the one that runs take.
func (p *Packages) choice(r PackagesRequest, target string) python.Options {
	o := python.Options{Path: p.options.Python, Version: p.options.PythonVersion, CacheDir: p.options.CacheDir, Getenv: os.Getenv}
	if target != "" {
		o.Path = filepath.Join(r.abs(target), "bin", "python")
	}
	if r.Progress != nil {
		o.Progress = func(what string, done, total int64) { r.Progress(Progress{what, done, total}) }
	}
	return o
}

func (p *Packages) installation(r PackagesRequest, list string) python.Installation {
	in := python.Installation{Options: p.choice(r, ""), List: list, Index: python.Index{URL: r.IndexURL, None: r.NoIndex}}
	if r.Target != "" {
		in.Target = r.abs(r.Target)
	}
	for _, link := range r.FindLinks {
		if !strings.Contains(link, "://") {
			link = r.abs(link)
		}
		in.Index.FindLinks = append(in.Index.FindLinks, link)
	}
	return in
}

func (r PackagesRequest) abs(path string) string {
	if filepath.IsAbs(path) || r.Dir == "" {
		return path
	}
	return filepath.Join(r.Dir, path)
}

// explain gives an error of the language root its remedy.
func (p *Packages) explain(ctx context.Context, err error, list packagesText, lock string) error {
	var (
		told  *PackagesError
		line  *python.RequirementError
		stale *python.LockError
		pip   *python.PackagesError
		other *python.Error
	)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &told):
		return told
	case errors.As(err, &line):
		return list.wrong(line)
	case errors.As(err, &stale):
		return &PackagesError{
			Msg: list.show(lock) + " " + stale.Msg, Refused: true, Err: err,
			Remedy: "pyrun packages lock\npyrun packages install --no-lock    # takes what fits packages.txt today",
		}
	case errors.As(err, &pip):
		return &PackagesError{Msg: pip.Error(), Why: strings.Join(pip.Said, "\n"), Remedy: pip.Remedy, Refused: pip.Refused, Err: err}
	case errors.As(err, &other):
		remedy := other.Remedy
		bare := *other
		bare.Remedy = ""
		return &PackagesError{Msg: bare.Error(), Remedy: remedy, Err: err}
	}
	return &PackagesError{Msg: fmt.Sprintf("packages: %v", err), Err: err}
}
