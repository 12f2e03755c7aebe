//go:build !noembed

// The interpreter that comes with pyrun: unpacked once into the cache folder,
// and from then on one record read and a few stats.

package python

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/rogpeppe/go-internal/robustio"
)

// The module's version and CPython's; a test holds them against go.mod. The last
// number counts up when unpack makes something else of the same files.
const (
	embeddedVersion = "3.14.6"
	embeddedBuild   = "20260610-1"
	embeddedLayout  = "2"

	unpackedBytes = 152 << 20 // while unpacking
	keptBytes     = 70 << 20  // afterwards
)

func embeddedName() string {
	return "python-" + embeddedVersion + "-" + embeddedBuild + "-" + embeddedLayout
}

// embedded is the record of the interpreter, which is unpacked first when need be.
func embedded(ctx context.Context, o Options) (*record, error) {
	dir, err := cacheDir(o)
	if err != nil {
		return nil, err
	}
	root := filepath.Join(dir, embeddedName())
	if r := loadRecord(dir, root); r != nil && trustRoot(root) == nil {
		return r, nil
	}
	if err := trustRoot(root); err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, unpackError("look at the cache folder", err)
		}
		err := unpackOnce(ctx, o, dir, root, "CPython "+embeddedVersion, func(to string) error { return unpack(ctx, o, to) })
		if err != nil {
			return nil, err
		}
	}
	r, err := describeEmbedded(ctx, root)
	if err != nil {
		return nil, err
	}
	r.store(dir)
	return r, nil
}

// unpackOnce makes root under a lock, by way of a folder that unpack fills: of two
// first starts the second waits.
func unpackOnce(ctx context.Context, o Options, dir, root, name string, unpack func(to string) error) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return unpackError("make the cache folder", err)
	}
	if err := TrustFolder(dir); err != nil {
		return err
	}
	lock := flock.New(root + ".lock")
	held, err := lock.TryLock()
	if err == nil && !held {
		o.progress("waiting for another pyrun that unpacks "+name, 0, 0)
		_, err = lock.TryLockContext(ctx, 50*time.Millisecond)
	}
	if err != nil {
		return unpackError("lock the cache folder", err)
	}
	done := false
	defer func() {
		if done {
			_ = lock.Close()
		}
	}()
	if trustRoot(root) == nil {
		done = true
		return nil // the other one did it
	}
	stale, _ := filepath.Glob(root + ".new-*")
	for _, path := range stale { // left by a pyrun that was killed: nobody holds the lock but us
		removeTree(path)
	}
	temp, err := os.MkdirTemp(dir, filepath.Base(root)+".new-")
	if err != nil {
		done = true
		return unpackError("unpack "+name, err)
	}
	// The library cannot be stopped half-way, so a cancelled call leaves it to
	// finish behind; the lock and the cleaning wait for it.
	result := make(chan error, 1)
	go func() {
		whole := filepath.Join(temp, "whole")
		err := unpack(whole)
		if err == nil {
			err = install(whole, root)
		}
		removeTree(temp)
		_ = lock.Close()
		result <- err
	}()
	select {
	case err = <-result:
	case <-ctx.Done():
		return ctx.Err()
	}
	if err != nil {
		return unpackError("unpack "+name, err)
	}
	return nil
}

// install gives the finished folder its name, which is what says that it is finished.
func install(from, root string) error {
	if err := robustio.Rename(from, root); err != nil { // Windows refuses while a virus scanner still looks at it
		return err
	}
	return os.Chmod(root, 0o555) // only now: a folder that cannot be written cannot move
}

// describeEmbedded makes the record of the unpacked interpreter.
func describeEmbedded(ctx context.Context, root string) (*record, error) {
	f, err := probe(ctx, programIn(root), probeTime)
	if err != nil {
		return nil, err
	}
	i := Interpreter{Source: f.Executable, Base: f.Real, Version: f.Version, Embedded: true, Harness: f.Harness, HarnessName: harnessCompiled}
	i.Path, i.Prefix = inPlace(root, f.Executable), embeddedInside
	i.Mounts = []Mount{{Source: root, Target: embeddedInside}}
	var objects []string
	for _, dir := range append([]string{filepath.Join(root, "lib")}, f.Dynload...) {
		objects = append(objects, sharedObjects(dir)...)
	}
	libraries := Interpreter{Mounts: []Mount{{Source: root, Target: root}}} // what lies in it is shown already
	libraries.showLibraries(append([]string{f.Real}, objects...), "")
	i.Mounts = append(i.Mounts, libraries.Mounts[1:]...)
	i.Packages = findPackages(f.Sites)
	return &record{
		Schema: recordSchema, Print: harnessPrint(), Path: root, CAFile: f.CAFile, Interpreter: i,
		Sites:  append(f.Sites, filepath.Join(root, rootsFolder)),
		Stamps: []stamp{stampOf(root), stampOf(loaderCache)},
	}, nil
}

// inPlace is a path of the unpacked folder as scripts see it.
func inPlace(root, path string) string {
	return embeddedInside + filepath.ToSlash(strings.TrimPrefix(path, root))
}

// unpackError words what went wrong with the cache folder, and the way out.
func unpackError(what string, err error) error {
	e := &Error{Kind: ErrCache, Msg: what, Err: err, Remedy: remedyCache}
	switch {
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.As(err, new(*Error)):
		return err
	case isFull(err):
		e.Remedy = fmt.Sprintf("make room: unpacking takes %d MB, and %d MB stay; or %s", unpackedBytes>>20, keptBytes>>20, remedyCache)
	}
	return e
}
