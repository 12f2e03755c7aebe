package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fluxcd/pkg/sourceignore/gitignore"
)

// ignores are patterns as git has them; the last that matches counts.
type ignores struct{ patterns []gitignore.Pattern }

// add takes one line of a .gitignore that stands in the folder domain.
func (g *ignores) add(line string, domain []string) {
	line = strings.TrimSuffix(line, "\r")
	if strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "#") {
		g.patterns = append(g.patterns, gitignore.ParsePattern(line, domain))
	}
}

// file adds a whole .gitignore; one that cannot be read ignores nothing.
func (g *ignores) file(path string, domain []string) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 1<<20 {
		return
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return
	}
	for line := range strings.SplitSeq(strings.TrimPrefix(string(data), "\ufeff"), "\n") {
		g.add(line, domain)
	}
}

func (g *ignores) match(path []string, isDir bool) bool {
	return len(path) > 0 && gitignore.NewMatcher(g.patterns).Match(path, isDir)
}

// parts are the components of a relative path; of "." none.
func parts(rel string) []string {
	if rel == "." {
		return nil
	}
	return strings.Split(strings.Trim(filepath.ToSlash(rel), "/"), "/")
}

// gitRoot is the folder with .git at or above dir, or "".
func gitRoot(dir string) string {
	for dir != "" {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		above := filepath.Dir(dir)
		if above == dir {
			break
		}
		dir = above
	}
	return ""
}

// walk adds the Python files below the folder word, sorted, without what git
// ignores, hidden folders and virtual environments. Links to folders are not
// followed: what they lead to has a name of its own, or is not the project's.
func (s *sources) walk(word, path string) {
	base := path // patterns count from here
	var git ignores
	if top := gitRoot(path); top != "" {
		base = top
		git.file(filepath.Join(top, ".git", "info", "exclude"), nil)
		rel, err := filepath.Rel(top, path)
		if err != nil {
			rel = "."
		}
		domain := parts(rel)
		for i := range domain { // the .gitignore of path itself is read by folder
			git.file(filepath.Join(append(append([]string{top}, domain[:i]...), ".gitignore")...), domain[:i])
		}
		if git.match(domain, true) {
			git = ignores{} // asked for by name
		}
	}
	w := walker{sources: s, base: base, top: path}
	w.folder(filepath.Clean(word), path, git)
}

type walker struct {
	*sources
	base, top string
}

func (w walker) folder(name, path string, git ignores) {
	entries, err := os.ReadDir(path)
	if err != nil {
		w.add(target{name: name, path: path, err: err})
		return
	}
	rel, err := filepath.Rel(w.base, path)
	if err != nil {
		return
	}
	domain := parts(rel)
	git.patterns = slices.Clip(git.patterns)
	git.file(filepath.Join(path, ".gitignore"), domain)
	for _, e := range entries {
		full, shown := filepath.Join(path, e.Name()), filepath.Join(name, e.Name())
		isDir := e.IsDir()
		if isDir && (strings.HasPrefix(e.Name(), ".") || e.Name() == "__pycache__" || isVenv(full)) || !isDir && !w.wanted(full, e) {
			continue
		}
		if git.match(append(slices.Clip(domain), e.Name()), isDir) || w.exclude.match(parts(w.fromHere(full)), isDir) {
			continue
		}
		if isDir {
			w.folder(shown, full, git)
		} else {
			w.add(target{name: shown, path: full, inner: path != w.top})
		}
	}
}

// wanted tells whether a file found in a folder is a Python source. A link that
// leads nowhere is one: that it cannot be read is worth knowing.
func (w walker) wanted(path string, e fs.DirEntry) bool {
	if ext := filepath.Ext(e.Name()); ext != ".py" && ext != ".pyw" {
		return false
	}
	if e.Type()&fs.ModeSymlink != 0 {
		info, err := os.Stat(path)
		return err != nil || info.Mode().IsRegular()
	}
	return e.Type().IsRegular()
}

func isVenv(path string) bool {
	_, err := os.Stat(filepath.Join(path, "pyvenv.cfg"))
	return err == nil
}
