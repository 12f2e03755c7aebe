package exec

// Artifacts as files: in the folder a caller named, or in one of the run's own.

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// folder is a sink. Every step goes through an os.Root, so that nothing that
// was in the folder before can lead a write out of it.
type folder struct {
	path  string
	root  *os.Root
	made  bool // by us, so it goes again when nothing came
	fresh bool // nothing was in it
	id    string
	count int
}

// openFolder makes or takes the folder before the run, so that a bad one costs no run.
func openFolder(name, id string) (*folder, error) {
	refuse := func(err error) error {
		return &RequestError{Field: "folder", Msg: shown(name) + " cannot take artifacts: " + reason(err), Hint: "name another folder that you can write to"}
	}
	full, err := filepath.Abs(name)
	if err != nil {
		return nil, refuse(err)
	}
	f := &folder{path: full, id: id}
	if _, err := os.Lstat(full); errors.Is(err, fs.ErrNotExist) {
		f.made = true
	}
	if err := os.MkdirAll(full, 0o755); err != nil {
		return nil, refuse(err)
	}
	if f.root, err = os.OpenRoot(full); err != nil {
		return nil, refuse(err)
	}
	if err := f.look(); err != nil {
		f.close(0)
		return nil, refuse(err)
	}
	return f, nil
}

// look learns whether the folder is empty and proves that it can be written to.
func (f *folder) look() error {
	d, err := f.root.Open(".")
	if err != nil {
		return err
	}
	names, _ := d.Readdirnames(1)
	d.Close()
	f.fresh = len(names) == 0
	probe, err := f.temporary()
	if err != nil {
		return err
	}
	probe.Close()
	return f.root.Remove(path.Base(filepath.ToSlash(probe.Name())))
}

func (f *folder) temporary() (*os.File, error) {
	f.count++
	return f.root.OpenFile(fmt.Sprintf(".pyrun-%s-%d.tmp", f.id, f.count), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
}

// put writes one artifact whole or not at all. What stands under its name is
// replaced, but for two things: a folder, and, where other files lie already,
// hidden names: they are what tools obey.
func (f *folder) put(name string, data []byte) (string, error) {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		if !f.fresh && strings.HasPrefix(part, ".") {
			return "", errors.New("hidden names are only written to a folder that was empty")
		}
		if i == len(parts)-1 {
			break
		}
		dir := path.Join(parts[:i+1]...)
		if err := f.root.Mkdir(dir, 0o755); err != nil {
			if info, lerr := f.root.Lstat(dir); lerr != nil || !info.IsDir() {
				return "", err
			}
		}
	}
	t, err := f.temporary()
	if err != nil {
		return "", err
	}
	temp := path.Base(filepath.ToSlash(t.Name()))
	_, err = t.Write(data)
	if cerr := t.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = f.root.Rename(temp, name)
	}
	if err != nil {
		_ = f.root.Remove(temp)
		return "", err
	}
	return filepath.Join(f.path, filepath.FromSlash(name)), nil
}

// close ends the use; a folder that was made for nothing is taken away.
func (f *folder) close(artifacts int) {
	if f.root != nil {
		f.root.Close()
	}
	if f.made && artifacts == 0 {
		_ = os.Remove(f.path)
	}
}
