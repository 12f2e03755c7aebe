// What an environment that Install made is, found out without starting anything in it.

package python

import (
	"context"
	"os"
	"path/filepath"
	"slices"
)

// overBase is the record of an environment that Install made. What pyrun has to
// know about it is asked of the interpreter it was made from: no file in an
// environment is started outside of a sandbox, for wheels put files there.
func overBase(ctx context.Context, o Options, root, path string, c config) (*record, error) {
	if c.base != baseEmbedded {
		if err := c.gone(root); err != nil {
			return nil, err
		}
	}
	if err := c.whole(root); err != nil {
		return nil, err
	}
	if !c.starts(path) {
		return nil, &Error{Name: path, Kind: ErrUnusable, Msg: "is not the interpreter of its environment", Remedy: "name " + executableIn(root)}
	}
	var r *record
	var err error
	if c.base == baseEmbedded {
		r, err = overEmbedded(ctx, o, root, c)
	} else {
		r, err = overNamed(ctx, root, path, c)
	}
	if err != nil {
		return nil, err
	}
	r.Made, r.Path = true, path
	r.Interpreter.Source, r.Interpreter.Environment = path, root
	for _, name := range []string{"", "bin", configFile, sandboxConfig} {
		r.Stamps = append(r.Stamps, stampOf(filepath.Join(root, name)))
	}
	return r, nil
}

// overNamed is the record of an environment of an interpreter of this machine:
// a virtual environment, without the packages of the system.
func overNamed(ctx context.Context, root, path string, c config) (*record, error) {
	f, err := probe(ctx, c.base, probeTime)
	if err != nil {
		return nil, err
	}
	if err := c.fits(root, f.Version); err != nil {
		return nil, err
	}
	f.Executable, f.Prefix, f.Sites = path, root, []string{siteIn(root, f.Version)}
	return describe(f, path, root), nil
}

// overEmbedded is the record of an environment of the embedded interpreter.
// What scripts see is a virtual environment with the embedded one as its base.
func overEmbedded(ctx context.Context, o Options, root string, c config) (*record, error) {
	base, err := embedded(ctx, o)
	if err != nil {
		return nil, err
	}
	i := base.Interpreter
	if err := c.fits(root, i.Version); err != nil {
		return nil, err
	}
	site := siteIn(root, i.Version)
	lib := filepath.Dir(filepath.Dir(site))
	if _, err := os.Stat(site); err != nil {
		return nil, environmentError(root, "is damaged", err)
	}
	own := Mount{Source: i.Mounts[0].Source, Target: i.Mounts[0].Source}
	libraries := Interpreter{Mounts: []Mount{own, {Source: root, Target: root}}} // what lies in them is shown already
	libraries.showLibraries(append([]string{i.Source}, sharedObjects(site)...), root)

	i.Mounts = append(slices.Clone(i.Mounts), Mount{Source: lib, Target: environmentInside + "/lib"})
	i.Mounts = append(i.Mounts, Mount{Source: filepath.Join(root, sandboxConfig), Target: environmentInside + "/" + configFile, Data: true})
	if info, err := os.Stat(filepath.Join(root, "share")); err == nil && info.IsDir() {
		i.Mounts = append(i.Mounts, Mount{Source: filepath.Join(root, "share"), Target: environmentInside + "/share", Data: true})
	}
	for _, m := range libraries.Mounts[2:] {
		i.show(m.Source, m.Target)
	}
	program := environmentInside + "/bin/python"
	i.Links = append(slices.Clone(i.Links), Link{program, i.Path})
	i.Path, i.Prefix = program, environmentInside
	i.Packages = findPackages([]string{site})
	r := *base
	r.Interpreter = i
	r.Sites = append([]string{site}, base.Sites...)
	r.Stamps = append(slices.Clone(base.Stamps), stampOf(site))
	return &r, nil
}

// current says whether a remembered environment lies over the embedded
// interpreter that this pyrun brings, and not over an earlier one.
func (r *record) current(cache string) bool {
	if !r.Interpreter.Embedded {
		return true
	}
	root := filepath.Join(cache, embeddedName())
	return trustRoot(root) == nil && r.Interpreter.Mounts[0].Source == root
}
