// Folders that pyrun fills once and only reads from then on.

package python

import (
	"bytes"
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
	"syscall"
	"time"
)

//go:embed compile.py
var compileSource string

// compileFolder writes the .pyc of a folder that scripts will see as inside,
// with the interpreter that will read them. None of the folder's code runs.
func compileFolder(ctx context.Context, executable, dir, inside string) error {
	if runtime.GOOS == "windows" {
		return nil // no fork; Python writes them as it imports
	}
	cmd := exec.CommandContext(ctx, executable, "-I", "-S", "-X", "utf8", "-W", "ignore", "-c", compileSource, dir, inside, strconv.Itoa(runtime.NumCPU()))
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
	case errors.As(err, &exit) && exit.ExitCode() == int(syscall.ENOSPC):
		return syscall.ENOSPC
	case err != nil:
		return fmt.Errorf("%w: %s", err, lastLine(stderr.String()))
	}
	return nil
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
	return errors.As(err, &errno) && fullDisk(errno)
}

func (o Options) progress(what string, done, total int64) {
	if o.Progress != nil {
		o.Progress(what, done, total)
	}
}
