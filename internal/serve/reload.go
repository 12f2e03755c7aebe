package serve

// Files that may change while the server runs. What counts is their content: a
// new one is taken whole or not at all, and then the old one goes on.

import (
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"log/slog"
	"path/filepath"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	// settle is how long files must be quiet: an editor writes more than once,
	// and a certificate comes with its key.
	settle = 200 * time.Millisecond

	// lookAgain is for file systems that tell of no change.
	lookAgain = time.Minute

	// goneAfter is how long a file must be missing at least to be gone, which is
	// seen when it is looked for again: whoever replaces it may take it away first.
	goneAfter = time.Minute
)

// File is one that is read again when it has changed.
type File struct {
	Path string

	// Load takes the new content, or leaves everything as it was and says why.
	Load func(data []byte) error

	// Gone is called when the file is no longer there, or not for us, and was not
	// for a while; nil is for what is better kept then.
	Gone func()
}

// watched is a File with what was seen of it last.
type watched struct {
	File
	seen    [sha256.Size]byte
	said    once
	missing time.Time // since when; zero: it is there
	dropped bool      // Gone was told
}

// reloader watches the folders that hold the files, not the files: Kubernetes
// swaps a link beside them, and editors rename over them.
type reloader struct {
	out     *slog.Logger
	files   []*watched
	watcher *fsnotify.Watcher // nil: only by looking again
	every   time.Duration
	gone    time.Duration
}

// newReloader watches first and reads then, so that no change falls in between;
// what was read at the start already is read once more.
func newReloader(out *slog.Logger, files []File) *reloader {
	r := &reloader{out: out, every: lookAgain, gone: goneAfter}
	for _, f := range files {
		r.files = append(r.files, &watched{File: f, said: once{log: out, what: "reload " + f.Path}})
	}
	if len(files) == 0 {
		return r
	}
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		out.Warn("files are looked at once a minute only: the kernel tells of no change", "error", err.Error())
	} else {
		r.watcher = watcher
		for _, f := range files {
			if err := watcher.Add(filepath.Dir(f.Path)); err != nil {
				out.Warn("a file is looked at once a minute only", "file", f.Path, "error", err.Error())
			}
		}
	}
	r.look(func(*watched) {})
	return r
}

// run looks whenever something happened beside the files, until ctx ends.
func (r *reloader) run(ctx context.Context) {
	var events chan fsnotify.Event
	var errs chan error
	if r.watcher != nil {
		defer r.watcher.Close()
		events, errs = r.watcher.Events, r.watcher.Errors
	}
	tick := time.NewTicker(r.every)
	defer tick.Stop()
	quiet := time.NewTimer(settle)
	quiet.Stop()
	tell := func(w *watched) { w.said.log.Info("reloaded", "file", w.Path) }
	for {
		select {
		case <-ctx.Done():
			return
		case <-events:
			quiet.Reset(settle)
		case err := <-errs:
			r.out.Warn("changes of files may have been missed: all are looked at", "error", err.Error())
			quiet.Reset(settle)
		case <-quiet.C:
			r.look(tell)
		case <-tick.C:
			r.look(tell)
		}
	}
}

// look loads what has changed. A file that is gone is one that cannot be read.
func (r *reloader) look(loaded func(*watched)) {
	for _, w := range r.files {
		data, err := readSmall(w.Path, maxPEM)
		r.miss(w, isGone(err))
		if err == nil {
			sum := sha256.Sum256(data)
			if sum == w.seen {
				w.said.well()
				continue
			}
			if err = w.Load(data); err == nil {
				w.seen = sum
				w.said.well()
				loaded(w)
				continue
			}
		}
		w.said.say(err)
	}
}

// isGone tells a file that was taken away, with its folder or by its mode, from
// one that cannot be read for reasons of this moment.
func isGone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENOTDIR)
}

// miss tells a file that is gone from one that is being replaced.
func (r *reloader) miss(w *watched, missing bool) {
	switch {
	case w.Gone == nil:
	case !missing:
		w.missing, w.dropped = time.Time{}, false
	case w.missing.IsZero():
		w.missing = time.Now()
	case !w.dropped && time.Since(w.missing) >= r.gone:
		w.dropped, w.seen = true, [sha256.Size]byte{}
		w.Gone()
		r.out.Error("a file is gone, and what it said with it", "file", w.Path)
	}
}
