//go:build linux

package python

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/pyrun-dev/pyrun/internal/wheeltest"
)

// TestLibrariesPlanted: a module that says it needs a file which is no library,
// or one that is neither the environment's nor the system's, has nothing of this
// machine shown for it.
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
	program, private := filepath.Join(dir, "tool"), filepath.Join(dir, "private")
	write(t, filepath.Join(dir, "main.c"), "int main(void) { return 0; }\n")
	cmd := exec.Command("gcc", "-pie", "-fPIE", "-o", program, filepath.Join(dir, "main.c"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := os.Mkdir(private, 0o755); err != nil {
		t.Fatal(err)
	}
	gcc("-o", "private/libmine.so", "empty.c", "-Wl,-soname,libmine.so")
	gcc("-o", "private/tool.so", "empty.c") // as a path
	argv := []string{"-o", "mod.so", "empty.c", "private/libmine.so", "-Wl,-rpath," + private + ":$ORIGIN/../../../../../../../../.." + private}
	for n, needed := range []string{secret, dir, "/", "/root", "/dev/zero", "/proc/kcore", pipe, "../../" + secret, program, filepath.Join(private, "tool.so")} {
		lib := "lib" + string(rune('a'+n)) + ".so"
		gcc("-o", lib, "empty.c", "-Wl,-soname,"+needed)
		argv = append(argv, lib)
	}
	gcc(argv...)
	argv[1] = "old.so"
	gcc(append(argv, "-Wl,--disable-new-dtags")...) // RPATH
	// What a wheel brings beside its module is followed as ever.
	const beside = "reader-1.data/data/lib/libown.so" // the environment's lib
	if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(beside)), 0o755); err != nil {
		t.Fatal(err)
	}
	gcc("-o", beside, "empty.c", "-Wl,-soname,libown.so", "-lgcc_s")
	gcc("-o", "good.so", "empty.c", beside, "-Wl,-rpath,$ORIGIN/../..")
	files := map[string]string{}
	for _, name := range []string{"mod.so", "old.so", "good.so", beside} {
		module, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(module)
	}
	for version, path := range bases(t) {
		t.Run(version, func(t *testing.T) {
			in := installation(t, "reader\n", wheeltest.Wheel{Name: "reader", Version: "1", Files: files})
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
			if !slices.ContainsFunc(i.Mounts, func(m Mount) bool { return strings.HasPrefix(filepath.Base(m.Target), "libgcc_s.so") }) && !i.shows("/usr/lib") {
				t.Errorf("the library of a library is not shown: %+v", i.Mounts)
			}
		})
	}
}

// TestLibrariesOfPrograms: a program is shown for no module, whoever made the
// environment, and whatever was taken out of the program.
func TestLibrariesOfPrograms(t *testing.T) {
	program := "/bin/sh"
	f, err := openObject(program)
	if err != nil || f.Type != elf.ET_DYN || f.Class != elf.ELFCLASS64 || f.ByteOrder != binary.LittleEndian {
		t.Skip("no program of that kind to look at")
	}
	defer f.Close()
	text, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	stripped := bytes.Clone(text)
	clear(stripped[0x28:0x30]) // e_shoff
	clear(stripped[0x3c:0x40]) // e_shnum, e_shstrndx
	older := bytes.Clone(text) // as linkers made it before there was the flag
	at := bytes.Index(older, binary.LittleEndian.AppendUint64(nil, uint64(elf.DT_FLAGS_1)))
	if at < 0 || older[at+11]&0x08 == 0 {
		t.Skip("has no flag to take away")
	}
	older[at+11] &^= 0x08
	w := walker{machine: f.Machine}
	for name, data := range map[string][]byte{"as it is": text, "without sections": stripped, "without the flag": older} {
		path := filepath.Join(t.TempDir(), "program")
		write(t, path, string(data))
		if w.fits(path) {
			t.Errorf("a program %s is taken for a library", name)
		}
	}
	matches, _ := filepath.Glob("/lib/*-linux-gnu/lib*.so.[0-9]*")
	for _, path := range matches { // some can be started too: libc, libcap
		if lib, err := openObject(path); err == nil && lib.Machine == f.Machine {
			if lib.Close(); !w.fits(path) {
				t.Errorf("%s is not taken for a library", path)
			}
		}
	}
}
