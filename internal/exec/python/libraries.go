// Which shared libraries programs and modules need, found as the dynamic loader
// finds them (ld.so(8)), so that each can be shown alone.

package python

import (
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
// as the one outside would. made is the environment that pyrun made of which some
// are, or empty: in one, what an object says is the word of a wheel.
func (i *Interpreter) showLibraries(objects []string, made string) {
	if runtime.GOOS != "linux" {
		return
	}
	w := walker{i: i, made: realOf(made), seen: map[string]bool{}, configured: configuredFolders("/etc/ld.so.conf", 0)}
	w.folders = []string{"/lib", "/usr/lib", "/lib64", "/usr/lib64"}
	for _, path := range objects {
		w.visit(path, nil)
	}
}

type walker struct {
	i          *Interpreter
	made       string          // no link; empty for none
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
	rpath, runpath = w.believed(path, rpath), w.believed(path, runpath)
	passed := append(rpath, inherited...)
	for _, name := range needed {
		w.need(path, name, append(slices.Clone(passed), runpath...), passed)
	}
}

// need finds one library that an object names and shows it where the loader will look.
func (w *walker) need(object, name string, own, passed []string) {
	if strings.Contains(name, "/") {
		if path := filepath.Clean(name); filepath.IsAbs(path) && len(w.believed(object, []string{path})) > 0 && w.fits(path) {
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
	return f.Machine == w.machine && f.Type == elf.ET_DYN && !isProgram(f) // a core dump is another type
}

// isProgram says whether an object of a library's type is a program: it says so
// itself, or, from an older linker, asks for a loader and has no name as a
// library, which libc has. Of one without sections nothing can be told.
func isProgram(f *elf.File) bool {
	flags, err := f.DynValue(elf.DT_FLAGS_1)
	if err != nil || f.SectionByType(elf.SHT_DYNAMIC) == nil {
		return true
	}
	if slices.ContainsFunc(flags, func(v uint64) bool { return v&uint64(elf.DF_1_PIE) != 0 }) {
		return true
	}
	names, err := f.DynString(elf.DT_SONAME)
	return (err != nil || len(names) == 0) && slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP })
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
