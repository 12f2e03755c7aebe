//go:build unix

package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	osexec "os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

// BenchmarkDoor is what the terminal's door adds to a run: flags, settings,
// file, request, summary; no interpreter and no walls.
func BenchmarkDoor(b *testing.B) {
	dir := b.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x.py"), []byte("print(1)\n"), 0o644); err != nil {
		b.Fatal(err)
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer null.Close()
	f := &fake{do: func(_ context.Context, r exec.Request) (*exec.Result, error) {
		_, err := io.WriteString(r.Stdout, "1\n")
		return result(exec.VerdictOK, 0), err
	}}
	w := world{
		stdin: null, stdout: null, stderr: null, environ: os.Environ(), dir: dir,
		open: func(exec.Options) (executor, error) { return f, nil },
	}
	b.ReportAllocs()
	for b.Loop() {
		if code := w.main(context.Background(), []string{"pyrun", "run", "x.py", "--timeout", "5s"}); code != 0 {
			b.Fatal(code)
		}
	}
}

func copyProgram(to, from string) error {
	program, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, program, 0o755)
}

// BenchmarkCommand is `pyrun run hello.py`, the whole process as a release has
// it, beside the bare interpreter on the same file. They take turns, so that
// both see the same machine. -benchtime 200x gives steady figures.
func BenchmarkCommand(b *testing.B) {
	dir := b.TempDir()
	built, pyrun, hello := filepath.Join(dir, "built"), filepath.Join(dir, "pyrun"), filepath.Join(dir, "hello.py")
	build := osexec.Command("go", "build", "-trimpath", "-tags", "urfave_cli_no_docs", "-o", built, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	// Copied, as who installs it does: what the linker has just written starts up to
	// 6 % more slowly than a copy, as long as it lies in memory as it was written.
	if err := copyProgram(pyrun, built); err != nil {
		b.Fatal(err)
	}
	runtime.GC()
	if err := os.WriteFile(hello, []byte("import sys\nprint(sys.executable)\n"), 0o644); err != nil {
		b.Fatal(err)
	}
	took := func(name string, args ...string) time.Duration {
		began := time.Now()
		if out, err := osexec.Command(name, args...).CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		return time.Since(began)
	}
	python := bareInterpreter(b, pyrun, hello)
	var walled, bare []time.Duration
	var ratio []float64
	for b.Loop() {
		w, p := took(pyrun, "run", hello), took(python, "-I", hello)
		walled, bare, ratio = append(walled, w), append(bare, p), append(ratio, float64(w)/float64(p))
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(middle(walled).Microseconds())/1000, "ms/run")
	b.ReportMetric(float64(middle(bare).Microseconds())/1000, "ms/bare")
	b.ReportMetric(middle(ratio), "x-bare")
}

// bareInterpreter finds the interpreter that a run without walls is started with.
func bareInterpreter(b *testing.B, pyrun, hello string) string {
	b.Helper()
	out, err := osexec.Command(pyrun, "run", "--sandbox", "none", "--json", hello).Output()
	var told struct{ Stdout string }
	if err == nil {
		err = json.Unmarshal(out, &told)
	}
	if err != nil || len(told.Stdout) < 2 {
		b.Fatalf("%v\n%s", err, out)
	}
	return told.Stdout[:len(told.Stdout)-1]
}

func middle[T time.Duration | float64](all []T) T {
	slices.Sort(all)
	return all[len(all)/2]
}
