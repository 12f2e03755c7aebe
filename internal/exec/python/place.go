// The place of an environment: which folder, who may go to work there, and how
// a finished one comes to stand in it.

package python

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// Beside an environment stand a lock, the one being made, the one before, and,
// for a moment where a system cannot exchange folders, the one to be replaced.
const (
	lockSuffix  = ".lock"
	newSuffix   = ".new-"
	oldSuffix   = ".old"
	asideSuffix = ".aside"
)

const remedyTarget = "name a folder of your own with --target DIR"

// target is where the environment will stand.
func (in Installation) target(b base) (string, error) {
	root := in.Target
	switch {
	case root != "":
	case b.root != "":
		root = b.root
	default:
		root = Place(in.Options)
	}
	if root == "" {
		return "", &PackagesError{Msg: "find the folder for the environment: HOME is not set", Remedy: "name one with --target DIR, or set XDG_DATA_HOME"}
	}
	root, err := filepath.Abs(root)
	if err != nil {
		return "", &PackagesError{Msg: "find the folder for the environment", Err: err}
	}
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	info, err := os.Lstat(root)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(filepath.Dir(root), 0o755); err != nil {
			return "", &PackagesError{Msg: "make the folder for the environment", Err: err, Remedy: remedyTarget}
		}
	case err != nil:
		return "", &PackagesError{Msg: "look at " + root, Err: err}
	case !info.IsDir():
		return "", &PackagesError{Msg: root + " is no folder", Remedy: remedyTarget, Refused: true}
	default:
		_, c, _ := readConfig(executableIn(root))
		if entries, err := os.ReadDir(root); c.base == "" && (err != nil || len(entries) > 0) {
			return "", &PackagesError{Msg: root + " holds something that pyrun did not make; it is left alone", Remedy: "name an empty folder, or a new one, with --target DIR", Refused: true}
		}
		if err := trustFile(info, root, false); err != nil {
			return "", untrusted(root, remedyTarget, err)
		}
	}
	if err := TrustFolder(filepath.Dir(root)); err != nil { // what is made beside it must be ours too
		return "", untrusted(root, remedyTarget, err)
	}
	return root, nil
}

// lockPlace keeps other installs into root out, waits for one that is going on,
// and clears away what one that was killed has left.
func lockPlace(ctx context.Context, o Options, root string) (unlock func(), err error) {
	lock := flock.New(root + lockSuffix)
	held, err := lock.TryLock()
	if err == nil && !held {
		o.progress("waiting for another install into "+root, 0, 0)
		_, err = lock.TryLockContext(ctx, 100*time.Millisecond)
	}
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &PackagesError{Msg: "lock the place of the environment", Err: err, Remedy: remedyTarget}
	}
	if _, err := os.Lstat(root); errors.Is(err, fs.ErrNotExist) {
		_ = os.Rename(root+asideSuffix, root) // killed between two steps
	}
	siblings, _ := os.ReadDir(filepath.Dir(root))
	for _, s := range siblings {
		if strings.HasPrefix(s.Name(), filepath.Base(root)+newSuffix) {
			removeTree(filepath.Join(filepath.Dir(root), s.Name()))
		}
	}
	return func() { _ = lock.Close() }, nil
}

// putInPlace gives the finished folder its name. What has that name is kept
// until the next time: scripts may run in it.
func putInPlace(temp, root string) error {
	if os.Rename(temp, root) == nil { // nothing is there, or an empty folder
		return nil
	}
	if exchange(temp, root) == nil {
		removeTree(root + oldSuffix)
		_ = os.Rename(temp, root+oldSuffix)
		return nil
	}
	err := replaceInTwoSteps(temp, root)
	if errors.Is(err, syscall.EBUSY) {
		return &PackagesError{Msg: root + " is a mount point, which cannot be replaced", Remedy: "name a folder below it: --target " + filepath.Join(root, "env")}
	}
	return err
}

// replaceInTwoSteps is for where one is not to be had; lockPlace and Choose know
// what it means when the second is missing.
func replaceInTwoSteps(temp, root string) error {
	old, aside := root+oldSuffix, root+asideSuffix
	removeTree(aside)
	if err := os.Rename(root, aside); err != nil {
		return err
	}
	if err := os.Rename(temp, root); err != nil {
		return errors.Join(err, os.Rename(aside, root))
	}
	removeTree(old)
	_ = os.Rename(aside, old)
	return nil
}
