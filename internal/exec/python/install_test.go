package python

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pyrun-dev/pyrun/internal/wheeltest"
)

// wheels makes a folder of wheels.
func wheels(t testing.TB, all ...wheeltest.Wheel) string {
	t.Helper()
	dir := t.TempDir()
	for _, w := range all {
		if _, err := w.Make(dir); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// good is a package without surprises.
func good() wheeltest.Wheel {
	return wheeltest.Wheel{Name: "good", Version: "1.0", Files: map[string]string{"good/__init__.py": "answer = 42\n"}}
}

// atHome is a user with a home folder of its own, and the shared cache.
func atHome(t testing.TB, home string) Options {
	t.Helper()
	embeddedInterpreter(t)
	return Options{CacheDir: shared.dir, Getenv: func(name string) string {
		if name == "HOME" {
			return home
		}
		return ""
	}}
}

func installation(t testing.TB, list string, all ...wheeltest.Wheel) Installation {
	t.Helper()
	return Installation{
		Options: atHome(t, t.TempDir()), List: list,
		Index: Index{None: true, FindLinks: []string{wheels(t, all...)}},
	}
}

func mustInstall(t testing.TB, in Installation) *Environment {
	t.Helper()
	env, err := Install(t.Context(), in)
	if err != nil {
		var e *PackagesError
		if errors.As(err, &e) {
			t.Fatalf("%v\n%s", err, strings.Join(e.Said, "\n"))
		}
		t.Fatal(err)
	}
	return env
}

func TestInstall(t *testing.T) {
	in := installation(t, "good>=1 # the one\n", good())
	env := mustInstall(t, in)
	if env.Dir != Place(in.Options) || !env.Embedded || len(env.Packages) != 1 {
		t.Errorf("%+v", env)
	}
	i, err := Choose(context.Background(), in.Options)
	if err != nil {
		t.Fatal(err)
	}
	if !i.Embedded || i.Environment != env.Dir || i.Path != environmentInside+"/bin/python" || len(i.Packages) != 1 {
		t.Errorf("%+v", i)
	}
	if text, err := os.ReadFile(filepath.Join(env.Dir, PackagesFile)); err != nil || string(text) != in.List {
		t.Errorf("%q %v", text, err)
	}
}
