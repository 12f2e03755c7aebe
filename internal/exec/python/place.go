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
// People name what they keep env.old or env.new: these are names of our own.
const (
	lockSuffix  = ".pyrun-lock"
	newSuffix   = ".pyrun-new-"
	oldSuffix   = ".pyrun-old"
	asideSuffix = ".pyrun-aside"
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
		if !ours(root) {
			return "", notOurs(root)
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
	unlock = func() { _ = lock.Close() }
	for _, at := range []string{root + oldSuffix, root + asideSuffix} {
		if _, err := os.Lstat(at); !errors.Is(err, fs.ErrNotExist) && !ours(at) {
			unlock()
			return nil, notOurs(at)
		}
	}
	if _, err := os.Lstat(root); errors.Is(err, fs.ErrNotExist) {
		_ = os.Rename(root+asideSuffix, root) // killed between two steps
	}
	siblings, _ := os.ReadDir(filepath.Dir(root))
	for _, s := range siblings {
		if strings.HasPrefix(s.Name(), filepath.Base(root)+newSuffix) {
			_ = clearAway(filepath.Join(filepath.Dir(root), s.Name())) // of others: it is in nobody's way
		}
	}
	return unlock, nil
}

// ours says whether the folder at dir is an environment that pyrun made or
// began, or is empty. Nothing else is ever replaced, moved or removed.
func ours(dir string) bool {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		return false
	}
	if c, _ := readConfigFile(dir); c.base != "" {
		return true
	}
	entries, err := os.ReadDir(dir)
	return err == nil && len(entries) == 0
}

func notOurs(path string) error {
	return &PackagesError{
		Msg:    path + " holds something that pyrun did not make; it is left alone",
		Remedy: "move it away, or name an empty folder, or a new one, with --target DIR", Refused: true,
	}
}

// clearAway removes what is ours. The file that says so goes last: whoever is
// killed in between leaves what the next one knows.
func clearAway(dir string) error {
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if !ours(dir) {
		return notOurs(dir)
	}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if e.Name() != configFile {
			removeTree(filepath.Join(dir, e.Name()))
		}
	}
	removeTree(dir)
	return nil
}

// putInPlace gives the finished folder its name. What has that name is kept
// until the next time: scripts may run in it. After an error temp is as it was.
func putInPlace(temp, root string) error {
	err := os.Rename(temp, root)
	if _, stands := os.Lstat(root); err == nil || errors.Is(stands, fs.ErrNotExist) {
		return err
	}
	if !ours(root) { // it came while this one was being made
		return notOurs(root)
	}
	if exchange(temp, root) == nil {
		if clearAway(root+oldSuffix) == nil {
			_ = os.Rename(temp, root+oldSuffix)
		}
		return nil
	}
	err = replaceInTwoSteps(temp, root)
	if errors.Is(err, syscall.EBUSY) {
		return &PackagesError{Msg: root + " is a mount point, which cannot be replaced", Remedy: "name a folder below it: --target " + filepath.Join(root, "env")}
	}
	return err
}

// replaceInTwoSteps is for where one is not to be had; lockPlace and Choose know
// what it means when the second is missing.
func replaceInTwoSteps(temp, root string) error {
	old, aside := root+oldSuffix, root+asideSuffix
	if err := clearAway(aside); err != nil {
		return err
	}
	if err := os.Rename(root, aside); err != nil {
		return err
	}
	if err := os.Rename(temp, root); err != nil {
		return errors.Join(err, os.Rename(aside, root))
	}
	if clearAway(old) == nil {
		_ = os.Rename(aside, old)
	}
	return nil
}
