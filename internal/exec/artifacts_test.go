//go:build unix

package exec

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// gather collects a folder that make has filled.
func gather(t *testing.T, o Options, make func(dir string)) *collector {
	t.Helper()
	dir := t.TempDir()
	make(dir)
	root, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	c := newCollector(root, defaults(t, o), nil)
	began := time.Now()
	c.collect()
	if took := time.Since(began); took > collectTime+time.Second {
		t.Errorf("took %v", took)
	}
	return c
}

func put(t *testing.T, name, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (c *collector) paths() []string {
	names := []string{}
	for _, a := range c.list {
		names = append(names, a.Path)
	}
	return names
}

func (c *collector) why(path string) string {
	for _, s := range c.skipped {
		if s.Path == path {
			return s.Reason
		}
	}
	return ""
}

func same(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCollectKinds(t *testing.T) {
	c := gather(t, Options{}, func(dir string) {
		put(t, dir+"/ok.txt", "ok")
		put(t, dir+"/sub/.dot", "")
		put(t, dir+"/.git/config", "x")
		for name, target := range map[string]string{"passwd": "/etc/passwd", "env": "/proc/self/environ", "inner": "ok.txt", "dir": "sub", "dangling": "nowhere", "up": "../../.."} {
			if err := os.Symlink(target, dir+"/"+name); err != nil {
				t.Fatal(err)
			}
		}
		if err := syscall.Mkfifo(dir+"/fifo", 0o666); err != nil {
			t.Fatal(err)
		}
		here, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
		defer os.Chdir(here) // the path of a socket is short
		if err := os.Chdir(dir); err != nil {
			t.Fatal(err)
		}
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: "sock", Net: "unix"})
		if err != nil {
			t.Fatal(err)
		}
		l.SetUnlinkOnClose(false)
		l.Close()
		if err := os.MkdirAll(dir+"/empty/er", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Link(dir+"/ok.txt", dir+"/hard"); err != nil {
			t.Fatal(err)
		}
	})
	same(t, c.paths(), ".git/config", "hard", "ok.txt", "sub/.dot")
	for path, want := range map[string]string{
		"passwd": "a symbolic link", "env": "a symbolic link", "inner": "a symbolic link", "dir": "a symbolic link", "dangling": "a symbolic link", "up": "a symbolic link",
		"fifo": "a named pipe", "sock": "a socket", "empty/er": "empty folder",
	} {
		if got := c.why(path); got != want {
			t.Errorf("%s skipped as %q, want %q", path, got, want)
		}
	}
	a := c.list[2]
	if string(a.Content) != "ok" || a.Size != 2 || a.MediaType != "text/plain" || a.SHA256 != "2689367b205c16ce32ed4200942b8b8b1e262dfc70d9bc9fbc77c49699a4f1df" {
		t.Errorf("artifact %+v", a)
	}
	if c.list[3].Content == nil {
		t.Error("an empty file has no content")
	}
}

func TestCollectDevice(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root makes devices")
	}
	c := gather(t, Options{}, func(dir string) {
		if err := syscall.Mknod(dir+"/null", syscall.S_IFCHR|0o666, 1<<8|3); err != nil {
			t.Skipf("mknod: %v", err)
		}
	})
	if c.why("null") != "a device" || len(c.list) != 0 {
		t.Errorf("%v, %v", c.list, c.skipped)
	}
}

func TestCollectNames(t *testing.T) {
	good := []string{"-rf", "..hidden", "con", "quote\"',{}.txt", "\u00e9.txt", "日本.txt"}
	bad := map[string]string{
		"new\nline.txt": `new\nline.txt`, "esc\x1b[31mred.txt": `esc\x1b[31mred.txt`, "bad\xff\xfeutf8.txt": `bad\xff\xfeutf8.txt`,
		`back\..\slash.txt`: `back\..\slash.txt`, "C:evil.txt": "C:evil.txt", "tab\there.txt": `tab\there.txt`, "rtl\u202etxt.exe": `rtl\u202etxt.exe`,
		" lead": " lead", "trail ": "trail ", "e\u0301.txt": `e\u0301.txt`, "...": "...", "c1\u0085": `c1\u0085`,
	}
	c := gather(t, Options{}, func(dir string) {
		for _, n := range good {
			put(t, dir+"/"+n, "x")
		}
		for n := range bad {
			put(t, dir+"/"+n, "x")
		}
		put(t, dir+"/bad\x01dir/inside", "x")
	})
	slices.Sort(good)
	same(t, c.paths(), good...)
	for n, shown := range bad {
		if !strings.HasPrefix(c.why(shown), "its name ") {
			t.Errorf("%q: %q", n, c.why(shown))
		}
	}
	if c.why(`bad\x01dir`) == "" || len(c.skipped) != len(bad)+1 {
		t.Errorf("skipped %v", c.skipped)
	}
}

func TestCollectBudgets(t *testing.T) {
	c := gather(t, Options{MaxArtifactBytes: 100, MaxArtifactsTotal: 250, MaxArtifacts: 6}, func(dir string) {
		put(t, dir+"/a", strings.Repeat("a", 100))
		put(t, dir+"/b", strings.Repeat("b", 101))
		put(t, dir+"/c", strings.Repeat("c", 100))
		put(t, dir+"/d", strings.Repeat("d", 60))
		put(t, dir+"/e", strings.Repeat("e", 50))
		put(t, dir+"/f", "")
		put(t, dir+"/g", "g")
		f, err := os.Create(dir + "/b2")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := f.Truncate(1 << 40); err != nil {
			t.Logf("sparse: %v", err)
		}
	})
	same(t, c.paths(), "a", "b", "b2", "c", "d", "e")
	for i, want := range []struct {
		n   int
		err string
	}{{100, ""}, {0, "too large: 101 bytes"}, {0, "too large: 1099511627776 bytes"}, {100, ""}, {0, "too large with the others"}, {50, ""}} {
		if a := c.list[i]; len(a.Content) != want.n || !strings.HasPrefix(a.Error, want.err) || (a.Error == "") != (want.err == "") {
			t.Errorf("%s: %d bytes, %q", a.Path, len(a.Content), a.Error)
		}
	}
	if c.why("f") != "over the count of 6 files" || c.why("g") != "over the count of 6 files" {
		t.Errorf("skipped %v", c.skipped)
	}
}

func TestCollectMany(t *testing.T) {
	c := gather(t, Options{}, func(dir string) {
		for i := range 5000 {
			put(t, fmt.Sprintf("%s/many/%04d", dir, i), "x")
		}
		put(t, dir+"/top", "x")
	})
	if len(c.list) != defaultMaxArtifacts || c.paths()[0] != "many/0000" && len(c.list) != 64 {
		t.Errorf("%d artifacts, first %s", len(c.list), c.paths()[0])
	}
	if len(c.skipped) != maxSkipped+1 || c.entries != maxEntries {
		t.Errorf("%d skipped of %d entries", len(c.skipped), c.entries)
	}
	if c.why(".") == "" || !strings.HasSuffix(c.why("..."), " more were skipped") {
		t.Errorf("skipped %v ... %v", c.skipped[0], c.skipped[len(c.skipped)-1])
	}
}

// TestCollectCrowd: one crowded folder does not hide what lies at the top.
func TestCollectCrowd(t *testing.T) {
	c := gather(t, Options{}, func(dir string) {
		for i := range 4200 {
			put(t, fmt.Sprintf("%s/aaa/%04d", dir, i), "")
		}
		put(t, dir+"/zzz", "x")
	})
	if !slices.Contains(c.files, "zzz") {
		t.Error("the top was not looked at")
	}
}

func TestCollectDeep(t *testing.T) {
	c := gather(t, Options{}, func(dir string) {
		put(t, dir+"/"+strings.Repeat("d/", 15)+"ok", "x")
		at := dir
		for range 15 {
			at += "/d"
		}
		if err := os.MkdirAll(at+"/e/f", 0o755); err != nil {
			t.Fatal(err)
		}
		put(t, at+"/e/f/no", "x")
	})
	same(t, c.paths(), strings.Repeat("d/", 15)+"ok")
	if got := c.why(strings.Repeat("d/", 15) + "e"); !strings.HasPrefix(got, "deeper than") {
		t.Errorf("skipped %v", c.skipped)
	}
}

func TestCollectUnreadable(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root reads everything")
	}
	c := gather(t, Options{}, func(dir string) {
		put(t, dir+"/a", "x")
		put(t, dir+"/d/b", "x")
		if os.Chmod(dir+"/a", 0) != nil || os.Chmod(dir+"/d", 0) != nil {
			t.Fatal("chmod")
		}
		t.Cleanup(func() { os.Chmod(dir+"/d", 0o700) })
	})
	if c.why("a") != "not readable" || c.why("d") != "not readable" || len(c.list) != 0 {
		t.Errorf("%v, %v", c.list, c.skipped)
	}
}

// failing is a sink on a full disk.
type failing struct{ left int }

func (f *failing) put(name string, _ []byte) (string, error) {
	if f.left--; f.left < 0 {
		return "", &os.PathError{Op: "write", Path: name, Err: syscall.ENOSPC}
	}
	return "/x/" + name, nil
}

func TestCollectFullDisk(t *testing.T) {
	dir := t.TempDir()
	put(t, dir+"/a", "1")
	put(t, dir+"/b", "2")
	root, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	c := newCollector(root, defaults(t, Options{}), &failing{left: 1})
	c.collect()
	if c.list[0].File != "/x/a" || c.list[1].File != "" || c.list[1].Error != "not written: no space left on device" || c.failed == nil {
		t.Errorf("%+v, %v", c.list, c.failed)
	}
}

func TestArtifactsFolderReplaced(t *testing.T) {
	for name, make := range map[string]func(dir string) error{
		"removed":                           func(string) error { return nil },
		"replaced: a symbolic link":         func(d string) error { return os.Symlink("/etc", d+"/job/artifacts") },
		"replaced: a named pipe":            func(d string) error { return syscall.Mkfifo(d+"/job/artifacts", 0o666) },
		"replaced: not a regular file":      func(d string) error { return os.WriteFile(d+"/job/artifacts", nil, 0o600) },
		"replaced: the job, a link itself.": func(d string) error { return os.Rename(d+"/job", d+"/old") },
	} {
		dir := t.TempDir()
		if err := os.Mkdir(dir+"/job", 0o700); err != nil {
			t.Fatal(err)
		}
		if err := make(dir); err != nil {
			t.Fatal(err)
		}
		store, err := os.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		list, skipped, err := artifactsOf(store, defaults(t, Options{}), nil)
		store.Close()
		if err != nil || list == nil || len(list) != 0 || len(skipped) != 1 || skipped[0].Path != "." {
			t.Errorf("%s: %v, %v, %v", name, list, skipped, err)
		}
	}
}

func TestReadReportIsCareful(t *testing.T) {
	for name, make := range map[string]func(file string) error{
		"missing": func(string) error { return nil },
		"a link":  func(f string) error { return os.Symlink("/etc/passwd", f) },
		"a pipe":  func(f string) error { return syscall.Mkfifo(f, 0o666) },
		"garbage": func(f string) error { return os.WriteFile(f, bytes.Repeat([]byte{0xff}, 1<<20), 0o600) },
		"a dir":   func(f string) error { return os.Mkdir(f, 0o700) },
	} {
		dir := t.TempDir()
		if err := os.Mkdir(dir+"/report", 0o700); err != nil {
			t.Fatal(err)
		}
		if err := make(dir + "/report/report"); err != nil {
			t.Fatal(err)
		}
		store, err := os.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if r := readReport(store); r.Error != nil || r.Value != "" {
			t.Errorf("%s: %+v", name, r)
		}
		store.Close()
	}
}
