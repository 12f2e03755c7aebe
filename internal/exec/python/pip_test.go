//go:build unix

package python

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// withoutPip is a copy of an interpreter that has to bring its own pip and does not.
func withoutPip(t *testing.T) string {
	t.Helper()
	for _, i := range interpreters(t) {
		if i.Embedded || !olderThan(i.Version, oldestForPip) || filepath.Base(filepath.Dir(i.Base)) != "bin" {
			continue
		}
		root, lib := t.TempDir(), filepath.Join("lib", "python"+shortVersion(i.Version))
		from := filepath.Dir(filepath.Dir(i.Base))
		entries, err := os.ReadDir(filepath.Join(from, lib))
		if err != nil {
			t.Log(err)
			continue
		}
		program, err := os.ReadFile(i.Base)
		if err != nil {
			t.Fatal(err)
		}
		err = errors.Join(os.MkdirAll(filepath.Join(root, lib), 0o755), os.Mkdir(filepath.Join(root, "bin"), 0o755),
			os.WriteFile(filepath.Join(root, "bin", "python3"), program, 0o755))
		for _, e := range entries {
			if e.Name() != "site-packages" {
				err = errors.Join(err, os.Symlink(filepath.Join(from, lib, e.Name()), filepath.Join(root, lib, e.Name())))
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		return filepath.Join(root, "bin", "python3")
	}
	t.Skipf("no CPython older than %s here", oldestForPip)
	return ""
}

// TestWithoutPip: what needs a pip says so and how to get one; what does not, works.
func TestWithoutPip(t *testing.T) {
	in := installation(t, "good\n", good())
	in.Path = withoutPip(t)
	_, err := Install(t.Context(), in)
	var e *Error
	if !errors.As(err, &e) || e.Msg != "has no pip" || !strings.Contains(e.Remedy, "-m ensurepip") {
		t.Errorf("install: %v", err)
	}
	if _, err := Lock(t.Context(), in); !errors.As(err, &e) || e.Msg != "has no pip" {
		t.Errorf("lock: %v", err)
	}
	i, err := Choose(t.Context(), in.Options)
	if err != nil {
		t.Fatal(err)
	}
	list, err := ParsePackages("good\nother; python_version < '3'\n")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Applicable(t.Context(), in.Options, i, list); !errors.As(err, &e) || e.Msg != "has no pip" {
		t.Errorf("markers: %v", err)
	}
	if applies, err := Applicable(t.Context(), in.Options, i, list[:1]); err != nil || len(applies) != 1 {
		t.Errorf("no markers: %v, %v", applies, err)
	}
	in.List = ""
	if env := mustInstall(t, in); len(env.Packages) != 0 {
		t.Errorf("%+v", env)
	}
}
