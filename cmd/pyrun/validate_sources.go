package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pyrun-dev/pyrun/internal/exec"
	"github.com/pyrun-dev/pyrun/internal/ui"
)

// sources is what the words of `pyrun validate` name: paths first, contents only
// when they are asked for.
type sources struct {
	door    *door
	most    int64  // bytes that a script may have
	root    string // names are given from here; empty gives them as they were typed
	modules *modules
	exclude ignores

	list  []target
	found int             // of them and of those that were named before
	seen  map[string]bool // by absolute path
}

// target is one source to come, or a folder that could not be read.
type target struct {
	name  string // as it is shown
	path  string // absolute; empty is stdin
	inner bool   // it lies below a folder that was named, so that the folder above may be a package
	err   error
}

// collect finds all that words name. A word that names nothing is a usage mistake.
func (s *sources) collect(words, exclude []string) error {
	if len(words) == 0 {
		return usageHint("pyrun validate report.py, pyrun validate src/, or pyrun validate - to read stdin", "nothing to validate was named")
	}
	d := s.door
	for _, glob := range exclude {
		if strings.TrimSpace(glob) == "" {
			return usage("--exclude: the pattern is empty")
		}
		s.exclude.add(glob, nil)
	}
	s.seen = map[string]bool{}
	for i, word := range words {
		stdin := word == "-" && (!d.line.dashes || i < len(d.line.words))
		if stdin {
			s.add(target{name: "<stdin>"})
			s.modules.root(d.abs("."))
			continue
		}
		if word == "" {
			return usage("the name of a file is empty")
		}
		path := d.abs(word)
		info, err := os.Stat(path)
		switch {
		case err != nil && !errors.Is(err, fs.ErrPermission):
			return d.notThere(word, err)
		case err != nil:
			s.add(target{name: word, path: path, err: err})
		case info.IsDir():
			before := s.found
			s.modules.root(path)
			s.walk(word, path)
			if s.found == before {
				d.ui.Fail(ui.Failure{What: "there is no Python file in " + word, Warning: true})
			}
		default:
			s.modules.root(filepath.Dir(path))
			if s.exclude.match(parts(s.fromHere(path)), false) {
				continue
			}
			s.add(target{name: filepath.Clean(word), path: path})
		}
		if d.dir != "" && within(path, d.dir) {
			s.modules.root(d.dir) // who works in a project stands at its top
		}
	}
	return nil
}

func (s *sources) add(t target) {
	s.found++
	if s.seen[t.path] {
		return
	}
	s.seen[t.path] = true
	if s.root != "" && t.path != "" {
		if rel, err := filepath.Rel(s.root, t.path); err == nil && filepath.IsLocal(rel) {
			t.name = filepath.ToSlash(rel)
		}
	}
	s.list = append(s.list, t)
}

// fromHere is a path as patterns see it: from the working folder where it lies below.
func (s *sources) fromHere(path string) string {
	if rel, err := filepath.Rel(s.door.dir, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// all reads one source after the other.
func (s *sources) all(yield func(exec.Source) bool) {
	for _, t := range s.list {
		src := exec.Source{Name: t.name, Err: t.err}
		if t.err == nil {
			src.Code, src.Err = s.read(t)
			dir := filepath.Dir(t.path)
			if t.path == "" {
				dir = s.door.abs(".")
			}
			src.Local = s.modules.beside(dir)
			src.Package = t.path != "" && (t.inner || s.modules.isPackage(dir))
		}
		if !yield(src) {
			return
		}
	}
}

// read takes one byte more than a script may have, so that too much is seen by exec.
func (s *sources) read(t target) ([]byte, error) {
	f := s.door.stdin
	if t.path != "" {
		var err error
		if f, err = os.Open(t.path); err != nil {
			return nil, err
		}
		defer f.Close()
	}
	return io.ReadAll(io.LimitReader(f, s.most+1))
}

// repository is the folder that GitHub counts paths from.
func (d *door) repository() string {
	if dir := d.getenv("GITHUB_WORKSPACE"); filepath.IsAbs(dir) && d.dir != "" && within(d.dir, dir) {
		return filepath.Clean(dir)
	}
	if top := gitRoot(d.dir); top != "" {
		return top
	}
	return d.dir
}

// within tells whether path is dir or lies below it.
func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
