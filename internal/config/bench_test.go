package config

import (
	"fmt"
	"os"
	"testing"
)

// environ is what a shell of today hands on.
func environ(home string) []string {
	vars := []string{"HOME=" + home, "PATH=/usr/bin:/bin", "TERM=xterm-256color", "LANG=C.UTF-8"}
	for i := range 60 {
		vars = append(vars, fmt.Sprintf("SOME_VARIABLE_%d=a value of the usual length or so", i))
	}
	return vars
}

// What every start of pyrun pays: no file, found by looking for it.
func BenchmarkLoadNoFile(b *testing.B) {
	dir := b.TempDir()
	vars := environ(dir)
	for b.Loop() {
		if _, err := Load(Sources{Dir: dir, Environ: vars}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLoadFlagsAndVariables(b *testing.B) {
	dir := b.TempDir()
	vars := append(environ(dir), "PYRUN_MEMORY=1G", "runner___disk=1G", "RUNNER_MAX_PROCESSES=9", "PYRUN_MEMORRY=1")
	for b.Loop() {
		if _, err := Load(Sources{Dir: dir, Environ: vars, Flags: map[string]string{"timeout": "10s"}}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLoadSeedFile(b *testing.B) {
	data, err := os.ReadFile("testdata/seed.yaml")
	if err != nil {
		b.Fatal(err)
	}
	dir := b.TempDir()
	if err := os.WriteFile(dir+"/pyrun.yaml", data, 0o600); err != nil {
		b.Fatal(err)
	}
	vars := environ(dir)
	for b.Loop() {
		if _, err := Load(Sources{Dir: dir, Environ: vars}); err != nil {
			b.Fatal(err)
		}
	}
}
