//go:build !noembed

// Making a good folder of what the module extracts: no doubles, nothing that
// scripts never need, every .pyc compiled, and read-only.

package python

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	embedpython "github.com/kluctl/go-embed-python/python"
)

//go:embed unpack.py
var unpackSource string

// fullDiskExit is how unpack.py says that no room is left.
const fullDiskExit = 28

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

// compileLibrary writes the .pyc, with the interpreter itself: one process a core.
func compileLibrary(ctx context.Context, dir string) error {
	parts := runtime.NumCPU()
	errs := make(chan error, parts)
	for part := range parts {
		go func() { errs <- compilePart(ctx, dir, part, parts) }()
	}
	var err error
	for range parts {
		err = cmp.Or(err, <-errs)
	}
	return err
}

func compilePart(ctx context.Context, dir string, part, parts int) error {
	lib := "lib/python" + shortVersion(embeddedVersion)
	if runtime.GOOS == "windows" {
		lib = "Lib"
	}
	cmd := exec.CommandContext(ctx, programIn(dir), "-I", "-S", "-X", "utf8", "-c", unpackSource,
		filepath.Join(dir, lib), embeddedInside+"/"+lib, strconv.Itoa(part), strconv.Itoa(parts))
	cmd.Env = []string{}
	cmd.Dir = dir
	cmd.WaitDelay = time.Second
	ownGroup(cmd)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &exit) && exit.ExitCode() == fullDiskExit:
		return fmt.Errorf("compile the standard library: %w", syscall.ENOSPC)
	case err != nil:
		return fmt.Errorf("compile the standard library: %w: %s", err, lastLine(stderr.String()))
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

// removeTree removes a folder whose folders may be read-only.
func removeTree(dir string) {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	_ = os.RemoveAll(dir)
}

func treeSize(dir string) (size int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			if info, err := d.Info(); err == nil {
				size += info.Size()
			}
		}
		return nil
	})
	return size
}

func isFull(err error) bool {
	var errno syscall.Errno
	if !errors.As(err, &errno) {
		return false
	}
	if runtime.GOOS == "windows" && (errno == 112 || errno == 39) { // ERROR_DISK_FULL, ERROR_HANDLE_DISK_FULL
		return true
	}
	return errno == syscall.ENOSPC || errno == syscall.EDQUOT
}

func (o Options) progress(what string, done, total int64) {
	if o.Progress != nil {
		o.Progress(what, done, total)
	}
}
