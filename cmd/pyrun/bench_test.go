//go:build unix

package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

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
