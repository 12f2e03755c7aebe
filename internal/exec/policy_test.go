package exec

import (
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pyrun-dev/pyrun/internal/exec/python"
	"github.com/pyrun-dev/pyrun/internal/exec/sandbox"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestPolicy(t *testing.T) {
	in := &python.Interpreter{
		Path: "/opt/python/bin/python3", Source: "/home/ada/python/bin/python3", Version: "3.14.6", Prefix: "/opt/python",
		Mounts: []python.Mount{{Source: "/home/ada/python", Target: "/opt/python"}, {Source: "/usr/share/fonts", Target: "/usr/share/fonts", Data: true}},
		Links:  []python.Link{{Path: "/lib64", Target: "usr/lib64"}},
		Env:    []string{"SSL_CERT_FILE=/etc/ssl/cert.pem"}, EnvOutside: []string{"SSL_CERT_FILE=/home/ada/python/share/cert.pem"},
		Harness: []byte("harness"), HarnessName: "start.pyc",
	}
	j := &job{
		code: []byte("pass"), name: "data.csv", args: []string{"--", "x"}, env: map[string]string{"TZ": "CET", "A": "1"}, value: true, figures: true,
		limits:   sandbox.Limits{Wall: time.Second, CPU: 3 * time.Second, Memory: 1 << 20, FileSize: 2, Disk: 3, Inodes: 4, Processes: 5, OpenFiles: 6},
		fontSeed: &fontList{"fontlist-v1.json", []byte("{}")},
	}
	files := []loaded{
		{name: "data.csv", data: []byte("not linked: the script has its name")},
		{name: "inputs/x", data: []byte("not linked")},
		{name: "lib/a.py", data: []byte("a")},
		{name: "lib/b.py", data: []byte("b")},
		{name: "big.bin", source: "/data/big.bin"},
		{name: "folder", source: "/data/folder"},
	}
	for name, at := range map[string]sandbox.Place{"own-root": {}, "no-root": {Root: "/tmp/pyrun-1"}} {
		t.Run(name, func(t *testing.T) {
			p := policyFor(j, in, files, at, sandbox.NetworkLoopback)
			for i, v := range p.Env { // the machine's own number
				if name, _, _ := strings.Cut(v, "="); strings.HasSuffix(name, "_NUM_THREADS") {
					p.Env[i] = name + "=N"
				}
			}
			p.Argv = []string{p.Argv[0]} // the rest is the python package's business
			got, err := json.MarshalIndent(p, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			golden := "testdata/policy-" + name + ".json"
			if *update {
				if err := os.WriteFile(golden, append(got, '\n'), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), string(got)+"\n"); d != "" {
				t.Errorf("policy (-want +got):\n%s", d)
			}
			for _, path := range everyPath(p) {
				if !strings.HasPrefix(path, at.Root) {
					t.Errorf("%s is outside of the place", path)
				}
			}
		})
	}
}

// everyPath lists what the policy makes or shows.
func everyPath(p sandbox.Policy) []string {
	paths := append([]string{p.Dir}, p.Sealed...)
	for _, b := range p.Binds {
		paths = append(paths, b.Target)
	}
	for _, l := range p.Links {
		paths = append(paths, l.Path)
	}
	for _, f := range p.Files {
		paths = append(paths, f.Path)
	}
	for _, d := range p.Writable {
		paths = append(paths, d.Path)
	}
	return paths
}

func TestEnvironmentIsBuiltFromNothing(t *testing.T) {
	t.Setenv("PYRUN_TEST_SECRET", "x")
	for _, v := range environment("linux", &job{}, "/p/bin/python", nil, func(s string) string { return s }) {
		if strings.Contains(v, "SECRET") || strings.HasPrefix(v, "SHELL=") {
			t.Errorf("%s came through", v)
		}
	}
}

// TestEnvironmentOnWindows: what its programs look for under other names.
func TestEnvironmentOnWindows(t *testing.T) {
	under := func(p string) string { return `C:\Temp\pyrun-1` + strings.ReplaceAll(p, "/", `\`) }
	got := environment("windows", &job{env: map[string]string{"A": "1"}}, `C:\Python\python.exe`, []string{`SYSTEMROOT=C:\Windows`, "PATHEXT=.EXE"}, under)
	for _, want := range []string{
		`PATH=C:\Python;C:\Windows\System32;C:\Windows`, `HOME=C:\Temp\pyrun-1\job`, `USERPROFILE=C:\Temp\pyrun-1\job`,
		`TMPDIR=C:\Temp\pyrun-1\tmp`, `TEMP=C:\Temp\pyrun-1\tmp`, `TMP=C:\Temp\pyrun-1\tmp`, "USERNAME=sandbox",
		`INPUTS_DIR=C:\Temp\pyrun-1\job\inputs`, `SYSTEMROOT=C:\Windows`, "PATHEXT=.EXE", "A=1",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("no %s in %q", want, got)
		}
	}
}
