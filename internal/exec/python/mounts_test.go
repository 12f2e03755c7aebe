package python

import (
	"bytes"
	"debug/elf"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestMounts holds that all which is shown exists, that programs and libraries are not data,
// and that nothing private or whole is among it.
func TestMounts(t *testing.T) {
	for _, i := range interpreters(t) {
		t.Run(i.Version+named2(i), func(t *testing.T) {
			for _, m := range i.Mounts {
				info, err := os.Stat(m.Source)
				if err != nil || !filepath.IsAbs(m.Target) || filepath.Clean(m.Target) != m.Target {
					t.Errorf("%+v: %v", m, err)
					continue
				}
				if real, err := filepath.EvalSymlinks(m.Source); err != nil || real != m.Source {
					t.Errorf("%s is a link to %s", m.Source, real)
				}
				if slices.Contains([]string{"/", "/etc", "/etc/ssl", "/etc/ssl/private", "/home", "/root", "/var", "/tmp"}, m.Target) {
					t.Errorf("%s is shown", m.Target)
				}
				if info.Mode().IsRegular() && m.Data == (strings.Contains(m.Target, ".so") && m.Target != loaderCache) {
					t.Errorf("%+v: data?", m)
				}
				if n := len(slices.DeleteFunc(slices.Clone(i.Mounts), func(o Mount) bool { return o.Target != m.Target })); n != 1 {
					t.Errorf("%s is shown %d times", m.Target, n)
				}
			}
			if !i.shows(i.Path) {
				t.Errorf("%s is not shown", i.Path)
			}
		})
	}
}

// TestLibrariesAreComplete asks the loader itself: what it maps outside must be shown inside.
func TestLibrariesAreComplete(t *testing.T) {
	for _, i := range interpreters(t) {
		t.Run(i.Version+named2(i), func(t *testing.T) {
			source := "import ssl, sqlite3, ctypes, lzma, bz2, zlib, hashlib, decimal, uuid, curses\nprint(open('/proc/self/maps').read())\n"
			out := run(t, "/", nil, i.Source, "-I", "-c", source)
			if out.code != 0 {
				t.Fatal(out)
			}
			seen := 0
			for line := range strings.SplitSeq(out.stdout, "\n") {
				at := strings.IndexByte(line, '/')
				if at < 0 || !strings.Contains(line, ".so") {
					continue
				}
				seen++
				file := line[at:]
				ok := slices.ContainsFunc(i.Mounts, func(m Mount) bool {
					return !m.Data && (m.Source == file || below(file, m.Source))
				})
				if !ok {
					t.Errorf("%s is used and not shown", file)
				}
			}
			if seen < 3 {
				t.Errorf("only %d libraries in the map", seen)
			}
		})
	}
}

// TestVirtualEnvironment makes one and looks for both prefixes.
func TestVirtualEnvironment(t *testing.T) {
	for _, base := range interpreters(t) {
		if base.Embedded {
			continue
		}
		t.Run(base.Version, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "env")
			if out := run(t, "/", nil, base.Source, "-I", "-m", "venv", "--without-pip", dir); out.code != 0 {
				t.Skipf("no venv here: %s", out.stdout+out.stderr)
			}
			site := filepath.Join(dir, "lib", "python"+shortVersion(base.Version), "site-packages")
			info := filepath.Join(site, "Some_Thing-1.5.dist-info")
			if err := os.MkdirAll(info, 0o755); err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(info, "METADATA"), "Metadata-Version: 2.1\nName: Some_Thing\nVersion: 1.5\n\nName: not this\n")
			write(t, filepath.Join(info, "RECORD"), "some/__init__.py,sha256=x,1\nsome/sub/a.py,,\nsolo.py,,\n_fast.cpython-311-x86_64-linux-gnu.so,,\nSome_Thing-1.5.dist-info/METADATA,,\n../../bin/tool,,\n__pycache__/solo.pyc,,\n")
			i, err := Choose(t.Context(), Options{Path: filepath.Join(dir, "bin", "python"), CacheDir: t.TempDir(), Getenv: noEnv})
			if err != nil {
				t.Fatal(err)
			}
			if i.Prefix != dir || i.Path != filepath.Join(dir, "bin", "python") || !i.shows(dir) || !i.shows(base.Prefix) {
				t.Errorf("%+v", *i)
			}
			if len(i.Packages) != 1 || i.Packages[0].Name != "Some_Thing" || i.Packages[0].Version != "1.5" || !slices.Equal(i.Packages[0].Imports, []string{"_fast", "solo", "some"}) {
				t.Errorf("packages %+v", i.Packages)
			}
			out, _, err := harnessed(t, i, newFolders(t, i), "import sys\nprint(sys.prefix, sys.prefix != sys.base_prefix)\n", Job{})
			if err != nil || out.stdout != dir+" True\n" {
				t.Errorf("%+v %v", out, err)
			}
		})
	}
}

// TestSymlinkedInterpreter takes an interpreter by a link that lies nowhere near it.
func TestSymlinkedInterpreter(t *testing.T) {
	for _, base := range interpreters(t) {
		if base.Embedded {
			continue
		}
		link := filepath.Join(t.TempDir(), "py")
		if err := os.Symlink(base.Source, link); err != nil {
			t.Fatal(err)
		}
		i, err := Choose(t.Context(), Options{Path: link, Getenv: noEnv})
		if err != nil {
			t.Fatal(err)
		}
		if !i.shows(i.Path) || i.shows(filepath.Dir(link)) || i.Prefix != base.Prefix {
			t.Errorf("%s: path %s, prefix %s", base.Version, i.Path, i.Prefix)
		}
	}
}

func TestCertificates(t *testing.T) {
	if caBundle(nil) == "" {
		t.Skip("this machine has no CA bundle")
	}
	for _, i := range interpreters(t) {
		at := slices.IndexFunc(i.Mounts, func(m Mount) bool { return m.Data && strings.Contains(m.Target, "/cert") })
		if at < 0 {
			t.Errorf("%s: no bundle is shown: %+v", i.Version, i.Mounts)
			continue
		}
		data, err := os.ReadFile(i.Mounts[at].Source)
		if err != nil || !bytes.Contains(data, []byte("BEGIN CERTIFICATE")) {
			t.Errorf("%+v %v", i.Mounts[at], err)
		}
		// Where it will stand is where OpenSSL looks, by itself, by a link in a mount, or by the variable.
		out := run(t, "/", i.Env, i.Source, "-I", "-c", "import ssl, os; print(os.environ.get('SSL_CERT_FILE') or ssl.get_default_verify_paths().openssl_cafile)")
		looks := strings.TrimSpace(out.stdout)
		if real, err := filepath.EvalSymlinks(looks); err == nil && i.shows(looks) && looks != i.Mounts[at].Target {
			looks = real
		}
		if looks != i.Mounts[at].Target {
			t.Errorf("%s: OpenSSL looks at %s, the bundle stands at %s", i.Version, looks, i.Mounts[at].Target)
		}
	}
}

// TestCertificatesInAMount holds that a bundle finds a place when OpenSSL's own is out of reach.
func TestCertificatesInAMount(t *testing.T) {
	if caBundle(nil) == "" {
		t.Skip("this machine has no CA bundle")
	}
	for cafile, want := range map[string]string{"/usr/lib/nowhere/cert.pem": caInside, "": caInside, "/opt/x/cert.pem": ""} {
		i := &Interpreter{Mounts: []Mount{{Source: "/usr", Target: "/usr"}}}
		addCertificates(i, cafile, nil)
		at := i.Mounts[len(i.Mounts)-1].Target
		if want == "" && (at != cafile || i.Env != nil) || want != "" && (at != want || !slices.Equal(i.Env, []string{"SSL_CERT_FILE=" + want})) {
			t.Errorf("%q: shown at %s, %v", cafile, at, i.Env)
		}
	}
}

func TestBroadPrefix(t *testing.T) {
	for prefix, want := range map[string]bool{"/": true, "/usr": false, "/usr/local": false, "/opt": true, "/root": true, "/home/ada": true, "/home/ada/py": false, "/opt/py": false} {
		if broad(prefix) != want {
			t.Errorf("%s: %v", prefix, !want)
		}
	}
	f := &facts{
		Executable: "/home/ada/bin/python3", Real: "/home/ada/bin/python3.12", Prefix: "/home/ada", BasePrefix: "/home/ada", BaseExecPrefix: "/home/ada",
		Path: []string{"/home/ada/lib/python312.zip", "/home/ada/lib/python3.12", "/elsewhere"}, Sites: []string{"/home/ada/lib/python3.12/site-packages"},
	}
	got := inside("/home/ada", f)
	if !slices.Equal(got, []string{"/home/ada/bin/python3.12", "/home/ada/lib/python3.12", "/home/ada/lib/python3.12/site-packages"}) {
		t.Errorf("%q", got)
	}
}

func TestConfiguredFolders(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.conf"), "/one # first\n\n/two\nhwcap 0 x\n")
	write(t, filepath.Join(dir, "main"), "include *.conf\ninclude "+filepath.Join(dir, "main")+"\nrelative\n/three\n")
	got := configuredFolders(filepath.Join(dir, "main"), 0)
	if !slices.Equal(slices.Compact(slices.Sorted(slices.Values(got))), []string{"/one", "/three", "/two"}) {
		t.Errorf("%q", got)
	}
}

func TestWalkerSkipsOtherMachines(t *testing.T) {
	w := walker{seen: map[string]bool{}, machine: elf.EM_RISCV}
	if self, err := os.Executable(); err != nil || w.fits(self) {
		t.Error("an object of another machine fits", err)
	}
}
