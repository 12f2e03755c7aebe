// What a sandbox must show for an interpreter of this machine: its prefixes and
// the libraries they need, at the places they have here, and nothing more.

package python

import (
	"os"
	"path/filepath"
	"strings"
)

// loaderCache is the loader's list of libraries. It is shown with a whole /usr
// only; else each library stands where the loader looks without it.
const loaderCache = "/etc/ld.so.cache"

// addPrefixes sets the mounts and links of i, and a Path that they hold; made is
// the environment that pyrun made of which it is, or empty.
func addPrefixes(i *Interpreter, f *facts, made string) {
	var prefixes []string
	for _, p := range []string{f.BasePrefix, f.BaseExecPrefix, f.Prefix} {
		if p = filepath.Clean(p); broad(p) {
			prefixes = append(prefixes, inside(p, f)...)
		} else {
			prefixes = append(prefixes, p)
		}
	}
	for _, p := range prefixes {
		i.show(p, p)
		if real, err := filepath.EvalSymlinks(p); err == nil && real != p {
			i.show(real, real) // the executable's links may name it so
		}
	}
	if !i.shows(f.Executable) {
		i.Path = f.Real
		i.show(f.Real, f.Real)
	}
	i.followLinks(i.Path)
	if i.shows("/usr/lib") {
		i.showSystem(f)
		return
	}
	objects := []string{f.Real}
	for _, dir := range f.Dynload {
		objects = append(objects, sharedObjects(dir)...)
	}
	for _, dir := range f.Sites {
		objects = append(objects, sharedObjects(dir)...)
	}
	i.showLibraries(objects, made)
}

// broad says that a prefix holds more than an interpreter: somebody's home, say.
func broad(prefix string) bool {
	parent := filepath.Dir(prefix)
	return parent == prefix || parent == "/home" || (parent == "/" && prefix != "/usr")
}

// inside is what of a broad prefix makes up the interpreter.
func inside(prefix string, f *facts) []string {
	var parts []string
	if prefix == "/" {
		return []string{"/usr"}
	}
	for _, p := range append([]string{f.Real}, f.Path...) {
		if strings.HasPrefix(p, prefix+"/") && !strings.HasSuffix(p, ".zip") {
			parts = append(parts, p)
		}
	}
	for _, p := range f.Sites {
		if strings.HasPrefix(p, prefix+"/") {
			parts = append(parts, p)
		}
	}
	return parts
}

// show mounts source at target unless a mount above does already.
func (i *Interpreter) show(source, target string) {
	if i.shows(target) {
		return
	}
	real, err := filepath.EvalSymlinks(source)
	if err != nil {
		return
	}
	kept := i.Mounts[:0]
	for _, m := range i.Mounts { // what the new one holds needs no mount of its own
		if !below(m.Target, target) {
			kept = append(kept, m)
		}
	}
	i.Mounts = append(kept, Mount{Source: real, Target: target})
}

// shows says whether a path inside stands in a mount.
func (i *Interpreter) shows(path string) bool {
	for _, m := range i.Mounts {
		if path == m.Target || below(path, m.Target) {
			return true
		}
	}
	return false
}

func below(path, dir string) bool { return strings.HasPrefix(path, dir+"/") }

// followLinks adds what the chain of links from the executable passes through outside the mounts.
func (i *Interpreter) followLinks(path string) {
	for range 16 {
		says, err := os.Readlink(path)
		if err != nil {
			return
		}
		if !i.shows(path) {
			i.Links = append(i.Links, Link{path, says})
		}
		if !filepath.IsAbs(says) {
			says = filepath.Join(filepath.Dir(path), says)
		}
		path = says
	}
}

// showSystem shows what goes with a whole /usr: the folders of the root that
// point into it, and the pieces of /etc that its programs are linked through.
func (i *Interpreter) showSystem(f *facts) {
	for _, dir := range []string{"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"} {
		info, err := os.Lstat(dir)
		switch {
		case err != nil:
		case info.Mode()&os.ModeSymlink != 0:
			if says, err := os.Readlink(dir); err == nil {
				i.Links = append(i.Links, Link{dir, says})
			}
		case dir != "/sbin":
			i.Mounts = append(i.Mounts, Mount{Source: dir, Target: dir})
		}
	}
	short := "/etc/python" + shortVersion(f.Version) // Debian's sitecustomize
	for _, path := range []string{"/etc/alternatives", loaderCache, short, "/etc/matplotlibrc"} {
		i.showData(path, path)
	}
}

// showData shows a file or folder that holds no program, when it exists.
func (i *Interpreter) showData(source, target string) bool {
	if i.shows(target) {
		return false
	}
	real, err := filepath.EvalSymlinks(source)
	if err != nil {
		return false
	}
	i.Mounts = append(i.Mounts, Mount{Source: real, Target: target, Data: true})
	return true
}

// shortVersion is "3.11" of "3.11.2".
func shortVersion(version string) string {
	if at := strings.LastIndexByte(version, '.'); at > 0 {
		return version[:at]
	}
	return version
}
