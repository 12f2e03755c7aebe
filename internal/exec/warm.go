package exec

// Which requests a warm copy can serve, and what it is told. All others start
// cold; the Result of one is that of the other.

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/pyrun-dev/pyrun/internal/exec/python"
	"github.com/pyrun-dev/pyrun/internal/exec/sandbox"
)

// preloaded is what a zygote loads when it is not told otherwise: what scripts
// use most, and what that needs.
var preloaded = [...]string{
	"os", "io", "re", "json", "math", "random", "time", "datetime", "collections", "itertools", "functools",
	"dataclasses", "typing", "enum", "string", "textwrap", "copy", "operator", "pathlib", "csv", "statistics",
	"decimal", "traceback", "linecache", "threading",
}

// preloadPackages is the word for the import names of all installed packages.
const preloadPackages = "packages.txt"

// forkless are packages that a copy must load for itself: they start threads or
// hold handles that it would lack, or change how Python imports.
var forkless = [...]string{
	"polars", "pyarrow", "grpc", "torch", "tensorflow", "jax", "ray", "cv2",
	"pip", "setuptools", "pkg_resources", "_distutils_hack", "wheel",
}

// modules is what a zygote for in loads.
func (o Options) modules(in *python.Interpreter, without []string) []string {
	var list []string
	for _, word := range o.Preload {
		if word != preloadPackages {
			list = append(list, word)
			continue
		}
		list = append(list, preloaded[:]...)
		for _, d := range in.Packages {
			list = append(list, d.Imports...)
		}
	}
	return slices.DeleteFunc(list, func(name string) bool {
		return slices.Contains(without, name) || slices.Contains(forkless[:], name)
	})
}

// zygoteJob is a job as every copy's policy is made for.
func (o Options) zygoteJob() (*job, error) {
	r := Request{Code: []byte("pass")}
	r.Limits.CPU = o.Limits.CPU
	if r.Limits.CPU == 0 {
		r.Limits.CPU = defaultCPU(o.MaxTimeout, numCPU()) // tightened for each run
	}
	return o.check(r)
}

// zygotePolicy is the policy of a zygote, and of all its copies.
func (o Options) zygotePolicy(in *python.Interpreter, modules []string) (sandbox.Policy, error) {
	j, err := o.zygoteJob()
	if err != nil {
		return sandbox.Policy{}, err
	}
	p := policyFor(j, in, nil, sandbox.Place{}, o.Network)
	p.Argv = python.ZygoteCommand(in, harnessDir, modules)
	p.Foreign = !in.Embedded || len(in.Packages) > 0 // a .pth is run whatever is loaded ahead
	p.Files = slices.DeleteFunc(p.Files, func(f sandbox.File) bool { return f.Path == path.Join(jobDir, j.name) })
	return p, nil
}

// warmJob turns a job into one for a copy; ok is false when it must start cold.
func warmJob(j *job, in *python.Interpreter, files []loaded, o Options, stdin *os.File) (w sandbox.Job, ok bool) {
	pj := python.Job{Outside: o.Sandbox != string(sandbox.Native), StdlibOnly: j.stdlib}
	if !python.Copyable(in, pj) || len(j.env) > 0 { // libraries may have read theirs already
		return w, false
	}
	base, err := o.zygoteJob()
	if err != nil || !fits(j.limits, base.limits) {
		return w, false
	}
	if slices.ContainsFunc(files, func(f loaded) bool { return f.source != "" }) {
		return w, false // what is shown has to be there before the walls
	}
	p := policyFor(j, in, files, sandbox.Place{}, o.Network)
	message, ok := python.CopyMessage(in, jobFor(j, path.Clean, reportDir, false), p.Env, stdin != nil)
	w = sandbox.Job{Limits: j.limits, Links: p.Links[len(in.Links):], Stdin: stdin, Message: message}
	w.Files = slices.DeleteFunc(p.Files, func(f sandbox.File) bool { return path.Dir(f.Path) == harnessDir })
	return w, ok
}

// fits says whether a copy that has one set of limits can be given the other.
func fits(wants, has sandbox.Limits) bool {
	return wants.CPU <= has.CPU && wants.Memory <= has.Memory && wants.FileSize <= has.FileSize &&
		wants.Processes <= has.Processes && wants.OpenFiles <= has.OpenFiles &&
		wants.Disk == has.Disk && wants.Inodes == has.Inodes
}

// zygotes and spares of the sandbox.
type sandboxZygote struct{ *sandbox.Zygote }

func (z sandboxZygote) fork(ctx context.Context, early bool) (spare, error) {
	c, err := z.Fork(ctx, early)
	if err != nil {
		return nil, err
	}
	return sandboxSpare{c}, nil
}

func (z sandboxZygote) gone() <-chan struct{} { return z.Gone() }
func (z sandboxZygote) close() error          { return z.Close() }

type sandboxSpare struct{ *sandbox.Copy }

func (s sandboxSpare) lost() <-chan struct{} { return s.Lost() }
func (s sandboxSpare) close() error          { return s.Close() }

func (s sandboxSpare) release(ctx context.Context, j sandbox.Job) (tree, error) {
	t, err := s.Release(ctx, j)
	if err != nil {
		return nil, err
	}
	return t, nil
}

// startZygote starts one, and tries the walls of its copies; a module that starts threads costs another attempt.
func (e *Executor) startZygote(ctx context.Context, w walls, in *python.Interpreter) (zygote, error) {
	var without []string
	now := *in
	now.Packages = in.Distributions() // in knows those of when it was chosen
	for {
		p, err := e.options.zygotePolicy(in, e.options.modules(&now, without))
		if err != nil {
			return nil, err
		}
		z, err := w.zygote(ctx, p)
		if err == nil {
			if err := e.tryCopies(ctx, in, z); err != nil {
				_ = z.close()
				return nil, err
			}
			return z, nil
		}
		var thread *sandbox.ThreadsError
		if !errors.As(err, &thread) || thread.Name == "" || slices.Contains(without, thread.Name) {
			return nil, err
		}
		without = append(without, thread.Name)
	}
}

// print tells one state of an interpreter, its packages and their list from
// another. A site folder changes with each package that comes, goes or becomes
// another version; what is shown may lie far above.
func (e *Executor) print(in *python.Interpreter) string {
	var b strings.Builder
	note := func(at string) {
		info, err := os.Stat(at)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		b.WriteString(at)
		if err == nil {
			b.WriteString(strconv.FormatInt(info.Size(), 10) + " " + info.ModTime().String())
		}
		b.WriteByte('\n')
	}
	note(in.Source)
	note(e.options.PackagesFile)
	for _, m := range in.Mounts {
		note(m.Source)
	}
	for _, dir := range in.Sites {
		note(dir)
	}
	return b.String()
}
