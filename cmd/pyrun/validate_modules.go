package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// modules knows what sources can import from the folders they lie in.
type modules struct {
	roots  []string            // absolute folders that every source can import from
	names  map[string][]string // of one folder
	joined map[string][]string // of one folder and all roots
}

func newModules() *modules {
	return &modules{names: map[string][]string{}, joined: map[string][]string{}}
}

// root makes a folder one that all sources import from, with src below it. Of a
// folder that is a package it is the one above the whole package.
func (m *modules) root(dir string) {
	for m.isPackage(dir) && filepath.Dir(dir) != dir {
		dir = filepath.Dir(dir)
	}
	for _, dir := range []string{dir, filepath.Join(dir, "src")} {
		if !slices.Contains(m.roots, dir) {
			m.roots = append(m.roots, dir)
		}
	}
}

func (m *modules) isPackage(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "__init__.py"))
	return err == nil
}

// beside lists the top-level names that a source in dir can import, sorted.
func (m *modules) beside(dir string) []string {
	if all, ok := m.joined[dir]; ok {
		return all
	}
	all := slices.Clone(m.in(dir))
	above := dir // of the package that dir is part of
	for m.isPackage(above) && filepath.Dir(above) != above {
		above = filepath.Dir(above)
	}
	for _, root := range append([]string{above}, m.roots...) {
		all = append(all, m.in(root)...)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	m.joined[dir] = all
	return all
}

// in lists the modules and packages that lie in one folder.
func (m *modules) in(dir string) []string {
	if names, ok := m.names[dir]; ok {
		return names
	}
	var names []string
	entries, _ := os.ReadDir(dir) // one that cannot be read offers nothing
	for _, e := range entries {
		name, ending, _ := strings.Cut(e.Name(), ".")
		full := filepath.Join(dir, e.Name())
		info, err := os.Stat(full) // behind a link
		switch {
		case err != nil || name == "" || name == "__pycache__":
			continue
		case info.IsDir():
			if ending != "" || isVenv(full) || !holdsPython(full) {
				continue
			}
		case ending != "py" && ending != "pyw" && !strings.HasSuffix(ending, "so") && !strings.HasSuffix(ending, "pyd"):
			continue
		}
		names = append(names, name)
	}
	m.names[dir] = names
	return names
}

// holdsPython tells whether there is a Python file in a folder or below: it is
// then a package, with or without __init__.py. It does not look for ever.
func holdsPython(dir string) bool {
	found, left := false, 1000
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if left--; left < 0 {
			return fs.SkipAll
		}
		if err == nil && !e.IsDir() && filepath.Ext(path) == ".py" {
			found = true
			return errors.New("enough")
		}
		return nil
	})
	return found
}
