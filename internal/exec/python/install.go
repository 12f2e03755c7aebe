// Making an environment: whole, or not at all. It is built in a folder beside
// its place and put there in one step; what stood there is kept until the next
// time, for scripts that run in it still.

package python

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Installation asks for an environment.
type Installation struct {
	Options        // which interpreter; without one named, the embedded one
	Target  string // empty is the one in use, when Install made it, else Place
	List    string // packages.txt
	Lock    string // packages.lock.txt; empty takes what fits List
	Index   Index
}

// Environment is a finished one.
type Environment struct {
	Dir      string
	Python   string // its interpreter, as --python takes it
	Version  string // of the interpreter
	Embedded bool
	Packages []Distribution
	Wanted   []Requirement // of the list, those whose marker is true
}

// base is the interpreter that an environment is made from.
type base struct {
	executable string // on this machine, no link
	version    string
	embedded   bool
	root       string // of the environment that named it, when Install made that
}

func findBase(ctx context.Context, o Options) (base, error) {
	b := base{embedded: true}
	if path := o.named(); path != "" {
		path, err := locate(path)
		if err != nil {
			return b, err
		}
		root, c, _ := readConfig(path)
		if c.base != "" {
			b.root = root
		}
		if b.embedded = c.base == baseEmbedded; !b.embedded {
			r, err := named(ctx, o, path)
			if err != nil {
				return b, err
			}
			b.executable, b.version = r.Interpreter.Base, r.Interpreter.Version
		}
	}
	if b.embedded {
		r, err := embedded(ctx, o)
		if err != nil {
			return b, err
		}
		b.executable, b.version = r.Interpreter.Base, r.Interpreter.Version
	}
	return b, checkVersion(&Interpreter{Source: b.executable, Version: b.version}, o.Version)
}

// begin finds out what is asked for, and of which interpreter: all of the list,
// and what of it applies.
func (in Installation) begin(ctx context.Context) (b base, list, wanted []Requirement, err error) {
	if list, err = ParsePackages(in.List); err != nil {
		return b, nil, nil, err
	}
	if err = in.Index.check(in.Options); err != nil {
		return b, nil, nil, err
	}
	if b, err = findBase(ctx, in.Options); err != nil {
		return b, nil, nil, err
	}
	wanted, err = b.applicable(ctx, in.Options, list)
	return b, list, wanted, err
}

// Install makes an environment. A *RequirementError is a line of the list, a
// *LockError a lock that cannot be used; a *PackagesError or *Error says what
// went wrong, and then, as after the end of ctx, all is as it was. It touches
// the network (through pip), and runs none of the code that it installs.
func Install(ctx context.Context, in Installation) (env *Environment, err error) {
	b, list, wanted, err := in.begin(ctx)
	if err != nil {
		return nil, err
	}
	chosen := wanted
	if in.Lock != "" {
		if chosen, err = readLock(in.Lock, list, b); err != nil {
			return nil, err
		}
	}
	root, err := in.target(b)
	if err != nil {
		return nil, err
	}
	unlock, err := lockPlace(ctx, in.Options, root)
	if err != nil {
		return nil, err
	}
	defer unlock()
	temp, err := os.MkdirTemp(filepath.Dir(root), filepath.Base(root)+newSuffix)
	if err != nil {
		return nil, orNoRoom("make a folder beside "+root, err)
	}
	defer func() {
		if err != nil { // else what stood there before may have this name now
			removeTree(temp)
		}
	}()
	if err := in.build(ctx, b, chosen, temp, root); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := putInPlace(temp, root); err != nil {
		return nil, orNoRoom("put the environment in its place", err)
	}
	return &Environment{
		Dir: root, Python: executableIn(root), Version: b.version, Embedded: b.embedded,
		Packages: findPackages([]string{siteIn(root, b.version)}), Wanted: wanted,
	}, nil
}

// build fills temp, which will stand at root.
func (in Installation) build(ctx context.Context, b base, chosen []Requirement, temp, root string) error {
	work := filepath.Join(temp, ".work")
	if err := skeleton(temp, work, b); err != nil {
		return orNoRoom("make the environment", err)
	}
	if len(chosen) > 0 {
		folder, ours, err := pipFor(ctx, in.Options, b)
		if err != nil {
			return err
		}
		p := pip{options: in.Options, base: b, folder: folder, ours: ours, root: temp, final: root, temp: work, index: in.Index}
		var more []string
		if in.Lock != "" {
			more = append(more, "--require-hashes")
		}
		if err := p.install(ctx, requirementLines(chosen), more...); err != nil {
			return err
		}
		if err := b.overwrites(temp); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(work); err != nil {
		return orNoRoom("clean the environment", err)
	}
	site := siteIn(temp, b.version)
	in.progress("checking "+packagesOf(len(findPackages([]string{site}))), 0, 0)
	if _, damage, err := verifyTree(ctx, temp, []string{site}, nil); err != nil {
		return orNoRoom("check what was installed", err)
	} else if len(damage) > 0 {
		return &PackagesError{
			Msg:    fmt.Sprintf("a wheel of %s is not what it says: %s: %s", damage[0].Package, damage[0].Path, damage[0].Problem),
			Remedy: remedyLies,
		}
	}
	in.progress("compiling", 0, 0)
	inside := siteIn(root, b.version)
	if b.embedded {
		inside = siteIn(environmentInside, b.version)
	}
	if err := compileFolder(ctx, b.executable, site, inside); err != nil {
		return orNoRoom("compile the packages", err)
	}
	if err := recordCompiled(site); err != nil {
		return orNoRoom("note what was compiled", err)
	}
	for name, text := range map[string]string{PackagesFile: in.List, LockFile: in.Lock} {
		if text == "" && name == LockFile {
			continue
		}
		if err := writeNew(filepath.Join(temp, name), text); err != nil {
			return orNoRoom("write "+name, err)
		}
	}
	return os.Chmod(temp, 0o755)
}

// requirementLines is what pip is given: what was understood, not what was written.
func requirementLines(all []Requirement) string {
	var b strings.Builder
	for _, r := range all {
		b.WriteString(r.pinned())
		for _, hash := range r.Hashes {
			b.WriteString(" --hash=" + hash)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// pinned is the requirement without its marker, which has been found true.
func (r Requirement) pinned() string {
	r.Marker = ""
	return r.String()
}

func (x Index) url(o Options) string {
	if x.URL == "" {
		return o.env("PIP_INDEX_URL")
	}
	return x.URL
}

// check refuses what could be read as something else.
func (x Index) check(o Options) error {
	if strings.ContainsFunc(x.url(o), func(c rune) bool { return c <= ' ' || c == 0x7f }) {
		return &PackagesError{Msg: "the URL of the index holds blanks", Refused: true}
	}
	for _, dir := range x.FindLinks {
		if strings.Contains(dir, "://") {
			continue
		}
		if _, err := os.Stat(dir); err != nil {
			return &PackagesError{Msg: "look for wheels in " + dir, Err: reasonOf(err), Refused: true}
		}
	}
	return nil
}
