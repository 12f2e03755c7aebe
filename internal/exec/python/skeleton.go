// The bare virtual environment that pip fills, and whether it still is what it was.

package python

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// skeleton is a virtual environment without packages: a pyvenv.cfg and links.
func skeleton(root, work string, b base) error {
	c := b.config()
	// The first, for it says whose the folder is.
	err := writeNew(filepath.Join(root, configFile), c.text(filepath.Dir(b.executable)))
	if err == nil && b.embedded {
		err = writeNew(filepath.Join(root, sandboxConfig), c.text(embeddedInside+"/bin"))
	}
	if err != nil {
		return err
	}
	err = errors.Join(
		os.MkdirAll(siteIn(root, b.version), 0o755),
		os.MkdirAll(filepath.Join(root, "bin"), 0o755),
		os.Mkdir(work, 0o700),
	)
	for _, l := range c.links(b.executable) {
		err = errors.Join(err, os.Symlink(l.Target, filepath.Join(root, l.Path)))
	}
	return err
}

func (b base) config() config {
	if b.embedded {
		return config{version: b.version, base: baseEmbedded}
	}
	return config{version: b.version, base: b.executable}
}

// links of an environment whose interpreter is at target, from its folder. All
// the names that venv gives an interpreter are taken, so that no wheel can take one.
func (c config) links(target string) []Link {
	all := []Link{{"bin/python", target}, {"bin/python3", "python"}, {"bin/python" + shortVersion(c.version), "python"}}
	if runtime.GOOS == "linux" { // some Linuxes' interpreters put extension modules there
		all = append(all, Link{"lib64", "lib"})
	}
	return all
}

// strange is the first name in the environment at root under which something
// stands that skeleton did not put there, although Python or pyrun would go by
// it; empty when there is none. Nothing that stands there is run for it.
func (c config) strange(root string) string {
	for _, dir := range []string{"bin", "lib"} {
		if info, err := os.Lstat(filepath.Join(root, dir)); err != nil || !info.IsDir() {
			return dir
		}
	}
	target, err := os.Readlink(executableIn(root))
	if err != nil || !filepath.IsAbs(target) || c.base != baseEmbedded && target != c.base || madeAround(target) != "" {
		return "bin/python"
	}
	for _, l := range c.links(target) {
		if says, err := os.Readlink(filepath.Join(root, l.Path)); err != nil || says != l.Target {
			return l.Path
		}
	}
	if !holds(filepath.Join(root, configFile), c.text(filepath.Dir(target))) {
		return configFile
	}
	if c.base == baseEmbedded && !holds(filepath.Join(root, sandboxConfig), c.text(embeddedInside+"/bin")) {
		return sandboxConfig
	}
	beside := "bin/" + configFile // Python looks there first
	if _, err := os.Lstat(filepath.Join(root, beside)); !errors.Is(err, fs.ErrNotExist) {
		return beside
	}
	return ""
}

// whole refuses an environment that is no longer what Install made.
func (c config) whole(root string) error {
	name := c.strange(root)
	if name == "" {
		return nil
	}
	e := environmentError(root, "is damaged: "+name+" is not as pyrun made it", nil)
	if c.base != baseEmbedded {
		e.Remedy = remedyAnew // what it says of its interpreter is not believed
	}
	return e
}

// starts says whether path is a name by which c's environment has its interpreter.
func (c config) starts(path string) bool {
	name := "bin/" + filepath.Base(path)
	return slices.ContainsFunc(c.links(""), func(l Link) bool { return l.Path == name })
}

// madeAround is the environment made by Install in which the file at path really
// lies; empty when it lies in none. The interpreter of one never does, it is linked to.
func madeAround(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if c, ok := readConfigFile(dir); ok && c.base != "" {
			return dir
		}
		if filepath.Dir(dir) == dir {
			return ""
		}
	}
}

// holds says whether a file is one, and holds just this text.
func holds(path, text string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(text)) {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, info.Size()))
	return err == nil && string(data) == text
}

// overwrites names the wheel that has changed the skeleton of an environment
// just filled, or has left something where pyrun puts its own files.
func (b base) overwrites(root string) error {
	name := b.config().strange(root)
	for _, own := range []string{PackagesFile, LockFile} {
		if _, err := os.Lstat(filepath.Join(root, own)); name == "" && !errors.Is(err, fs.ErrNotExist) {
			name = own
		}
	}
	if name == "" {
		return nil
	}
	whose := "a wheel"
	if owner := ownerOf(root, siteIn(root, b.version), name); owner != "" {
		whose += " of " + owner
	}
	return &PackagesError{Msg: whose + " overwrites the environment itself: " + name, Remedy: remedyLies}
}

// ownerOf is the package whose RECORD names a file of the environment at root.
func ownerOf(root, site, name string) string {
	from, err := filepath.Rel(root, site)
	if err != nil {
		return ""
	}
	in, err := os.OpenRoot(root)
	if err != nil {
		return ""
	}
	defer in.Close()
	infos, err := distInfos(in, filepath.ToSlash(from))
	if err != nil {
		return ""
	}
	for _, info := range infos {
		rows, _ := readRecord(in, info)
		if slices.ContainsFunc(rows, func(r recorded) bool { return strings.EqualFold(r.from(info), name) }) {
			return packageOf(info)
		}
	}
	return ""
}

func writeNew(path, text string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
