//go:build !windows

package python

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pyrun-dev/pyrun/internal/wheeltest"
)

func TestVerify(t *testing.T) {
	in := installation(t, "good\nhelper\n", good(), wheeltest.Wheel{Name: "helper", Version: "3", Files: map[string]string{"helper.py": "", "helper_data/a b, \"c\".txt": "x"}, Scripts: map[string]string{"help-me": "helper:main"}})
	env := mustInstall(t, in)
	verify := func() *Verification {
		t.Helper()
		v, err := Verify(t.Context(), in.Options)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	whole := verify()
	if whole.Dir != env.Dir || whole.Packages != 2 || whole.Files < 12 || whole.Unhashed != 0 || len(whole.Damage) > 0 {
		t.Fatalf("%+v", whole)
	}
	const site = "lib/python3.14/site-packages/"
	secret := filepath.Join(t.TempDir(), "secret")
	write(t, secret, "x")
	at := func(path string) string { return filepath.Join(env.Dir, filepath.FromSlash(path)) }
	for name, c := range map[string]struct {
		path  string
		spoil func(path string) error
		want  []Damage
	}{
		"changed":           {site + "good/__init__.py", func(p string) error { return os.WriteFile(p, []byte("answer = 41\n"), 0o644) }, []Damage{{"good", site + "good/__init__.py", "changed: its hash is not the one in RECORD"}}},
		"missing":           {site + "helper.py", os.Remove, []Damage{{"helper", site + "helper.py", "missing"}}},
		"compiled, changed": {site + "__pycache__/helper.cpython-314.pyc", func(p string) error { return os.WriteFile(p, []byte("x"), 0o644) }, []Damage{{"helper", site + "__pycache__/helper.cpython-314.pyc", "changed: its hash is not the one in RECORD"}}},
		"a program":         {"bin/help-me", func(p string) error { return os.WriteFile(p, []byte("x"), 0o755) }, []Damage{{"helper", "bin/help-me", "changed: its hash is not the one in RECORD"}}},
		"a link": {site + "helper.py", func(p string) error {
			if err := os.Remove(p); err != nil {
				return err
			}
			return os.Symlink(secret, p)
		}, []Damage{{"helper", site + "helper.py", "cannot be read: is no regular file"}}},
		"a pipe": {site + "helper.py", func(p string) error {
			if err := os.Remove(p); err != nil {
				return err
			}
			return exec.Command("mkfifo", p).Run()
		}, []Damage{{"helper", site + "helper.py", "cannot be read: is no regular file"}}},
		"stranger":          {site + "evil.pth", func(p string) error { return os.WriteFile(p, []byte("import evil\n"), 0o644) }, []Damage{{"", site + "evil.pth", "belongs to no package"}}},
		"compiled stranger": {site + "__pycache__/evil.cpython-314.pyc", func(p string) error { return os.WriteFile(p, nil, 0o644) }, []Damage{{"", site + "__pycache__/evil.cpython-314.pyc", "belongs to no package"}}},
		"outside": {site + "helper-3.dist-info/RECORD", func(p string) error {
			f, err := os.OpenFile(p, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = f.WriteString("../../../../../etc/passwd,sha256=x,1\n/etc/passwd,sha256=x,1\n" + "no_hash.py,,\nodd.py,md5=x,1\n")
			return err
		}, []Damage{
			{"helper", "../../../../../etc/passwd", "lies outside of the environment"},
			{"helper", "/etc/passwd", "lies outside of the environment"},
			{"helper", site + "no_hash.py", "has no hash in RECORD"},
			{"helper", site + "odd.py", "has no hash in RECORD"},
		}},
		"no list": {site + "helper-3.dist-info/RECORD", os.Remove, nil},
	} {
		t.Run(name, func(t *testing.T) {
			good, err := os.ReadFile(at(c.path))
			stood := err == nil
			if err := c.spoil(at(c.path)); err != nil {
				t.Fatal(err)
			}
			defer func() {
				_ = os.Remove(at(c.path))
				if stood {
					write(t, at(c.path), string(good))
				}
			}()
			got := verify().Damage
			if c.want == nil {
				if len(got) < 3 || !strings.HasPrefix(got[0].Problem, "cannot be read: no such file") {
					t.Errorf("%+v", got)
				}
				return
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("want (-), got (+):\n%s", diff)
			}
		})
	}
	if v := verify(); len(v.Damage) > 0 {
		t.Errorf("mended, and still %+v", v.Damage)
	}
	t.Run("the system's", func(t *testing.T) {
		o := atHome(t, t.TempDir())
		o.Path = "/usr/bin/python3"
		if _, err := os.Stat(o.Path); err != nil {
			t.Skip(err)
		}
		if _, err := Verify(t.Context(), o); err == nil || !strings.Contains(err.Error(), "is in no environment") {
			t.Error(err)
		}
	})
	t.Run("none", func(t *testing.T) {
		if _, err := Verify(t.Context(), atHome(t, t.TempDir())); err == nil || !strings.Contains(err.Error(), "no environment to verify") {
			t.Error(err)
		}
	})
}
