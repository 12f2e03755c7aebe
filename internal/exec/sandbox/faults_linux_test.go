//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// steps is the list of one run here, by name.
func stepsOf(t *testing.T, pol Policy) []string {
	t.Helper()
	h, err := lookAround()
	if err != nil {
		t.Fatal(err)
	}
	s := site{anchor: "/mnt", lastCap: h.lastCap, landlock: h.landlock, guard: h.guard, bounds: h.bounds, doors: 1}
	if s.binds, err = inspect(pol.Binds, nil); err != nil {
		t.Fatal(err)
	}
	if s.devices, err = inspectDevices(); err != nil {
		t.Fatal(err)
	}
	if s.filter, err = callFilter(pol.Network); err != nil {
		t.Fatal(err)
	}
	if s.id, err = newIdentity(h.userns, h.ownID); err != nil {
		t.Fatal(err)
	}
	defer s.id.close()
	opening, rest := written(pol, s)
	if len(opening.ops) > restOp || len(rest.ops)*opSize > restDataAt {
		t.Fatalf("%d and %d ops are more than there is room for", len(opening.ops), len(rest.ops))
	}
	return append(opening.list(), rest.list()...)
}

// written is both parts of a list.
func written(pol Policy, s site) (opening, rest *program) {
	opening = newOpening("")
	open(opening, s)
	rest = opening.rest("")
	compose(rest, pol, s)
	return opening, rest
}

// TestEveryStepFailsClosed makes each step of the list fail in turn: the script
// must not run, the error must name the step, and nothing may be left.
func TestEveryStepFailsClosed(t *testing.T) {
	asEveryone(t)
	pol := shell("echo ran > /job/artifacts/ran")
	seen := map[string]bool{}
	for _, step := range stepsOf(t, pol) {
		if seen[step] || step == "wait for the script" { // by then it runs
			continue
		}
		seen[step] = true
		ahead := &Machine{}
		ahead.init(step)
		for name, m := range map[string]*Machine{"": nil, " ahead": ahead} {
			t.Run(step+name, func(t *testing.T) {
				if m != nil {
					m.begin(true)
				}
				l, err := New(Options{Backend: Native, Fault: step, Machine: m})
				if err != nil {
					t.Fatal(err)
				}
				defer l.Close()
				r, w, err := os.Pipe()
				if err != nil {
					t.Fatal(err)
				}
				defer r.Close()
				p, err := l.Start(context.Background(), Place{}, pol, Stdio{Stdout: w, Stderr: w})
				w.Close()
				if err == nil {
					p.Wait()
					p.Close()
					t.Fatal("the script was started without this wall")
				}
				var e *Error
				if !errors.As(err, &e) || e.Step != step || !errors.Is(err, unix.EIO) {
					t.Fatalf("the error is %v, want one of step %q with EIO", err, step)
				}
				if n, _ := r.Read(make([]byte, 1)); n != 0 {
					t.Fatal("something was printed")
				}
				if left := descendants(os.Getpid(), nil); len(left) > 0 {
					t.Errorf("processes left: %v", left)
				}
			})
		}
	}
	if len(seen) < 40 {
		t.Fatalf("only %d steps", len(seen))
	}
}

// TestSourceReplaced: what is not what the parent looked at is not shown.
func TestSourceReplaced(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "f")
	for _, name := range []string{"f", "g"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	sources, err := inspect([]Bind{{Source: file, Target: "/f"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(sources, func(s source) bool { return s.Target == "/f" })
	before := sources[i].stat.Ino
	if err := os.Rename(filepath.Join(dir, "g"), file); err != nil {
		t.Fatal(err)
	}
	n := newOpening("")
	mountBind(n, sources[i], n.statx())
	found := false
	for _, o := range n.ops {
		found = found || o.nr == opCheck && o.args[2] == before
	}
	if !found {
		t.Fatal("the list does not compare the inode")
	}
}

func TestBindsAreLookedAt(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{fifo, filepath.Join(dir, "none"), "/dev/null"} {
		if _, err := inspect([]Bind{{Source: at, Target: "/x"}}, nil); err == nil {
			t.Errorf("%s was taken", at)
		}
	}
}
