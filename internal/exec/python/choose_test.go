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
)

// pretender makes an "interpreter" of the test binary, which acts by its name.
func pretender(t *testing.T, name string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.Symlink(self, path); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestChooseRefuses(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, path, text)
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	file("pyenv/version", "3.12.1\n", 0o644)
	real := file("pyenv/versions/3.12.1/bin/python3", "", 0o755)
	cases := map[string]struct {
		path string
		kind error
		says []string
	}{
		"missing":        {filepath.Join(dir, "no"), ErrMissing, []string{"does not exist", "--python"}},
		"not in PATH":    {"no-such-python-3", ErrMissing, []string{"not in PATH"}},
		"directory":      {dir, ErrUnusable, []string{"is a directory", filepath.Join(dir, "bin")}},
		"not executable": {file("plain", "x", 0o644), ErrUnusable, []string{"not executable", "chmod +x"}},
		"garbage":        {file("garbage", "\x00\x01\x02", 0o755), ErrUnusable, []string{"cannot be started", "exec format error"}},
		"script":         {file("script", "#!/bin/sh\nexec python3\n", 0o755), ErrUnusable, []string{"is a script"}},
		"shim":           {file("pyenv/shims/python3", "#!/usr/bin/env bash\nexec pyenv exec\n", 0o755), ErrUnusable, []string{"a pyenv shim", real}},
		"null device":    {os.DevNull, ErrUnusable, []string{"no regular file"}},
		"pypy":           {pretender(t, "pypy"), ErrNotCPython, []string{"is pypy"}},
		"babbles":        {pretender(t, "babbles"), ErrNotCPython, []string{`"Welcome"`}},
		"fails":          {pretender(t, "fails"), ErrUnusable, []string{"broken", "No module named 'encodings'"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := Choose(t.Context(), Options{Path: c.path, CacheDir: t.TempDir(), Getenv: noEnv})
			if !errors.Is(err, c.kind) {
				t.Fatalf("%v, want %v", err, c.kind)
			}
			for _, word := range append(c.says, c.path) {
				if !strings.Contains(whole(err), word) {
					t.Errorf("%q does not say %q", err, word)
				}
			}
		})
	}
	t.Run("hangs", func(t *testing.T) {
		start := time.Now()
		_, err := probe(t.Context(), pretender(t, "hangs"), 300*time.Millisecond)
		if !errors.Is(err, ErrUnusable) || !strings.Contains(err.Error(), "did not answer") || time.Since(start) > 30*time.Second { // it would hang for a minute
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		if _, err := Choose(ctx, Options{Path: pretender(t, "hangs"), Getenv: noEnv}); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
}

// TestChooseOrder holds that a path comes before the variable, and the variable before the rest.
func TestChooseOrder(t *testing.T) {
	getenv := func(name string) string {
		return map[string]string{"CODE_TOOLS_PYTHON": "/from/variable"}[name]
	}
	for path, want := range map[string]string{"": "/from/variable", "/from/path": "/from/path"} {
		_, err := Choose(t.Context(), Options{Path: path, Getenv: getenv})
		var e *Error
		if !errors.As(err, &e) || e.Name != want {
			t.Errorf("path %q: %v", path, err)
		}
	}
}

func TestChooseRemembers(t *testing.T) {
	for n, first := range interpreters(t) {
		if first.Embedded || n > 1 { // two tell as much as all
			continue
		}
		t.Run(first.Version, func(t *testing.T) {
			dir := t.TempDir()
			o := Options{Path: first.Source, CacheDir: dir, Getenv: noEnv}
			fresh, err := Choose(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if loadRecord(dir, fresh.Source) == nil {
				t.Fatal("not remembered")
			}
			again, err := Choose(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(fresh, again); diff != "" {
				t.Errorf("found out (-), remembered (+):\n%s", diff)
			}
			name := recordFile(dir, fresh.Source)
			good, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for what, damage := range map[string]func() error{
				"empty":   func() error { return os.WriteFile(name, nil, 0o600) },
				"cut":     func() error { return os.WriteFile(name, good[:len(good)-1], 0o600) },
				"no JSON": func() error { return os.WriteFile(name, []byte("x\ny"), 0o600) },
				"other": func() error {
					return os.WriteFile(name, []byte(strings.Replace(string(good), fmt.Sprintf(`"Schema":%d`, recordSchema), `"Schema":0`, 1)), 0o600)
				},
				"writable": func() error { return errors.Join(os.WriteFile(name, good, 0o600), os.Chmod(name, 0o666)) },
				"a link":   func() error { return errors.Join(os.Rename(name, name+".x"), os.Symlink(name+".x", name)) },
				"changed": func() error {
					return os.WriteFile(name, []byte(strings.Replace(string(good), `"Inode":`, `"Inode":1`, 1)), 0o600)
				},
			} {
				if err := damage(); err != nil {
					t.Fatal(err)
				}
				if r := loadRecord(dir, fresh.Source); r != nil {
					t.Errorf("%s: the record is believed", what)
				}
				if _, err := Choose(t.Context(), o); err != nil {
					t.Errorf("%s: %v", what, err)
				}
				if r := loadRecord(dir, fresh.Source); r == nil {
					t.Errorf("%s: not written again", what)
				}
			}
			if err := os.Chmod(filepath.Dir(name), 0o777); err != nil {
				t.Fatal(err)
			}
			if loadRecord(dir, fresh.Source) != nil {
				t.Error("a record in a folder that all may write is believed")
			}
			if _, err := Choose(t.Context(), o); err != nil {
				t.Error(err)
			}
		})

	}
}

// TestChooseNoCache holds that an interpreter of the machine needs no cache folder.
func TestChooseNoCache(t *testing.T) {
	for _, first := range interpreters(t) {
		if first.Embedded {
			continue
		}
		file := filepath.Join(t.TempDir(), "file")
		write(t, file, "")
		for _, o := range []Options{{Getenv: noEnv}, {Getenv: noEnv, CacheDir: filepath.Join(file, "below")}} {
			o.Path = first.Source
			if _, err := Choose(t.Context(), o); err != nil {
				t.Error(err)
			}
		}
		return
	}
}

func TestChooseVersion(t *testing.T) {
	i := interpreters(t)[0]
	o := Options{Path: i.Source, CacheDir: t.TempDir(), Getenv: noEnv}
	for _, version := range []string{i.Version, shortVersion(i.Version), "3"} {
		o.Version = version
		if _, err := Choose(t.Context(), o); err != nil {
			t.Error(err)
		}
	}
	for _, version := range []string{"3.1", "2.7", i.Version + "1", "3.99"} {
		o.Version = version
		_, err := Choose(t.Context(), o)
		if !errors.Is(err, ErrVersion) || !strings.Contains(err.Error(), i.Version) || !strings.Contains(err.Error(), version) {
			t.Errorf("%s asked of %s: %v", version, i.Version, err)
		}
	}
}
