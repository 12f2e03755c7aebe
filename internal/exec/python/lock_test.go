package python

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pyrun-dev/pyrun/internal/wheeltest"
)

func TestLock(t *testing.T) {
	in := installation(t, "good>=1\nneeds-other\n", good(),
		wheeltest.Wheel{Name: "Needs_Other", Version: "2", Requires: []string{"helper"}},
		wheeltest.Wheel{Name: "helper", Version: "3", Files: map[string]string{"helper.py": "x = 1\n"}})
	lock, err := Lock(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	list, err := ParsePackages(lock.Text)
	if err != nil || len(list) != 3 || len(lock.Packages) != 3 || len(lock.Wanted) != 2 {
		t.Fatalf("%v\n%s", err, lock.Text)
	}
	for n, want := range []string{"good==1.0", "helper==3", "needs-other==2"} {
		if list[n].String() != want || len(list[n].Hashes) != 1 {
			t.Errorf("%+v, want %s", list[n], want)
		}
	}
	if entries, err := os.ReadDir(Place(in.Options)); err == nil {
		t.Errorf("a lock installed something: %v", entries)
	}

	// What was locked is installed, not what has come since.
	newer := good()
	newer.Version = "1.5"
	if _, err := newer.Make(in.Index.FindLinks[0]); err != nil {
		t.Fatal(err)
	}
	in.Lock = lock.Text
	env := mustInstall(t, in)
	if len(env.Packages) != 3 || env.Packages[0].Version != "1.0" || len(env.Wanted) != 2 {
		t.Errorf("%+v", env)
	}
	if text, err := os.ReadFile(filepath.Join(env.Dir, LockFile)); err != nil || string(text) != lock.Text {
		t.Errorf("%v %q", err, text)
	}

	// pip itself takes it.
	b, err := findBase(t.Context(), in.Options)
	if err != nil {
		t.Fatal(err)
	}
	folder, _, err := pipFor(t.Context(), in.Options, b)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), LockFile)
	write(t, file, lock.Text)
	target := filepath.Join(t.TempDir(), "target")
	out := run(t, "/", []string{"PYTHONPATH=" + folder}, b.executable, "-m", "pip", "install", "--require-hashes", "-r", file,
		"--target", target, "--no-index", "--find-links", in.Index.FindLinks[0], "--no-cache-dir", "--disable-pip-version-check")
	if out.code != 0 {
		t.Errorf("%+v", out)
	}
	if _, err := os.Stat(filepath.Join(target, "helper.py")); err != nil {
		t.Error(err)
	}

	// A file that changed since is not taken.
	changed := wheeltest.Wheel{Name: "helper", Version: "3", Files: map[string]string{"helper.py": "x = 2\n"}}
	if _, err := changed.Make(in.Index.FindLinks[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := Install(t.Context(), in); err == nil || !strings.Contains(err.Error(), "helper==3 is not the file that was asked for") {
		t.Error(err)
	}
}

// TestLockStale: a lock is followed to the letter, or refused by name.
func TestLockStale(t *testing.T) {
	b := base{version: "3.14.6", embedded: true}
	list := func(text string) []Requirement {
		t.Helper()
		all, err := ParsePackages(text)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	const pins = "good==1.0 --hash=sha256:aa\n"
	made := func(text string) string {
		return lockMark + fingerprint(list(text)) + "\n" + lockFor + b.kind() + "\n" + pins
	}
	if _, err := readLock(made("good>=1"), list("# comments and blanks\n\n  GOOD >= 1 # change nothing\n"), b); err != nil {
		t.Error(err)
	}
	for name, c := range map[string]struct {
		lock, list string
		b          base
		want       string
	}{
		"another list":     {made("good>=1"), "good>=2", b, "is stale"},
		"one more":         {made("good>=1"), "good>=1\nmore", b, "is stale"},
		"another marker":   {made("good"), "good; python_version > '3'", b, "is stale"},
		"another python":   {made("good"), "good", base{version: "3.13.1"}, "CPython 3.14"},
		"not ours":         {pins, "good", b, "was not made by pyrun"},
		"empty":            {"", "good", b, "was not made by pyrun"},
		"not pinned":       {made("good") + "more>=1 --hash=sha256:aa\n", "good", b, "does not pin more in line 4"},
		"without a hash":   {made("good") + "more==1\n", "good", b, "does not pin more in line 4"},
		"an option in it":  {made("good") + "--index-url https://example.org\n", "good", b, "cannot be read"},
		"another platform": {strings.Replace(made("good"), "/", "/other", 1), "good", b, "is for another interpreter"},
	} {
		_, err := readLock(c.lock, list(c.list), c.b)
		var e *LockError
		if !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
