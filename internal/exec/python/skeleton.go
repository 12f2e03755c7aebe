// The bare virtual environment that pip fills.

package python

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
)

// skeleton is a virtual environment without packages: a pyvenv.cfg and a link.
func skeleton(root, work string, b base) error {
	c := config{version: b.version, base: b.executable}
	if b.embedded {
		c.base = baseEmbedded
		if err := writeNew(filepath.Join(root, sandboxConfig), c.text(embeddedInside+"/bin")); err != nil {
			return err
		}
	}
	return errors.Join(
		writeNew(filepath.Join(root, configFile), c.text(filepath.Dir(b.executable))),
		os.MkdirAll(siteIn(root, b.version), 0o755),
		os.MkdirAll(filepath.Join(root, "bin"), 0o755),
		os.Mkdir(work, 0o700),
		os.Symlink(b.executable, executableIn(root)),
		os.Symlink("python", executableIn(root)+"3"),
		lib64(root),
	)
}

// lib64 is for Linuxes whose interpreters put extension modules there.
func lib64(root string) error {
	if runtime.GOOS != "linux" {
		return nil
	}
	return os.Symlink("lib", filepath.Join(root, "lib64"))
}

func writeNew(path, text string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
