// What pip says, and what of it a reader needs.

package python

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// PackagesError is an environment that could not be made, locked or read.
// What stood before still stands.
type PackagesError struct {
	Msg     string   // what was being done, then the cause; lower case
	Said    []string // the last lines of pip, when they tell more
	Remedy  string   // what to do; may be empty
	Refused bool     // the caller's mistake, found before anything was tried
	Err     error    // may be nil
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
	maxSaid      = 40   // lines
	maxHeardLine = 8192 // bytes of a line that is looked at: paths in it may be long
	maxSaidLine  = 300  // bytes of one that is shown
)

// listener hears pip: steps become progress, the rest is kept for a failure.
type listener struct {
	progress func(what string, done, total int64)
	file     string   // of requirements, which pip names at every turn
	asked    []string // its lines

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
	line = l.scrub(strings.TrimSpace(strings.ToValidUTF8(line, "\ufffd")))
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
			l.progress("unpacking "+packagesOf(1+strings.Count(names, ",")), 0, 0)
		}
	case "WARNING:":
		if _, why, ok := strings.Cut(line, "after connection broken by "); ok {
			l.broken = connection(why)
		}
	}
	l.lines = append(l.lines, line[:min(len(line), maxHeardLine)])
	if len(l.lines) > maxSaid {
		l.lines = slices.Delete(l.lines, 0, 1)
	}
}

func packagesOf(n int) string {
	if n == 1 {
		return "1 package"
	}
	return strconv.Itoa(n) + " packages"
}

// scrub puts the requirement in place of "-r FILE (line N)", which the reader
// has never seen.
func (l *listener) scrub(line string) string {
	from := "-r " + l.file + " (line "
	for {
		before, rest, found := strings.Cut(line, from)
		number, after, closed := strings.Cut(rest, ")")
		n, err := strconv.Atoi(number)
		if !found || !closed || err != nil || n < 1 || n > len(l.asked) {
			return line
		}
		if head, ok := strings.CutSuffix(before, " (from "); ok {
			line = head + strings.TrimPrefix(after, ")")
		} else {
			line = before + l.asked[n-1] + after
		}
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
	e := &PackagesError{Msg: "pip failed", Err: err}
	for _, line := range l.lines {
		text, wrong := strings.CutPrefix(line, "ERROR: ")
		switch {
		case wrong && e.Err != nil:
			text = strings.TrimSuffix(text, ".")
			e = &PackagesError{Msg: "pip: " + text[:min(len(text), maxSaidLine)], Said: e.Said}
		case !chatter(line):
			e.Said = append(e.Said, line[:min(len(line), maxSaidLine)])
		}
	}
	after := func(words string) (string, bool) {
		_, rest, found := strings.Cut(all, words)
		rest, _, _ = strings.Cut(rest, "\n")
		return strings.TrimSpace(rest), found
	}
	lies := &PackagesError{Remedy: remedyLies}
	switch {
	case strings.Contains(all, "[Errno 28]") || strings.Contains(all, "[Errno 122]"):
		return noRoom(syscall.ENOSPC)
	case l.broken != "":
		return &PackagesError{
			Msg:    "the package index cannot be reached: " + l.broken,
			Remedy: "look at the network, or name another index with --index-url URL; without a network: --no-index --find-links DIR",
		}
	case strings.Contains(all, "outside the target directory"):
		name, _ := after("For req: ")
		name, _, _ = strings.Cut(name, ". ")
		lies.Msg = "a wheel of " + name + " is not what it should be: a file of it would land outside of the environment"
		return lies
	case strings.Contains(all, "inconsistent "):
		what, _ := after("inconsistent ")
		name, _ := after("Requested ")
		name, _, _ = strings.Cut(name, " ")
		lies.Msg = "a wheel of " + name + " is not what it says: its " + strings.TrimSuffix(what, ".")
		return lies
	case strings.Contains(all, "DO NOT MATCH THE HASHES"):
		expected, _ := after("Expected sha256 ")
		got, _ := after("Got ")
		what := "a wheel"
		if at := slices.IndexFunc(l.lines, func(s string) bool { return strings.HasPrefix(s, "Expected ") }); at > 0 {
			what, _, _ = strings.Cut(l.lines[at-1], " ")
		}
		lies.Msg, lies.Said = what+" is not the file that was asked for: its hash differs", []string{"expected " + expected, "got      " + got}
		return lies
	case strings.Contains(all, "No matching distribution found for "):
		what, _ := after("No matching distribution found for ")
		e.Msg, e.Said = "there is no wheel of "+what+" for this interpreter", nil
		if versions, ok := after("(from versions: "); ok && !strings.HasPrefix(versions, "none") {
			e.Said = []string{"there are versions " + strings.TrimSuffix(versions, ")")}
		}
		e.Remedy = "look at its spelling and version; a package that has no wheel is built elsewhere (pip wheel) and given with --find-links DIR"
	case strings.Contains(all, "conflicting dependencies"):
		e.Remedy = "loosen a version in packages.txt"
	}
	return e
}

// chatter are lines that tell a reader of a failure nothing.
func chatter(line string) bool {
	word, _, _ := strings.Cut(line, " ")
	switch word {
	case "Looking", "Processing", "Collecting", "Using", "Downloading", "Requirement", "INFO:", "Installing",
		"Additionally,", "To", "1.", "2.", "ERROR:":
		return true
	}
	return !strings.Contains(line, " ") // a name in a list that has been cut off
}

const remedyLies = "do not use it before you know why; another source of it is named with --index-url or --find-links"

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
