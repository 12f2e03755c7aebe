// What pip says, and what of it a reader needs.

package python

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// PackagesError is an environment that could not be made, locked or read.
// What stood before still stands.
type PackagesError struct {
	Msg    string   // what was being done, then the cause; lower case
	Said   []string // the last lines of pip, when they tell more
	Remedy string   // what to do; may be empty
	Err    error    // may be nil
}

func (e *PackagesError) Error() string {
	if e.Err != nil {
		return e.Msg + ": " + e.Err.Error()
	}
	return e.Msg
}
func (e *PackagesError) Unwrap() error { return e.Err }

// Bounds of what is kept of pip's output.
const (
	maxSaid     = 40  // lines
	maxSaidLine = 300 // bytes
)

// listener hears pip: steps become progress, the rest is kept for a failure.
type listener struct {
	progress func(what string, done, total int64)

	mu      sync.Mutex
	rest    []byte // of a line that has not ended
	lines   []string
	loading string // what is being downloaded
	broken  string // why the index could not be reached
}

func (l *listener) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rest = append(l.rest, p...)
	for {
		line, rest, ended := bytes.Cut(l.rest, []byte("\n"))
		if !ended && len(line) < 64<<10 {
			return len(p), nil
		}
		l.rest = append([]byte(nil), rest...)
		l.hear(string(line))
	}
}

func (l *listener) flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hear(string(l.rest))
}

func (l *listener) hear(line string) {
	line = strings.TrimSpace(strings.ToValidUTF8(line, "\ufffd"))
	word, rest, _ := strings.Cut(line, " ")
	first, _, _ := strings.Cut(rest, " ")
	switch word {
	case "":
		return
	case "Progress":
		var done, total int64
		if n, _ := fmt.Sscanf(line, "Progress %d of %d", &done, &total); n == 2 && l.loading != "" {
			l.progress("downloading "+l.loading, min(done, max(total-1, 0)), total)
			return
		}
	case "Collecting":
		l.progress("collecting "+first, 0, 0)
	case "Downloading", "Using", "Processing":
		l.loading = first[strings.LastIndexByte(first, '/')+1:]
	case "Installing":
		if _, names, ok := strings.Cut(line, "packages: "); ok {
			l.progress(fmt.Sprintf("unpacking %d packages", 1+strings.Count(names, ",")), 0, 0)
		}
	case "WARNING:":
		if _, why, ok := strings.Cut(line, "after connection broken by "); ok {
			l.broken = connection(why)
		}
	}
	l.lines = append(l.lines, line[:min(len(line), maxSaidLine)])
	if len(l.lines) > maxSaid {
		l.lines = slices.Delete(l.lines, 0, 1)
	}
}

// connection is the cause at the end of a nest of exceptions.
func connection(why string) string {
	why, _, _ = strings.Cut(why, "': /")
	if at := strings.LastIndex(why, "] "); at >= 0 {
		why = why[at+2:]
	} else if at := strings.LastIndex(why, ": "); at >= 0 {
		why = why[at+2:]
	}
	return strings.TrimRight(why, `)'"`)
}

// explain makes one clear line of a failure, and keeps what pip said where there is none.
func (l *listener) explain(err error) error {
	all := strings.Join(l.lines, "\n")
	var errorLines []string
	for _, line := range l.lines {
		if text, ok := strings.CutPrefix(line, "ERROR: "); ok {
			errorLines = append(errorLines, text)
		}
	}
	e := &PackagesError{Msg: "pip failed", Err: err, Said: l.lines[max(0, len(l.lines)-8):]}
	if len(errorLines) > 0 {
		e = &PackagesError{Msg: "pip: " + strings.TrimSuffix(errorLines[0], "."), Said: l.lines[max(0, len(l.lines)-8):]}
		if len(l.lines) == 1 {
			e.Said = nil
		}
	}
	switch {
	case strings.Contains(all, "[Errno 28]") || strings.Contains(all, "[Errno 122]"):
		return noRoom(syscall.ENOSPC)
	case l.broken != "":
		return &PackagesError{
			Msg:    "the package index cannot be reached: " + l.broken,
			Remedy: "look at the network, or name another index with --index-url URL; without a network: --no-index --find-links DIR",
		}
	case strings.Contains(all, "No matching distribution found for "):
		_, what, _ := strings.Cut(all, "No matching distribution found for ")
		what, _, _ = strings.Cut(what, "\n")
		what, _, _ = strings.Cut(what, " (from -r ")
		e.Msg, e.Said = "there is no wheel of "+what+" for this interpreter", nil
		if at := slices.IndexFunc(l.lines, func(s string) bool { return strings.Contains(s, "(from versions: ") }); at >= 0 {
			if _, versions, _ := strings.Cut(l.lines[at], "(from versions: "); !strings.HasPrefix(versions, "none") {
				e.Said = []string{"there are versions " + strings.TrimSuffix(strings.TrimSpace(versions), ")")}
			}
		}
		e.Remedy = "look at its spelling and version; a package that has no wheel is built elsewhere (pip wheel) and given with --find-links DIR"
	case strings.Contains(all, "DO NOT MATCH THE HASHES"):
		e.Msg = "a file is not the one that was locked: its hash differs"
		e.Remedy = "do not use it before you know why; if it is right: pyrun packages lock"
	case strings.Contains(all, "conflicting dependencies"):
		e.Remedy = "loosen a version in packages.txt"
	}
	return e
}

func noRoom(err error) error {
	return &PackagesError{Msg: "there is no room left", Err: err, Remedy: "make room, or choose another place with --target DIR"}
}

// orNoRoom words an error of a step of our own.
func orNoRoom(what string, err error) error {
	var known *PackagesError
	switch {
	case err == nil || errors.As(err, &known):
		return err
	case isFull(err):
		return noRoom(err)
	}
	return &PackagesError{Msg: what, Err: err}
}
