// Which folders the dynamic loader looks in: those that an object names and those
// that the system is configured with.

package python

import (
	"bufio"
	"debug/elf"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// searchPath is DT_RPATH or DT_RUNPATH with $ORIGIN put in.
func searchPath(f *elf.File, tag elf.DynTag, path string) []string {
	values, err := f.DynString(tag)
	if err != nil {
		return nil
	}
	origin := filepath.Dir(realOf(path))
	var dirs []string
	for _, value := range values {
		for dir := range strings.SplitSeq(value, ":") {
			dir = strings.NewReplacer("${ORIGIN}", origin, "$ORIGIN", origin, "$LIB", "lib", "${LIB}", "lib").Replace(dir)
			if filepath.IsAbs(dir) {
				dirs = append(dirs, filepath.Clean(dir))
			}
		}
	}
	return dirs
}

// believed is what of the paths that an object names counts: of a wheel's, what
// is shown anyway or lies in its environment or in a folder of the system's loader.
func (w *walker) believed(object string, paths []string) []string {
	if w.made == "" || !w.isMade(object) && !w.isMade(realOf(object)) {
		return paths
	}
	return slices.DeleteFunc(paths, func(path string) bool {
		within := func(dir string) bool { return path == dir || below(path, dir) }
		return !w.isMade(path) && !w.i.shows(path) && !slices.ContainsFunc(w.folders, within) && !slices.ContainsFunc(w.configured, within)
	})
}

func (w *walker) isMade(path string) bool { return path == w.made || below(path, w.made) }

// realOf is the path without links, or the path itself where that cannot be told.
func realOf(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// configuredFolders reads ld.so.conf and the files it includes.
func configuredFolders(file string, depth int) []string {
	f, err := os.Open(file)
	if err != nil || depth > 4 {
		return nil
	}
	defer f.Close()
	var dirs []string
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line, _, _ := strings.Cut(lines.Text(), "#")
		fields := strings.Fields(line)
		switch {
		case len(fields) == 2 && fields[0] == "include":
			pattern := fields[1]
			if !filepath.IsAbs(pattern) {
				pattern = filepath.Join(filepath.Dir(file), pattern)
			}
			more, _ := filepath.Glob(pattern)
			for _, m := range more {
				dirs = append(dirs, configuredFolders(m, depth+1)...)
			}
		case len(fields) == 1 && filepath.IsAbs(fields[0]):
			dirs = append(dirs, fields[0])
		}
	}
	return dirs
}
