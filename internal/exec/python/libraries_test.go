//go:build linux

package python

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/pyrun-dev/pyrun/internal/wheeltest"
)

// TestLibrariesPlanted: a module that says it needs a file which is no library
// has nothing of this machine shown for it.
func TestLibrariesPlanted(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret")
	write(t, secret, "the key")
	write(t, filepath.Join(dir, "empty.c"), "void nothing(void) {}\n")
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	gcc := func(argv ...string) {
		t.Helper()
		cmd := exec.Command("gcc", append([]string{"-shared", "-fPIC", "-Wl,--no-as-needed"}, argv...)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	argv := []string{"-o", "mod.so", "empty.c"}
	for n, needed := range []string{secret, dir, "/", "/root", "/dev/zero", "/proc/kcore", pipe, "../../" + secret} {
		lib := "lib" + string(rune('a'+n)) + ".so"
		gcc("-o", lib, "empty.c", "-Wl,-soname,"+needed)
		argv = append(argv, lib)
	}
	gcc(argv...)
	module, err := os.ReadFile(filepath.Join(dir, "mod.so"))
	if err != nil {
		t.Fatal(err)
	}
	for version, path := range bases(t) {
		t.Run(version, func(t *testing.T) {
			in := installation(t, "reader\n", wheeltest.Wheel{Name: "reader", Version: "1", Files: map[string]string{"mod.so": string(module)}})
			in.Path = path
			mustInstall(t, in)
			in.Path = ""
			i, err := Choose(t.Context(), in.Options)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range i.Mounts {
				if m.Target == "/" || m.Target == "/root" || strings.HasPrefix(m.Target, dir) || m.Source == secret || m.Target == "/dev/zero" || m.Target == "/proc/kcore" || !filepath.IsAbs(m.Target) {
					t.Errorf("shows %+v", m)
				}
			}
		})
	}
}
