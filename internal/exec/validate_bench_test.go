package exec

import (
	"bytes"
	"io/fs"
	"os"
	osexec "os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkValidate compares a thousand files through the Executor with a plain
// loop of compile() over the same files in the same interpreter, in turns. The
// library has fewer, so that its first ones come a second time.
func BenchmarkValidate(b *testing.B) {
	e := newExecutor(b, Options{})
	python := e.interpreter.Source
	const files = 1000
	sources := librarySources(b, python, files)
	for len(sources) < files {
		sources = append(sources, sources[:min(len(sources), files-len(sources))]...)
	}
	var names bytes.Buffer
	for _, s := range sources {
		names.WriteString(s.Name + "\n")
	}
	var walled, bare []time.Duration
	for b.Loop() {
		began := time.Now()
		r, err := e.Validate(b.Context(), Validation{Sources: slices.Values(sources)})
		walled = append(walled, time.Since(began))
		if err != nil || r.Files != len(sources) {
			b.Fatalf("%v, %+v", err, r)
		}
		began = time.Now()
		cmd := osexec.Command(python, "-I", "-W", "ignore", "-c", plainLoop)
		cmd.Stdin = bytes.NewReader(names.Bytes())
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		bare = append(bare, time.Since(began))
	}
	w, p := median(walled), median(bare)
	b.ReportMetric(float64(len(sources)), "files")
	b.ReportMetric(float64(len(sources))/w.Seconds(), "files/s")
	b.ReportMetric(float64(w)/float64(p), "x-compile")
}

const plainLoop = `
import sys
for name in sys.stdin.read().splitlines():
    with open(name, "rb") as file:
        source = file.read()
    try:
        compile(source, name, "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        pass
`

// librarySources are up to most files of an interpreter's own library.
func librarySources(t testing.TB, python string, most int) []Source {
	t.Helper()
	out, err := osexec.Command(python, "-I", "-c", "import os; print(os.path.dirname(os.__file__))").Output()
	if err != nil {
		t.Fatal(err)
	}
	root := strings.TrimSpace(string(out))
	var sources []Source
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == "site-packages" || d.Name() == "dist-packages") {
			return fs.SkipDir
		}
		if d.Type().IsRegular() && filepath.Ext(name) == ".py" && len(sources) < most {
			code, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			sources = append(sources, Source{Name: name, Code: code, Package: filepath.Dir(name) != root})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return sources
}
