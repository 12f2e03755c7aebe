// Which shared libraries programs and modules need, found as the dynamic loader
// finds them (ld.so(8)), so that each can be shown alone.

package python

import (
	"bufio"
	"debug/elf"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// showLibraries shows the loader and every library that the objects need,
// directly or not. What is not found is left out: the loader inside will name it,
// as the one outside would.
func (i *Interpreter) showLibraries(objects []string) {
	if runtime.GOOS != "linux" {
		return
	}
	w := walker{i: i, seen: map[string]bool{}, configured: configuredFolders("/etc/ld.so.conf", 0)}
	w.folders = []string{"/lib", "/usr/lib", "/lib64", "/usr/lib64"}
	for _, path := range objects {
		w.visit(path, nil)
	}
}

type walker struct {
	i          *Interpreter
	seen       map[string]bool // of files, by the path found
	machine    elf.Machine     // of the first object: others are not for this process
	folders    []string        // where the loader looks by itself
	configured []string        // where it looks by ld.so.conf, which is not shown inside
	home       string          // one of folders: libraries of configured are shown there
}

// visit looks at one object; inherited are the RPATHs of those that need it.
func (w *walker) visit(path string, inherited []string) {
	if w.seen[path] {
		return
	}
	w.seen[path] = true
	f, err := openObject(path)
	if err != nil {
		return
	}
	defer f.Close()
	if w.machine == 0 {
		w.machine = f.Machine
		w.addLoader(f)
	}
	if f.Machine != w.machine {
		return
	}
	needed, err := f.ImportedLibraries()
	if err != nil {
		return
	}
	rpath, runpath := searchPath(f, elf.DT_RPATH, path), searchPath(f, elf.DT_RUNPATH, path)
	if len(runpath) > 0 {
		rpath = nil // the older one does not count beside it
	}
	passed := append(rpath, inherited...)
	for _, name := range needed {
		w.need(name, append(slices.Clone(passed), runpath...), passed)
	}
}

// need finds one library and shows it where the loader will look.
func (w *walker) need(name string, own, passed []string) {
	if strings.Contains(name, "/") {
		if path := filepath.Clean(name); filepath.IsAbs(path) && w.fits(path) {
			w.found(path, path, passed)
		}
		return
	}
	for _, dir := range own {
		if path := filepath.Join(dir, name); w.fits(path) {
			w.found(path, path, passed)
			return
		}
	}
	for _, dir := range w.folders {
		if path := filepath.Join(dir, name); w.fits(path) {
			w.found(path, path, passed)
			return
		}
	}
	for _, dir := range w.configured {
		if path := filepath.Join(dir, name); w.fits(path) {
			w.found(path, filepath.Join(w.home, name), passed)
			return
		}
	}
}

func (w *walker) found(source, target string, passed []string) {
	if !w.seen[source] {
		w.i.show(source, target)
	}
	w.visit(source, passed)
}

// fits says whether a file is a library for this machine. Which one is needed is
// the word of a package, that may name any file: what is no library is not shown.
func (w *walker) fits(path string) bool {
	f, err := openObject(path)
	if err != nil {
		return false
	}
	defer f.Close()
	return f.Machine == w.machine && f.Type == elf.ET_DYN // a core dump is another type
}

// openObject opens a file as an object; a pipe would keep us waiting, and a device do worse.
func openObject(path string) (*elf.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errNotRegular
	}
	return elf.Open(path)
}

// addLoader shows the loader the program names and learns from it which of the
// folders with an architecture's name (Debian's) it searches.
func (w *walker) addLoader(f *elf.File) {
	for _, p := range f.Progs {
		if p.Type != elf.PT_INTERP {
			continue
		}
		data := make([]byte, min(p.Filesz, 4096))
		if _, err := p.ReadAt(data, 0); err != nil {
			return
		}
		loader := strings.TrimRight(string(data), "\x00")
		if !filepath.IsAbs(loader) || !w.fits(loader) {
			continue
		}
		w.i.show(loader, loader)
		if real, err := filepath.EvalSymlinks(loader); err == nil {
			// Debian's loader lives in the very folder it searches first.
			if dir := filepath.Dir(real); strings.Contains(filepath.Base(dir), "-linux-") {
				tuple := filepath.Base(dir)
				w.folders = append([]string{"/lib/" + tuple, "/usr/lib/" + tuple}, w.folders...)
			}
		}
	}
	for _, dir := range w.folders {
		if w.fits(filepath.Join(dir, "libc.so.6")) {
			w.home = dir
			return
		}
	}
	w.home = w.folders[0]
}

// searchPath is DT_RPATH or DT_RUNPATH with $ORIGIN put in.
func searchPath(f *elf.File, tag elf.DynTag, path string) []string {
	values, err := f.DynString(tag)
	if err != nil {
		return nil
	}
	origin := filepath.Dir(path)
	if real, err := filepath.EvalSymlinks(path); err == nil {
		origin = filepath.Dir(real)
	}
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

// sharedObjects are the modules and libraries below dir.
func sharedObjects(dir string) []string {
	var found []string
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && (strings.HasSuffix(path, ".so") || strings.Contains(d.Name(), ".so.")) {
			found = append(found, path)
		}
		return nil
	})
	return found
}
