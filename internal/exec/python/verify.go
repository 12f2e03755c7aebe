// Whether what is installed is still what was installed: every file against the
// hash in its RECORD. Nothing is run, no link is followed, nothing outside the
// environment is read.

package python

import (
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// Damage is a file that is not as it was installed.
type Damage struct {
	Package string // whose it is; empty for a file that belongs to none
	Path    string // from the environment's folder, with slashes
	Problem string // "changed", "missing", "belongs to no package", ...
}

// Verification is what Verify found.
type Verification struct {
	Dir      string // of the environment
	Packages int
	Files    int // that have a hash and were compared
	Unhashed int // that have none: .pyc in environments of others
	Damage   []Damage
}

// Verify compares the packages of the environment that Choose takes with their
// RECORDs. Damage is no error.
func Verify(ctx context.Context, o Options) (*Verification, error) {
	r, err := choose(ctx, o)
	if err != nil {
		return nil, err
	}
	i := r.Interpreter
	root, sites := i.Environment, r.Sites
	switch {
	case root == "" && i.Embedded:
		return nil, &PackagesError{Msg: "there is no environment to verify", Remedy: remedyInstall}
	case root == "":
		return nil, &PackagesError{Msg: i.Source + " is in no environment: its packages belong to the system, which has its own means to verify them"}
	case i.Embedded:
		sites = []string{siteIn(root, i.Version)}
	}
	if c, ok := readConfigFile(root); ok && c.base != "" { // Choose may go by what it remembers
		if err := c.whole(root); err != nil {
			return nil, err
		}
	}
	v, damage, err := verifyTree(ctx, root, sites, o.progress)
	if err != nil {
		return nil, &PackagesError{Msg: "verify " + root, Err: err}
	}
	v.Dir, v.Damage = root, damage
	return v, nil
}

// verifyTree verifies the site folders sites of the environment at dir.
func verifyTree(ctx context.Context, dir string, sites []string, progress func(what string, done, total int64)) (*Verification, []Damage, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	v := &verifier{ctx: ctx, root: root, known: map[string]bool{}}
	var (
		infos []string
		dirs  []fs.FileInfo
	)
	for _, site := range sites {
		site, err := filepath.Rel(dir, site)
		if err != nil || !filepath.IsLocal(site) {
			continue // of the base interpreter: not the environment's
		}
		info, err := root.Stat(site)
		if err != nil || slices.ContainsFunc(dirs, func(d fs.FileInfo) bool { return os.SameFile(d, info) }) {
			continue // lib64 is a link to lib
		}
		dirs = append(dirs, info)
		more, err := distInfos(root, filepath.ToSlash(site))
		if err != nil {
			return nil, nil, err
		}
		infos = append(infos, more...)
		v.sites = append(v.sites, filepath.ToSlash(site))
	}
	for n, info := range infos {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		if progress != nil {
			progress("verifying "+strings.TrimSuffix(path.Base(info), ".dist-info"), int64(n), int64(len(infos)))
		}
		v.distribution(info)
	}
	v.found.Packages = len(infos)
	for _, site := range v.sites {
		if err := v.strangers(site); err != nil {
			return nil, nil, err
		}
	}
	return &v.found, v.damage, ctx.Err()
}

type verifier struct {
	ctx    context.Context
	root   *os.Root
	sites  []string
	known  map[string]bool
	found  Verification
	damage []Damage
}

func (v *verifier) distribution(info string) {
	name := packageOf(info)
	say := func(path, format string, args ...any) {
		v.damage = append(v.damage, Damage{name, path, fmt.Sprintf(format, args...)})
	}
	rows, err := readRecord(v.root, info)
	v.known[path.Join(info, "RECORD")] = true
	if err != nil {
		say(path.Join(info, "RECORD"), "cannot be read: %v", reasonOf(err))
		return
	}
	for _, r := range rows {
		if v.ctx.Err() != nil {
			return
		}
		at := r.from(info)
		if path.IsAbs(r.path) || !filepath.IsLocal(at) {
			say(r.path, "lies outside of the environment")
			continue
		}
		v.known[at] = true
		algorithm, want, ok := strings.Cut(r.hash, "=")
		switch {
		case r.hash == "" && at == path.Join(info, "RECORD"):
			continue
		case r.hash == "" && (strings.HasSuffix(at, ".pyc") || path.Dir(at) == info): // signatures of RECORD
			v.found.Unhashed++
			continue
		case !ok || newHash(algorithm) == nil:
			say(at, "has no hash in RECORD")
			continue
		}
		got, size, err := hashFile(v.root, at, newHash(algorithm))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			say(at, "missing")
		case err != nil:
			say(at, "cannot be read: %v", reasonOf(err))
		case got != strings.TrimRight(want, "="):
			say(at, "changed: its hash is not the one in RECORD")
		case r.size != "" && r.size != strconv.FormatInt(size, 10):
			say(at, "changed: its size is not the one in RECORD")
		}
		v.found.Files++
	}
}

// strangers are files in a site folder that no RECORD names.
func (v *verifier) strangers(site string) error {
	return fs.WalkDir(v.root.FS(), site, func(at string, d fs.DirEntry, err error) error {
		if err == nil {
			err = v.ctx.Err()
		}
		if err != nil || d.IsDir() || v.known[at] {
			return err
		}
		v.damage = append(v.damage, Damage{Path: at, Problem: "belongs to no package"})
		return nil
	})
}

func newHash(name string) hash.Hash {
	switch name {
	case "sha256":
		return sha256.New()
	case "sha384":
		return sha512.New384()
	case "sha512":
		return sha512.New()
	}
	return nil
}

// hashFile reads a file that is a file: no link, pipe or device.
func hashFile(root *os.Root, at string, h hash.Hash) (sum string, size int64, err error) {
	f, err := openRegular(root, at)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	size, err = io.Copy(h, f)
	return encodeSum(h.Sum(nil)), size, err
}

var errNotRegular = errors.New("is no regular file")

func openRegular(root *os.Root, at string) (*os.File, error) {
	info, err := root.Lstat(at)
	if err == nil && !info.Mode().IsRegular() {
		err = errNotRegular
	}
	if err != nil {
		return nil, err
	}
	f, err := root.OpenFile(at, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if opened, err := f.Stat(); err != nil || !os.SameFile(info, opened) {
		return nil, errors.Join(errNotRegular, err, f.Close())
	}
	return f, nil
}

// reasonOf is what the system said, without the path that stands before it anyway.
func reasonOf(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}
