//go:build unix

package exec

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/pyrun-dev/pyrun/internal/exec/python"
	"github.com/pyrun-dev/pyrun/internal/exec/sandbox"
)

// taken is a parser that a source took over: say writes whatever it likes once
// the first source has come, and its return is the parser's end.
type taken struct {
	walls   // for what is not asked
	say     func(w io.Writer, from *bufio.Reader)
	exit    sandbox.Exit
	mu      sync.Mutex
	started int
}

func (w *taken) place() (sandbox.Place, error) { return sandbox.Place{}, nil }
func (w *taken) close() error                  { return nil }

func (w *taken) start(_ context.Context, _ sandbox.Place, p sandbox.Policy, s sandbox.Stdio) (tree, error) {
	if p.Network != sandbox.NetworkNone {
		return nil, fmt.Errorf("network %s", p.Network)
	}
	w.mu.Lock()
	w.started++
	w.mu.Unlock()
	var mine [2]*os.File
	for i, f := range []*os.File{s.Stdin, s.Stdout} {
		fd, err := syscall.Dup(int(f.Fd()))
		if err != nil {
			return nil, err
		}
		_ = syscall.SetNonblock(fd, true) // or a Close would not end a Read
		mine[i] = os.NewFile(uintptr(fd), "end")
	}
	t := &takenTree{in: mine[0], out: mine[1], done: make(chan struct{}), exit: w.exit}
	go func() {
		defer close(t.done)
		defer t.in.Close()
		defer t.out.Close()
		fmt.Fprintln(t.out, `{"stdlib":["os"],"installed":[]}`)
		w.say(t.out, bufio.NewReader(t.in))
	}()
	return t, nil
}

type takenTree struct {
	in, out *os.File
	done    chan struct{}
	exit    sandbox.Exit
}

func (t *takenTree) Observe() (sandbox.Observation, error) { return sandbox.Observation{}, nil }

func (t *takenTree) Posture() sandbox.Posture { return sandbox.Posture{} }
func (t *takenTree) Store() *os.File          { return nil }

func (t *takenTree) Streams() (stdout, stderr *os.File) { return nil, nil }
func (t *takenTree) Close() error                       { return nil }
func (t *takenTree) Kill(sandbox.Reason)                { _, _ = t.in.Close(), t.out.Close() }
func (t *takenTree) Wait() sandbox.Exit                 { <-t.done; return t.exit }

// next reads frames up to a source and returns it.
func next(from *bufio.Reader) ([]byte, bool) {
	for {
		var head [5]byte
		if _, err := io.ReadFull(from, head[:]); err != nil {
			return nil, false
		}
		data := make([]byte, binary.BigEndian.Uint32(head[1:]))
		if _, err := io.ReadFull(from, data); err != nil {
			return nil, false
		}
		if head[0] != 'K' {
			return data, true
		}
	}
}

// Whatever a parser says that was taken over: every source is told of once, in
// its own name, and Validate comes to an end.
func TestValidateBelievesNothing(t *testing.T) {
	honest := func(w io.Writer, from *bufio.Reader) {
		for {
			if _, ok := next(from); !ok {
				return
			}
			fmt.Fprintln(w, "{}")
		}
	}
	for name, tt := range map[string]struct {
		say  func(w io.Writer, from *bufio.Reader)
		exit sandbox.Exit
		want string // of every source; empty is nothing
	}{
		"honest":      {say: honest},
		"babbles":     {say: func(w io.Writer, from *bufio.Reader) { next(from); fmt.Fprintln(w, "all is well") }, want: "PYR111"},
		"another key": {say: func(w io.Writer, from *bufio.Reader) { next(from); fmt.Fprintln(w, `{"file":"other.py"}`) }, want: "PYR111"},
		"endless line": {say: func(w io.Writer, from *bufio.Reader) {
			next(from)
			for {
				if _, err := w.Write(bytes.Repeat([]byte("x"), 64<<10)); err != nil {
					return
				}
			}
		}, want: "PYR111"},
		"dies":          {say: func(_ io.Writer, from *bufio.Reader) { next(from) }, exit: sandbox.Exit{Signal: syscall.SIGSEGV, Code: 139}, want: "PYR111 the interpreter's compiler failed on the source (SIGSEGV)"},
		"out of memory": {say: func(_ io.Writer, from *bufio.Reader) { next(from) }, exit: sandbox.Exit{OOM: true, Code: 137}, want: "PYR110 the source takes more than 512 MiB"},
		"silent": {say: func(w io.Writer, from *bufio.Reader) {
			for { // until it is killed
				if _, err := w.Write(nil); err != nil {
					return
				}
				time.Sleep(time.Millisecond)
			}
		}, want: "PYR112"},
		"accuses without end": {say: func(w io.Writer, from *bufio.Reader) {
			for {
				if _, ok := next(from); !ok {
					return
				}
				fmt.Fprintf(w, `{"imports":[%s{"name":"x"}]}`+"\n", strings.Repeat(`{"name":"\u001b[2J","place":[9999999,-1,0,0]},`, 3000))
			}
		}, want: "PYR301"},
		// An answer before the question is taken for one; it says no more than an answer can.
		"answers unasked": {say: func(w io.Writer, from *bufio.Reader) {
			_, _ = io.WriteString(w, strings.Repeat(`{"failed":"MemoryError"}`+"\n", 1000))
			honest(io.Discard, from)
		}, want: "PYR110"},
	} {
		t.Run(name, func(t *testing.T) {
			o := Options{Sandbox: "none", MaxWorkers: 2}
			if tt.want == "PYR112" { // the only one whose time is up
				o.DefaultTimeout = 300 * time.Millisecond
			}
			e, err := New(o)
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			w := &taken{say: tt.say, exit: tt.exit}
			e.walls, e.interpreter = w, &python.Interpreter{Version: "3.14.6", Path: "/usr/bin/python3"}
			var sources []Source
			for i := range 5 {
				sources = append(sources, Source{Name: fmt.Sprint(i), Code: []byte("import os\n")})
			}
			r, err := e.Validate(t.Context(), Validation{Sources: one(sources...)})
			if err != nil {
				t.Fatal(err)
			}
			seen := map[string]int{}
			for _, d := range r.Diagnostics {
				seen[d.File]++
				if got := brief([]Diagnostic{d}); tt.want == "" || !strings.Contains(got, tt.want) || d.Line > 2 || strings.Contains(got, "\x1b") {
					t.Errorf("%s: %s", d.File, got)
				}
			}
			if r.Files != 5 || tt.want != "" && len(seen) != 5 || w.started > 2*5 {
				t.Errorf("%d files, %v, %d parsers", r.Files, seen, w.started)
			}
			for file, n := range seen {
				if n > maxFindings {
					t.Errorf("%d diagnostics of %s", n, file)
				}
			}
		})
	}
}

// A parser that never gets ready is pyrun's failure, not a source's.
func TestValidateNeedsAParser(t *testing.T) {
	e, err := New(Options{Sandbox: "none"})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	e.walls, e.interpreter = mute{}, &python.Interpreter{Version: "3.14.6", Path: "/usr/bin/python3"}
	r, err := e.Validate(t.Context(), Validation{Sources: one(Source{Code: []byte("x")})})
	if r != nil || err == nil || !strings.Contains(err.Error(), "start the parser") || !strings.Contains(err.Error(), "exit 1") {
		t.Errorf("%v, %v", r, err)
	}
}

type mute struct{ walls }

func (mute) place() (sandbox.Place, error) { return sandbox.Place{}, nil }
func (mute) close() error                  { return nil }

func (mute) start(context.Context, sandbox.Place, sandbox.Policy, sandbox.Stdio) (tree, error) {
	t := &takenTree{done: make(chan struct{}), exit: sandbox.Exit{Code: 1}}
	close(t.done)
	return t, nil
}
