//go:build !noembed

package python

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestEmbeddedVersion(t *testing.T) {
	data, err := os.ReadFile("../../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if want := "github.com/kluctl/go-embed-python v0.0.0-" + embeddedVersion + "-" + embeddedBuild; !strings.Contains(string(data), want+" ") && !strings.Contains(string(data), want+"\n") {
		t.Errorf("go.mod does not require %s: the constants in embedded.go are old", want)
	}
	if i := embeddedInterpreter(t); i.Version != embeddedVersion || !i.Embedded || i.Prefix != embeddedInside || i.Path != embeddedInside+"/bin/python3" {
		t.Errorf("%+v", i)
	}
}

func TestEmbeddedTree(t *testing.T) {
	i := embeddedInterpreter(t)
	root := filepath.Dir(filepath.Dir(i.Source))
	var size int64
	sources, compiled := 0, 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Type()&fs.ModeSymlink != 0 {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		size += info.Size()
		if info.Mode().Perm()&0o222 != 0 {
			t.Errorf("%s can be written: %v", path, info.Mode())
		}
		if info.Mode().Perm()&0o444 != 0o444 {
			t.Errorf("%s cannot be read: %v", path, info.Mode())
		}
		switch filepath.Ext(path) {
		case ".pyc":
			compiled++
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if data[4] != 1 {
				t.Errorf("%s: flags %d, want a hash that nobody checks", path, data[4])
			}
			if !strings.Contains(string(data), "/opt/python/lib/") || strings.Contains(string(data), root) {
				t.Errorf("%s does not name its source as scripts see it", path)
			}
		case ".py":
			sources++
			if !strings.Contains(path, "/lib/python") {
				sources--
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if compiled < 500 || compiled < sources {
		t.Errorf("%d sources, %d compiled", sources, compiled)
	}
	if size > keptBytes || size < keptBytes/2 {
		t.Errorf("%d bytes, and errors promise about %d", size, keptBytes)
	}
}

// TestEmbeddedModules holds that nothing which scripts import was lost.
func TestEmbeddedModules(t *testing.T) {
	i := embeddedInterpreter(t)
	source := `
import sys, ssl, sqlite3, venv, zoneinfo, ctypes, hashlib, lzma, bz2, zlib, decimal, multiprocessing, tkinter, curses, asyncio, unittest, dbm, readline
import json, re, dataclasses, typing, datetime, http.server, xml.etree.ElementTree, email, concurrent.futures, compression.zstd, idlelib if False else sys
` + "print(sqlite3.connect(':memory:').execute('select 6*7').fetchone()[0], sys.dont_write_bytecode)\n"
	source = strings.Replace(source, ", idlelib if False else sys", "", 1)
	out, _, err := harnessed(t, i, newFolders(t, i), source, Job{})
	if err != nil || out.code != 0 || out.stdout != "42 True\n" {
		t.Errorf("%+v %v", out, err)
	}
}

// TestEmbeddedTwoStarts starts two at once: one unpacks, the other waits and says so.
func TestEmbeddedTwoStarts(t *testing.T) {
	skipSystemPython(t)
	dir := t.TempDir()
	t.Cleanup(func() { forceRemove(dir) })
	stale := filepath.Join(dir, embeddedName()+".new-killed")
	if err := errors.Join(os.MkdirAll(filepath.Join(stale, "python", "lib"), 0o755), os.Chmod(filepath.Join(stale, "python"), 0o555)); err != nil {
		t.Fatal(err)
	}
	var (
		mu    sync.Mutex
		heard = map[string]int{}
		wait  sync.WaitGroup
		found [2]*Interpreter
		errs  [2]error
	)
	start := time.Now()
	for n := range 2 {
		wait.Go(func() {
			found[n], errs[n] = Choose(t.Context(), Options{CacheDir: dir, Getenv: noEnv, Progress: func(what string, done, total int64) {
				mu.Lock()
				defer mu.Unlock()
				heard[what]++
				if done > total {
					t.Errorf("%s: %d of %d", what, done, total)
				}
			}})
		})
	}
	wait.Wait()
	t.Logf("unpacked in %v", time.Since(start))
	if err := errors.Join(errs[:]...); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(found[0], found[1]); diff != "" {
		t.Error(diff)
	}
	if heard["unpacking CPython "+embeddedVersion+" (once)"] < 2 || heard["waiting for another pyrun that unpacks CPython "+embeddedVersion] != 1 {
		t.Errorf("progress: %v", heard)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if diff := cmp.Diff([]string{"interpreters", embeddedName(), embeddedName() + ".lock"}, names); diff != "" {
		t.Errorf("left in the cache: %s", diff)
	}
	// Without the record the folder serves on; it is not unpacked again.
	if err := os.RemoveAll(filepath.Join(dir, "interpreters")); err != nil {
		t.Fatal(err)
	}
	if _, err := Choose(t.Context(), Options{CacheDir: dir, Getenv: noEnv, Progress: func(what string, _, _ int64) { t.Error(what) }}); err != nil {
		t.Error(err)
	}
}

func TestEmbeddedCancelled(t *testing.T) {
	skipSystemPython(t)
	dir := t.TempDir()
	t.Cleanup(func() { forceRemove(dir) })
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := Choose(ctx, Options{CacheDir: dir, Getenv: noEnv}); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
	// It ends behind the caller's back, and then leaves the lock alone.
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		if len(entries) == 1 && entries[0].Name() == embeddedName()+".lock" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("left: %v", entries)
		}
	}
}

func TestEmbeddedRefusesCache(t *testing.T) {
	skipSystemPython(t)
	refused := func(t *testing.T, o Options, words ...string) {
		t.Helper()
		_, err := Choose(t.Context(), o)
		if !errors.Is(err, ErrCache) {
			t.Fatalf("%v, want ErrCache", err)
		}
		for _, word := range append(words, "PYRUN_CACHE_DIR") {
			if !strings.Contains(whole(err), word) {
				t.Errorf("%q does not say %q", err, word)
			}
		}
	}
	t.Run("no HOME", func(t *testing.T) {
		if runtime.GOOS != "linux" {
			t.Skip("HOME is of Linux")
		}
		refused(t, Options{Getenv: noEnv}, "HOME is not set", "XDG_CACHE_HOME", "--python")
	})
	t.Run("a file", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "file")
		write(t, file, "")
		refused(t, Options{CacheDir: filepath.Join(file, "x"), Getenv: noEnv}, "not a directory")
	})
	t.Run("open to all", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "open")
		if err := errors.Join(os.Mkdir(dir, 0o755), os.Chmod(dir, 0o777)); err != nil {
			t.Fatal(err)
		}
		refused(t, Options{CacheDir: dir, Getenv: noEnv}, "others may write "+dir)
		refused(t, Options{CacheDir: filepath.Join(dir, "below"), Getenv: noEnv}, "others may write "+dir)
	})
	t.Run("somebody else's", func(t *testing.T) {
		if os.Geteuid() != 0 {
			t.Skip("only root can give folders away")
		}
		dir := t.TempDir()
		if err := os.Chown(dir, 1234, 1234); err != nil {
			t.Fatal(err)
		}
		refused(t, Options{CacheDir: dir, Getenv: noEnv}, "belongs to user 1234")
	})
	t.Run("somebody else's interpreter", func(t *testing.T) {
		if os.Geteuid() != 0 {
			t.Skip("only root can give folders away")
		}
		dir := t.TempDir()
		root := filepath.Join(dir, embeddedName())
		if err := errors.Join(os.Mkdir(root, 0o755), os.Chown(root, 1234, 1234)); err != nil {
			t.Fatal(err)
		}
		refused(t, Options{CacheDir: dir, Getenv: noEnv}, "belongs to user 1234")
	})
	t.Run("read-only", func(t *testing.T) {
		if os.Geteuid() == 0 {
			t.Skip("root writes everywhere")
		}
		dir := t.TempDir()
		if err := os.Chmod(dir, 0o555); err != nil {
			t.Fatal(err)
		}
		refused(t, Options{CacheDir: dir, Getenv: noEnv}, "permission denied")
		refused(t, Options{CacheDir: filepath.Join(dir, "x"), Getenv: noEnv}, "permission denied")
	})
	t.Run("no loader", func(t *testing.T) {
		if runtime.GOOS != "linux" {
			t.Skip("loaders are of Linux")
		}
		dir := t.TempDir()
		if err := errors.Join(os.MkdirAll(filepath.Join(dir, "lib", "python"+shortVersion(embeddedVersion)), 0o755), os.Mkdir(filepath.Join(dir, "bin"), 0o755)); err != nil {
			t.Fatal(err)
		}
		write(t, programIn(dir), "#!"+filepath.Join(dir, "loader")+"\n")
		if err := os.Chmod(programIn(dir), 0o755); err != nil {
			t.Fatal(err)
		}
		err := unpackError("unpack", compileLibrary(t.Context(), dir))
		if !errors.Is(err, ErrUnusable) || !strings.Contains(whole(err), "glibc") || strings.Contains(whole(err), "PYRUN_CACHE_DIR") {
			t.Error(err)
		}
	})
	t.Run("full disk", func(t *testing.T) {
		err := unpackError("unpack", &fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC})
		if !strings.Contains(whole(err), "152 MB") || !errors.Is(err, syscall.ENOSPC) {
			t.Error(err)
		}
	})
}
