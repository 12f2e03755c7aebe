package python

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pyrun-dev/pyrun/internal/wheeltest"
)

// wheels makes a folder of wheels.
func wheels(t testing.TB, all ...wheeltest.Wheel) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "wheels of #1")
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

// installs is the test binary in the part of a pyrun that will be killed, at the step
// that KILLED_AT names or earlier.
func installs() {
	at := os.Getenv("KILLED_AT")
	in := Installation{List: "good\n", Options: Options{CacheDir: os.Getenv("PYRUN_CACHE_DIR")}, Index: Index{None: true, FindLinks: []string{os.Getenv("WHEELS")}}}
	in.Progress = func(what string, _, _ int64) {
		fmt.Println(what)
		if at != "" && strings.HasPrefix(what, at) {
			time.Sleep(time.Minute)
		}
		time.Sleep(100 * time.Millisecond)
	}
	_, err := Install(context.Background(), in)
	fmt.Println("installed", err)
}

func TestInstall(t *testing.T) {
	in := installation(t, "good>=1 # the one\nneeds-other; python_version > '3'\nnever; python_version < '3'\n", good(), wheeltest.Wheel{
		Name: "Needs.Other", Version: "2", Requires: []string{"helper"}, Files: map[string]string{"needs_other.py": "import helper\n"},
	}, wheeltest.Wheel{Name: "helper", Version: "3", Files: map[string]string{"helper.py": ""}, Scripts: map[string]string{"help-me": "helper:main"}})
	env := mustInstall(t, in)
	if env.Dir != Place(in.Options) || !env.Embedded || len(env.Packages) != 3 || len(env.Wanted) != 2 {
		t.Errorf("%+v", env)
	}
	if text, err := os.ReadFile(filepath.Join(env.Dir, PackagesFile)); err != nil || string(text) != in.List {
		t.Errorf("%q %v", text, err)
	}
	script, err := os.ReadFile(filepath.Join(env.Dir, "bin", "help-me"))
	if first, _, _ := strings.Cut(string(script), "\n"); err != nil || first != "#!"+env.Python {
		t.Errorf("a program of a package begins with %q, %v", first, err)
	}
	i, err := Choose(t.Context(), in.Options)
	if err != nil {
		t.Fatal(err)
	}
	if !i.Embedded || i.Environment != env.Dir || i.Source != env.Python || i.Path != environmentInside+"/bin/python" || len(i.Packages) != 3 {
		t.Errorf("%+v", i)
	}
	for _, path := range []string{environmentInside + "/lib", environmentInside + "/pyvenv.cfg", embeddedInside} {
		if !i.shows(path) {
			t.Errorf("%s is not shown: %v", path, i.Mounts)
		}
	}
	again, err := Choose(t.Context(), in.Options)
	if diff := cmp.Diff(i, again); err != nil || diff != "" {
		t.Errorf("found out (-), remembered (+):\n%s%v", diff, err)
	}
	// By hand, where it stands, it is a virtual environment like any other.
	out := run(t, "/", nil, env.Python, "-c", "import needs_other, good, sys; print(good.answer, sys.prefix)")
	if out.stdout != "42 "+env.Dir+"\n" {
		t.Errorf("%+v", out)
	}
	onlyThese(t, env.Dir, "env", "env"+lockSuffix)

	// Another time the new one takes the old one's place, and the old one stays for those who run in it.
	in.List = "good\n"
	if env = mustInstall(t, in); len(env.Packages) != 1 {
		t.Errorf("%+v", env)
	}
	if i, err = Choose(t.Context(), in.Options); err != nil || len(i.Packages) != 1 {
		t.Errorf("%+v %v", i, err)
	}
	mustInstall(t, in)
	onlyThese(t, env.Dir, "env", "env"+lockSuffix, "env"+oldSuffix)
}

func writeDeep(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, path, text)
}

// onlyThese holds that beside an environment nothing is left.
func onlyThese(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(dir))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("beside the environment: want (-), got (+):\n%s", diff)
	}
}

// tree is all of a folder, to see that nothing changed.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		all[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestInstallRefuses: whatever goes wrong is said in one line, and the environment that stood stands.
func TestInstallRefuses(t *testing.T) {
	in := installation(t, "good\n", good(),
		wheeltest.Wheel{Name: "liar", Version: "1", Files: map[string]string{"liar.py": "x = 1\n"}, Changed: map[string]string{"liar.py": "x = 2\n"}},
		wheeltest.Wheel{Name: "more", Version: "1", Changed: map[string]string{"more.py": "x = 2\n"}},
		wheeltest.Wheel{Name: "escapes", Version: "1", Files: map[string]string{"../../../../escaped.py": ""}},
		wheeltest.Wheel{Name: "renamed", Version: "1", SaysName: "someone"},
		wheeltest.Wheel{Name: "wants", Version: "1", Requires: []string{"good==9"}},
		wheeltest.Wheel{Name: "foreign", Version: "1", Tag: "cp27-cp27m-win32"},
	)
	if err := os.WriteFile(filepath.Join(in.Index.FindLinks[0], "broken-1-py3-none-any.whl"), []byte("PK no zip"), 0o644); err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(in.Index.FindLinks[0], "fromsource-1.tar.gz")
	if err := os.WriteFile(source, []byte("no matter"), 0o644); err != nil {
		t.Fatal(err)
	}
	env := mustInstall(t, in)
	before := tree(t, env.Dir)
	for list, want := range map[string]string{
		"liar": "a wheel of liar is not what it says: lib/python3.14/site-packages/liar.py: changed", "more": "more.py: has no hash in RECORD",
		"escapes": "a wheel of escapes is not what it should be", "renamed": "a wheel of renamed is not what it says: its name", "broken": "broken",
		"wants": "there is no wheel of good==9", "nosuch": "there is no wheel of nosuch", "good>5": "there is no wheel of good>5", "foreign": "there is no wheel of foreign", "fromsource": "there is no wheel of fromsource",
		"wants\ngood<2": "Cannot install wants and good<2", "good --hash=sha256:" + strings.Repeat("0", 64): "good==1.0 is not the file that was asked for", "good==": "no version specifier",
	} {
		bad := in
		bad.List = list
		_, err := Install(t.Context(), bad)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), ".work") {
			t.Errorf("%s: %v, want %q", list, err, want)
		}
		var e *PackagesError
		if errors.As(err, &e) && strings.Contains(strings.Join(e.Said, "\n"), ".work") {
			t.Errorf("%s: names a file that nobody knows: %q", list, e.Said)
		}
	}
	if diff := cmp.Diff(before, tree(t, env.Dir)); diff != "" {
		t.Errorf("the environment changed:\n%s", diff)
	}
	onlyThese(t, env.Dir, "env", "env"+lockSuffix)
}

// TestInstallPlaces: what pyrun did not make is never touched, and others could not have put it there.
func TestInstallPlaces(t *testing.T) {
	in := installation(t, "", good())
	dir := t.TempDir()
	writeDeep(t, filepath.Join(dir, "full", "precious"), "x")
	writeDeep(t, filepath.Join(dir, "file"), "x")
	for name, c := range map[string]struct {
		do   func() error
		at   string
		want string
	}{
		"full":  {nil, filepath.Join(dir, "full"), "holds something that pyrun did not make"},
		"file":  {nil, filepath.Join(dir, "file"), "is no folder"},
		"below": {nil, filepath.Join(dir, "file", "env"), "not a directory"},
		"shared": {func() error {
			return errors.Join(os.Mkdir(filepath.Join(dir, "open"), 0o777), os.Chmod(filepath.Join(dir, "open"), 0o777))
		}, filepath.Join(dir, "open", "env"), "others may write"},
	} {
		if c.do != nil {
			if err := c.do(); err != nil {
				t.Fatal(err)
			}
		}
		in.Target = c.at
		if _, err := Install(t.Context(), in); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if data, err := os.ReadFile(filepath.Join(dir, "full", "precious")); err != nil || string(data) != "x" {
		t.Error("what was there is gone")
	}
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "empty"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	in.Target = filepath.Join(dir, "link")
	if env := mustInstall(t, in); env.Dir != filepath.Join(dir, "empty") {
		t.Errorf("%+v", env)
	}
	in.Target, in.Getenv = "", noEnv
	if _, err := Install(t.Context(), in); err == nil || !strings.Contains(err.Error(), "HOME is not set") {
		t.Error(err)
	}
}

// TestInstallBesideOthers: what stands beside an environment, whatever its name
// is, is neither removed nor moved; where it stands in the way it is named.
func TestInstallBesideOthers(t *testing.T) {
	in := installation(t, "", good())
	dir := t.TempDir()
	in.Target = filepath.Join(dir, "env")
	for _, name := range []string{"env.old", "env.new-ideas", "env.aside", "env" + newSuffix + "ideas"} {
		writeDeep(t, filepath.Join(dir, name, "precious"), name)
	}
	writeDeep(t, filepath.Join(dir, "env.lock"), "of another tool")
	writeDeep(t, filepath.Join(dir, "elsewhere", "precious"), "x")
	if err := os.Symlink("elsewhere", in.Target+newSuffix+"link"); err != nil {
		t.Fatal(err)
	}
	before := tree(t, dir)
	untouched := func(when string) {
		t.Helper()
		after := tree(t, dir)
		for path, text := range before {
			if after[path] != text {
				t.Errorf("%s: %s is gone or changed", when, path)
			}
		}
	}
	for n := range 3 { // of which the last has one before the one before
		mustInstall(t, in)
		untouched(fmt.Sprintf("install %d", n+1))
	}
	for _, suffix := range []string{oldSuffix, asideSuffix} {
		for what, put := range map[string]func(at string){
			"folder": func(at string) { writeDeep(t, filepath.Join(at, "precious"), "x") },
			"config": func(at string) { writeDeep(t, filepath.Join(at, configFile), "home = /usr/bin\n") },
			"file":   func(at string) { write(t, at, "x") },
			"link": func(at string) {
				if err := os.Symlink(in.Target, at); err != nil {
					t.Fatal(err)
				}
			},
		} {
			for _, there := range []bool{true, false} {
				at, root := in.Target+suffix, in.Target
				forceRemove(at)
				if !there {
					if err := os.Rename(root, root+"-moved"); err != nil {
						t.Fatal(err)
					}
				}
				put(at)
				before = tree(t, dir)
				_, err := Install(t.Context(), in)
				var e *PackagesError
				if !errors.As(err, &e) || !e.Refused || !strings.HasPrefix(e.Msg, at+" ") || e.Remedy == "" {
					t.Errorf("%s %s: %v", what, suffix, err)
				}
				untouched(what + " " + suffix)
				_, err = os.Lstat(at)
				if _, gone := os.Lstat(root); err != nil || gone == nil != there {
					t.Errorf("%s %s: %v, %v", what, suffix, err, gone)
				}
				forceRemove(at)
				_ = os.Rename(root+"-moved", root)
			}
		}
	}
	mustInstall(t, in)
}

// TestPutInPlace: what came to stand there while an environment was being made
// is not replaced.
func TestPutInPlace(t *testing.T) {
	dir := t.TempDir()
	root, temp := filepath.Join(dir, "env"), filepath.Join(dir, "env"+newSuffix+"1")
	writeDeep(t, filepath.Join(root, "precious"), "x")
	writeDeep(t, filepath.Join(temp, configFile), "pyrun = embedded\n")
	if err := putInPlace(temp, root); err == nil || !strings.Contains(err.Error(), root) {
		t.Error(err)
	}
	if data, err := os.ReadFile(filepath.Join(root, "precious")); err != nil || string(data) != "x" {
		t.Error("what was there is gone")
	}
}

// TestInstallEnds: stopped at any moment, an install leaves what was there.
func TestInstallEnds(t *testing.T) {
	in := installation(t, "good\n", good())
	env := mustInstall(t, in)
	before := tree(t, env.Dir)
	steps := 0
	for at := 0; ; at++ {
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		in.Progress = func(string, int64, int64) {
			if n++; n == at+1 {
				cancel()
			}
		}
		_, err := Install(ctx, in)
		cancel()
		if n <= at { // there is no such step any more
			if err != nil {
				t.Fatal(err)
			}
			break
		}
		steps++
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("step %d: %v", at, err)
		}
		if diff := cmp.Diff(before, tree(t, env.Dir)); diff != "" {
			t.Fatalf("step %d:\n%s", at, diff)
		}
		onlyThese(t, env.Dir, "env", "env"+lockSuffix)
	}
	if steps < 3 {
		t.Errorf("%d steps only: this test no longer looks at what it thinks", steps)
	}
}

// TestInstallAfterKill: the next install clears away what a killed one left, in
// every state that it can have left.
func TestInstallAfterKill(t *testing.T) {
	in := installation(t, "good\n", good())
	env := mustInstall(t, in)
	half := env.Dir + newSuffix + "123"
	writeDeep(t, filepath.Join(half, configFile), "pyrun = embedded\n")
	writeDeep(t, filepath.Join(half, "lib", "half"), "x")
	if err := os.Mkdir(env.Dir+newSuffix+"124", 0o755); err != nil { // begun, no more
		t.Fatal(err)
	}
	if err := os.Rename(env.Dir, env.Dir+asideSuffix); err != nil { // between two steps
		t.Fatal(err)
	}
	var e *Error
	if _, err := Choose(t.Context(), in.Options); !errors.As(err, &e) || !strings.Contains(e.Msg, "interrupted") || e.Remedy != remedyInstall {
		t.Errorf("%v", err)
	}
	bad := in
	bad.List = "nosuch\n"
	if _, err := Install(t.Context(), bad); err == nil {
		t.Error("installed")
	}
	if _, err := Choose(t.Context(), in.Options); err != nil {
		t.Error(err)
	}
	onlyThese(t, env.Dir, "env", "env"+lockSuffix)
}

// TestInstallTwoSteps is for file systems that cannot exchange folders.
func TestInstallTwoSteps(t *testing.T) {
	dir := t.TempDir()
	root, temp := filepath.Join(dir, "env"), filepath.Join(dir, "env"+newSuffix+"1")
	writeDeep(t, filepath.Join(root, "f"), "old")
	writeDeep(t, filepath.Join(root, configFile), "pyrun = embedded\n")
	writeDeep(t, filepath.Join(temp, "f"), "new")
	if err := replaceInTwoSteps(temp, root); err != nil {
		t.Fatal(err)
	}
	onlyThese(t, root, "env", "env"+oldSuffix)
	if data, _ := os.ReadFile(filepath.Join(root, "f")); string(data) != "new" {
		t.Errorf("%s", data)
	}
	if err := replaceInTwoSteps(filepath.Join(dir, "nothing"), root); err == nil {
		t.Error("replaced by nothing")
	}
	onlyThese(t, root, "env", "env"+oldSuffix)
}

// TestInstallWaits: of two installs the second waits, and says so.
func TestInstallWaits(t *testing.T) {
	in := installation(t, "good\n", good())
	unlock := func() {}
	root := Place(in.Options)
	if err := os.MkdirAll(filepath.Dir(root), 0o755); err != nil {
		t.Fatal(err)
	}
	unlock, err := lockPlace(t.Context(), in.Options, root)
	if err != nil {
		t.Fatal(err)
	}
	waited := false
	in.Progress = func(what string, _, _ int64) {
		if strings.HasPrefix(what, "waiting for another install") {
			waited = true
			unlock()
		}
	}
	if mustInstall(t, in); !waited {
		t.Error("did not wait")
	}
}

// TestEnvironmentOfAnother: what an environment was made from has changed or is gone.
func TestEnvironmentOfAnother(t *testing.T) {
	in := installation(t, "good\n", good())
	env := mustInstall(t, in)
	edit := func(name, from, to string) {
		t.Helper()
		path := filepath.Join(env.Dir, name)
		data, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(data), from) {
			t.Fatalf("%s: %v %q", name, err, data)
		}
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(data), from, to)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	refused := func(want ...string) {
		t.Helper()
		_, err := Choose(t.Context(), in.Options)
		var e *Error
		if !errors.As(err, &e) || !errors.Is(err, ErrEnvironment) || !strings.Contains(e.Remedy, "pyrun packages install") {
			t.Fatalf("%v, want a remedy", err)
		}
		for _, word := range append(want, env.Dir) {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("%v, want %q", err, word)
			}
		}
	}
	older := func(from, to string) { // as one that was made then
		t.Helper()
		edit(configFile, "version = "+from, "version = "+to)
		edit(sandboxConfig, "version = "+from, "version = "+to)
		bin := filepath.Join(env.Dir, "bin", "python")
		if err := os.Rename(bin+shortVersion(from), bin+shortVersion(to)); err != nil {
			t.Fatal(err)
		}
	}
	older("3.14.6", "3.13.0")
	refused("was made for CPython 3.13.0", "is 3.14.6 now")
	older("3.13.0", "3.14.2") // a patch is no other interpreter
	if _, err := Choose(t.Context(), in.Options); err != nil {
		t.Error(err)
	}
	if err := os.Remove(filepath.Join(env.Dir, sandboxConfig)); err != nil {
		t.Fatal(err)
	}
	refused("is damaged")
	edit(configFile, "pyrun = embedded", "pyrun = /usr/bin/python3.1")
	if err := os.Remove(env.Python); err != nil {
		t.Fatal(err)
	}
	refused("was made from /usr/bin/python3.1, which is gone")
	if err := os.Chmod(env.Dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := Choose(t.Context(), in.Options); !errors.Is(err, ErrEnvironment) || !strings.Contains(err.Error(), "others may write") {
		t.Error(err)
	}
	if err := os.Chmod(env.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	mustInstall(t, in)
	if i, err := Choose(t.Context(), in.Options); err != nil || i.Environment != env.Dir {
		t.Error(err)
	}
}

// TestInstallElsewhere makes environments of the interpreters of this machine.
func TestInstallElsewhere(t *testing.T) {
	for _, other := range interpreters(t) {
		if other.Embedded {
			continue
		}
		t.Run(other.Version, func(t *testing.T) {
			// The interpreter itself has a setuptools, as likely as not: that is no reason not to install one.
			setuptools := wheeltest.Wheel{Name: "setuptools", Version: "0.1", Files: map[string]string{"setuptools.py": ""}}
			in := installation(t, "good\nhelper\nsetuptools\n", good(), setuptools, wheeltest.Wheel{Name: "helper", Version: "3", Files: map[string]string{"helper.py": ""}, Scripts: map[string]string{"help-me": "helper:main"}})
			in.Path = other.Source
			env := mustInstall(t, in)
			in.Path = ""
			i, err := Choose(t.Context(), in.Options)
			if err != nil {
				t.Fatal(err)
			}
			if i.Embedded || i.Version != other.Version || i.Environment != env.Dir || i.Prefix != env.Dir {
				t.Errorf("%+v", i)
			}
			out := run(t, "/", nil, env.Python, "-c", "import good, helper, sys; print(good.answer, good.__cached__)")
			if want := "42 " + siteIn(env.Dir, i.Version) + "/good/__pycache__/"; !strings.HasPrefix(out.stdout, want) {
				t.Errorf("%+v, want %s", out, want)
			}
			v, err := Verify(t.Context(), in.Options)
			if err != nil || len(v.Damage) > 0 || v.Packages != 3 || v.Unhashed != 0 {
				t.Errorf("%+v %v", v, err)
			}
			l, err := Lock(t.Context(), Installation{Options: Options{Path: other.Source, CacheDir: in.CacheDir, Getenv: in.Getenv}, List: in.List, Index: in.Index})
			if err != nil || len(l.Packages) != 3 {
				t.Errorf("%+v %v", l, err)
			}
		})
	}
}
