package exec

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pyrun-dev/pyrun/internal/exec/python"
)

// TestPackagesChangeUnderCopies: what pip changes in a virtual environment while
// copies wait is what the next ones have, packages that were not there before included.
func TestPackagesChangeUnderCopies(t *testing.T) {
	newExecutor(t, Options{})      // or it is skipped
	t.Setenv("TMPDIR", "/var/tmp") // every copy has a /tmp of its own
	site := venv(t)
	program := filepath.Join(site, "..", "..", "..", "bin", "python")
	install(t, site, "grows", "1", "version = 1\n")
	e, err := New(Options{Sandbox: "native", Warm: 1, Preload: []string{preloadPackages}, Python: program, CacheDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	says := func(want string) {
		t.Helper()
		if err := e.Warmed(t.Context()); err != nil {
			t.Fatal(err)
		}
		r := execute(t, e, code("import sys\nprint(sorted({'grows', 'newcomer'} & {*sys.modules}))\nimport grows\nprint(grows.version)"))
		if r.Stdout != want {
			t.Errorf("%q, want %q; %s", r.Stdout, want, r.Stderr)
		}
	}
	says("['grows']\n1\n")
	if err := os.RemoveAll(filepath.Join(site, "grows-1.dist-info")); err != nil {
		t.Fatal(err)
	}
	install(t, site, "grows", "2", "version = 2\n")
	install(t, site, "newcomer", "1", "")
	p := e.pool.Load()
	eventually(t, p, "a new zygote after an upgrade", func(PoolStats) bool {
		p.look() // again, for the pool's own look may have come in the midst of it
		p.mu.Lock()
		known := p.known
		p.mu.Unlock()
		return known == p.print() && filled(p.snapshot())
	})
	if s := e.Pool(); s.Recycled["changed"] == 0 {
		t.Errorf("%+v", s)
	}
	says("['grows', 'newcomer']\n2\n")
	if s := e.Pool(); s.Warm != 2 {
		t.Errorf("not all were warm: %+v", s)
	}
}

// TestPrintOfSites: every folder of packages counts, wherever it lies in what is shown.
func TestPrintOfSites(t *testing.T) {
	root := t.TempDir()
	in := &python.Interpreter{Mounts: []python.Mount{{Source: root}}}
	for _, name := range []string{"first", "second"} {
		in.Sites = append(in.Sites, filepath.Join(root, "lib", name))
		if err := os.MkdirAll(in.Sites[len(in.Sites)-1], 0o755); err != nil {
			t.Fatal(err)
		}
	}
	e := &Executor{}
	for _, dir := range in.Sites {
		before := e.print(in)
		if again := e.print(in); again != before {
			t.Errorf("%q, and then %q", before, again)
		}
		if err := os.Mkdir(filepath.Join(dir, "pandas"), 0o755); err != nil {
			t.Fatal(err)
		}
		if e.print(in) == before {
			t.Errorf("a change in %s is not seen", dir)
		}
	}
}
