//go:build !noembed

// Making a good folder of what the module extracts: no doubles, nothing that
// scripts never need, every .pyc compiled, and read-only.

package python

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	embedpython "github.com/kluctl/go-embed-python/python"
)

// unpack extracts into dir, which does not exist yet.
func unpack(ctx context.Context, o Options, dir string) error {
	what := "unpacking CPython " + embeddedVersion + " (once)"
	o.progress(what, 0, unpackedBytes)
	stop := make(chan struct{})
	stopped := make(chan struct{})
	go func() { // the library does not say how far it is
		defer close(stopped)
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				o.progress(what, min(treeSize(dir), unpackedBytes), unpackedBytes)
			}
		}
	}()
	_, err := embedpython.NewEmbeddedPythonWithTmpDir(dir, false)
	close(stop)
	<-stopped
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	if err := prune(dir); err != nil {
		return err
	}
	if err := writeRoots(dir); err != nil {
		return err
	}
	o.progress("compiling the standard library (once)", 0, 0)
	if err := compileLibrary(ctx, dir); err != nil {
		return err
	}
	if err := seal(dir); err != nil {
		return err
	}
	o.progress(what, unpackedBytes, unpackedBytes)
	return nil
}

// prune takes out what no script can use: programs of pip and IDLE, which are
// not in the module; the library for embedding CPython in C programs, which the
// executable does not need; C's own headers and CPython's own test modules. The
// copies of the executable become links.
func prune(dir string) error {
	short := shortVersion(embeddedVersion)
	patterns := []string{
		"bin/idle*", "bin/pip*", "bin/*-config", "lib/libpython*.so*", "lib/python3*/config-*",
		"lib/python3*/lib-dynload/_test*", "lib/python3*/lib-dynload/_ctypes_test*", "lib/python3*/lib-dynload/_xxtest*", "include",
	}
	if runtime.GOOS == "windows" {
		patterns = []string{"DLLs/_test*", "DLLs/_ctypes_test*"}
	}
	for _, pattern := range patterns {
		found, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern)))
		if err != nil {
			return err
		}
		for _, path := range found {
			if err := os.RemoveAll(path); err != nil {
				return err
			}
		}
	}
	if runtime.GOOS == "windows" {
		return nil
	}
	for _, name := range []string{"python", "python3"} {
		path := filepath.Join(dir, "bin", name)
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := os.Symlink("python"+short, path); err != nil {
			return err
		}
	}
	return nil
}

// compileLibrary writes the .pyc, with the interpreter itself.
func compileLibrary(ctx context.Context, dir string) error {
	lib := "lib/python" + shortVersion(embeddedVersion)
	if runtime.GOOS == "windows" {
		lib = "Lib"
	}
	program := programIn(dir)
	err := compileFolder(ctx, program, filepath.Join(dir, lib), embeddedInside+"/"+lib)
	if _, there := os.Stat(program); errors.Is(err, fs.ErrNotExist) && there == nil {
		return &Error{
			Name: "CPython " + embeddedVersion + ", embedded", Kind: ErrUnusable, Err: err,
			Msg:    "this system lacks the loader that it needs, glibc's",
			Remedy: "give an interpreter of this system with --python, or take a system with glibc; Alpine has none",
		}
	}
	if err != nil {
		return fmt.Errorf("compile the standard library: %w", err)
	}
	return nil
}

// seal makes everything read-only, the folder itself excepted.
func seal(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir || d.Type()&fs.ModeSymlink != 0 {
			return err
		}
		mode := fs.FileMode(0o444)
		if d.IsDir() {
			mode = 0o555
		} else if info, err := d.Info(); err != nil {
			return err
		} else if info.Mode()&0o111 != 0 && !strings.HasSuffix(path, ".py") {
			mode = 0o555
		}
		return os.Chmod(path, mode)
	})
}
