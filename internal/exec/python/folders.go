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

	"golang.org/x/sync/errgroup"
)

//go:embed compile.py
var compileSource string

// fullDiskExit is how compile.py says that no room is left.
const fullDiskExit = 28

// compileFolder writes the .pyc of a folder that scripts will see as inside,
// with the interpreter that will read them: one process a core. None of the
// folder's code runs.
func compileFolder(ctx context.Context, executable, dir, inside string) error {
	g, ctx := errgroup.WithContext(ctx)
	parts := runtime.NumCPU()
	for part := range parts {
		g.Go(func() error { return compilePart(ctx, executable, dir, inside, part, parts) })
	}
	return g.Wait()
}

func compilePart(ctx context.Context, executable, dir, inside string, part, parts int) error {
	cmd := exec.CommandContext(ctx, executable, "-I", "-S", "-X", "utf8", "-W", "ignore", "-c", compileSource,
		dir, inside, strconv.Itoa(part), strconv.Itoa(parts))
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
