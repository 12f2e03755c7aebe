package python

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pyrun-dev/pyrun/internal/wheeltest"
)

// bases are the interpreters to make environments of: the embedded one, the
// oldest here, which has a pip of its own, and the system's.
func bases(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{"embedded": ""}
	others := slices.DeleteFunc(interpreters(t), func(i *Interpreter) bool { return i.Embedded })
	for n, i := range others {
		if n == 0 || n == len(others)-1 {
			all[i.Version] = i.Source
		}
	}
	return all
}

// TestInstallPlanted: a wheel that puts a file where an environment has one of its
// own is refused by name. Nothing of it is run, and what it would have written
// through a link is as it was.
func TestInstallPlanted(t *testing.T) {
	for version, path := range bases(t) {
		t.Run(version, func(t *testing.T) {
			ran := filepath.Join(t.TempDir(), "ran")
			program := "#!/bin/sh\necho ran >>" + ran + "\n"
			names := map[string]string{ // in the wheel, to the name in the environment
				"scripts/python": "bin/python", "data/bin/python": "bin/python", "scripts/python3": "bin/python3",
				"scripts/python3.X": "bin/python3.X", "data/pyvenv.cfg": "pyvenv.cfg", "data/bin/pyvenv.cfg": "bin/pyvenv.cfg",
				"data/packages.txt": "packages.txt", "data/packages.lock.txt": "packages.lock.txt",
			}
			if path == "" {
				names["data/sandbox.cfg"] = "sandbox.cfg"
			} else { // one is enough for what does not depend on the interpreter
				for _, name := range []string{"data/bin/python", "scripts/python3", "data/bin/pyvenv.cfg", "data/packages.txt", "data/packages.lock.txt"} {
					delete(names, name)
				}
			}
			in := installation(t, "", good())
			in.Path = path
			b, err := findBase(t.Context(), in.Options)
			if err != nil {
				t.Fatal(err)
			}
			base, err := os.ReadFile(b.executable)
			if err != nil {
				t.Fatal(err)
			}
			short := func(name string) string { return strings.ReplaceAll(name, "3.X", shortVersion(b.version)) }
			n := 0
			for _, from := range slices.Sorted(maps.Keys(names)) {
				n++
				w := wheeltest.Wheel{Name: fmt.Sprintf("evil%d", n), Version: "1", Files: map[string]string{}}
				text := program
				if strings.HasSuffix(from, ".cfg") { // all that a reader of it asks for
					text = b.config().text(filepath.Dir(ran))
				}
				w.Files[w.Name+"-1.data/"+short(from)] = text
				if _, err := w.Make(in.Index.FindLinks[0]); err != nil {
					t.Fatal(err)
				}
				in.List = "good\n" + w.Name + "\n"
				_, err := Install(t.Context(), in)
				want := "a wheel of " + w.Name + " overwrites the environment itself: " + short(names[from])
				var e *PackagesError
				if !errors.As(err, &e) || e.Error() != want || e.Remedy == "" {
					t.Errorf("%s: %v, want %q", from, err, want)
				}
			}
			// A program that pip writes itself.
			w := wheeltest.Wheel{Name: "entry", Version: "1", Files: map[string]string{"entry.py": ""}, Scripts: map[string]string{"python": "entry:main"}}
			if _, err := w.Make(in.Index.FindLinks[0]); err != nil {
				t.Fatal(err)
			}
			in.List = "entry\n"
			if _, err := Install(t.Context(), in); err == nil || !strings.Contains(err.Error(), "a wheel of entry overwrites the environment itself: bin/python") {
				t.Errorf("a console script: %v", err)
			}
			if _, err := os.Lstat(ran); err == nil {
				t.Error("what a wheel brought was run")
			}
			if after, err := os.ReadFile(b.executable); err != nil || string(after) != string(base) {
				t.Error("the interpreter itself was written to")
			}
			onlyThese(t, Place(in.Options), "env"+lockSuffix)
		})
	}
}

// TestNothingInstalledRuns: what Python would run by itself when it starts, and
// what shadows modules that pip and we import late, runs in no work of ours.
func TestNothingInstalledRuns(t *testing.T) {
	for version, path := range bases(t) {
		t.Run(version, func(t *testing.T) {
			ran := filepath.Join(t.TempDir(), "ran")
			mark := fmt.Sprintf("open(%q, 'a').write(__name__ + '\\n')\n", ran)
			files := map[string]string{"evil.pth": "import os; " + strings.ReplaceAll(mark, "__name__", "'pth'")}
			for _, module := range []string{"sitecustomize", "usercustomize", "keyring", "truststore", "simplejson", "chardet", "socks", "brotli", "pip/__init__", "_distutils_hack/__init__", "setuptools/__init__", "distutils/__init__"} {
				files[module+".py"] = mark
			}
			evil := wheeltest.Wheel{Name: "evil", Version: "1", Files: files, Scripts: map[string]string{"evil": "evil:main"}}
			in := installation(t, "evil\ngood; python_version > '3'\n", evil, good())
			in.Path = path
			env := mustInstall(t, in)
			in.Path = ""
			quiet := func(what string, err error) {
				t.Helper()
				if err != nil {
					t.Errorf("%s: %v", what, err)
				}
				if text, err := os.ReadFile(ran); err == nil {
					t.Fatalf("%s ran what is installed: %s", what, text)
				}
			}
			quiet("install", nil)
			i, err := Choose(t.Context(), in.Options)
			quiet("a run", err)
			if i.Environment != env.Dir {
				t.Fatalf("%+v", i)
			}
			list, err := ParsePackages(in.List)
			quiet("a list", err)
			applies, err := Applicable(t.Context(), in.Options, i, list)
			if quiet("markers", err); len(applies) != 2 {
				t.Errorf("%v", applies)
			}
			_, err = Bare(t.Context(), i, "pass")
			quiet("a bare start", err)
			_, _ = i.Inventory()
			_, err = Verify(t.Context(), in.Options)
			quiet("verify", err)
			in.Path = env.Python
			_, err = Lock(t.Context(), in)
			quiet("lock", err)
			_, err = Install(t.Context(), in)
			quiet("another install", err)
		})
	}
}

// TestEnvironmentPlanted: an environment that was changed after all is not used,
// and what was put into it is not run to find that out.
func TestEnvironmentPlanted(t *testing.T) {
	for version, path := range bases(t) {
		t.Run(version, func(t *testing.T) {
			ran := filepath.Join(t.TempDir(), "ran")
			in := installation(t, "good\n", good())
			in.Path = path
			env := mustInstall(t, in)
			in.Path = ""
			i, err := Choose(t.Context(), in.Options)
			if err != nil {
				t.Fatal(err)
			}
			before := tree(t, env.Dir)
			program := func(at string) error {
				_ = os.Remove(at)
				return os.WriteFile(at, []byte("#!/bin/sh\necho ran >>"+ran+"\n"), 0o755)
			}
			text := func(at string) error {
				old, _ := os.ReadFile(at)
				return os.WriteFile(at, append(old, "home = /tmp\n"...), 0o644)
			}
			link := func(at string) error {
				return errors.Join(os.Remove(at), os.Symlink(filepath.Join(env.Dir, "bin", "planted"), at))
			}
			cases := map[string]func(string) error{
				"bin/python": program, "bin/python3": program, "pyvenv.cfg": text, "bin/pyvenv.cfg": text,
				"bin/python" + shortVersion(i.Version): link,
			}
			if i.Embedded {
				cases["sandbox.cfg"] = text
			}
			if err := program(filepath.Join(env.Dir, "bin", "planted")); err != nil {
				t.Fatal(err)
			}
			for name, spoil := range cases {
				at := filepath.Join(env.Dir, filepath.FromSlash(name))
				says, _ := os.Readlink(at)
				if err := spoil(at); err != nil {
					t.Fatal(err)
				}
				for what, do := range map[string]func() error{
					"a run":   func() error { _, err := Choose(t.Context(), in.Options); return err },
					"by name": func() error { o := in.Options; o.Path = env.Python; _, err := Choose(t.Context(), o); return err },
					"verify":  func() error { _, err := Verify(t.Context(), in.Options); return err },
				} {
					if err := do(); !errors.Is(err, ErrEnvironment) || !strings.Contains(err.Error(), name+" is not as pyrun made it") {
						t.Errorf("%s, %s: %v", name, what, err)
					}
				}
				_ = os.Remove(at)
				if says != "" {
					err = os.Symlink(says, at)
				} else if old, ok := before[at]; ok {
					err = os.WriteFile(at, []byte(old), 0o644)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if _, err := Choose(t.Context(), in.Options); err != nil {
				t.Errorf("mended, and still %v", err)
			}
			// By another name, or from outside, it is no interpreter either.
			outside := filepath.Join(t.TempDir(), "python")
			if err := os.Symlink(filepath.Join(env.Dir, "bin", "planted"), outside); err != nil {
				t.Fatal(err)
			}
			for _, other := range []string{filepath.Join(env.Dir, "bin", "planted"), outside} {
				o := in.Options
				o.Path = other
				if _, err := Choose(t.Context(), o); err == nil {
					t.Errorf("%s is taken for an interpreter", other)
				}
			}
			// The place belongs to what pyrun made.
			if err := os.WriteFile(filepath.Join(env.Dir, configFile), []byte("home = /usr/bin\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(os.Remove(env.Python), os.Symlink("/usr/bin/python3", env.Python)); err != nil {
				t.Fatal(err)
			}
			if _, err := Choose(t.Context(), in.Options); !errors.Is(err, ErrEnvironment) && !errors.Is(err, ErrMissing) {
				t.Errorf("a place with another's environment: %v", err)
			}
			if text, err := os.ReadFile(ran); err == nil {
				t.Errorf("what was planted ran: %s", text)
			}
		})
	}
}
