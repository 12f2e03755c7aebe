package exec

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pyrun-dev/pyrun/internal/exec/python"
)

// A list that was written anew counts at once; while it is garbage the last good one does.
func TestPackagesAreReadAgain(t *testing.T) {
	file := filepath.Join(t.TempDir(), "packages.txt")
	e, err := New(Options{Sandbox: "none", PackagesFile: file, BuiltinPackages: "six"})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	in := &python.Interpreter{Source: filepath.Join(t.TempDir(), "bin", "python3")}
	for _, tt := range []struct {
		text string
		bad  bool
		want []string
	}{
		{"numpy\n", false, []string{"numpy"}},
		{"numpy\npandas>=2\n", false, []string{"numpy", "pandas"}},
		{"-r other.txt\n", true, []string{"numpy", "pandas"}},
		{"requests\n", false, []string{"requests"}},
	} {
		if err := os.WriteFile(file, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := e.listed(t.Context(), in); !slices.Equal(got, tt.want) {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
		if err := CheckPackages([]byte(tt.text)); (err != nil) != tt.bad {
			t.Errorf("%q: %v", tt.text, err)
		}
	}
}

// TestMarkersEverywhere: a line whose marker is not true is wanted nowhere, and
// a marker that cannot be read is refused alike by all who read the list.
func TestMarkersEverywhere(t *testing.T) {
	file := filepath.Join(t.TempDir(), "packages.txt")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	e := newExecutor(t, Options{PackagesFile: file})
	packages := NewPackages(Options{PackagesFile: file, Python: e.options.Python, CacheDir: e.options.CacheDir})
	write("pandas; python_version > '3'\nnumpy; python_version < '3'\nscipy<1; python_version < '3'\nscipy>=1; python_version > '3'\n")

	if res := execute(t, e, code("import sys")); res.Verdict != VerdictOK || e.known.Load() != nil {
		t.Errorf("a run that went well read the list: %+v, %+v", res, e.known.Load())
	}
	if r, err := e.Validate(t.Context(), Validation{Sources: one(Source{Name: "a.py", Code: []byte("import sys")})}); err != nil || r.Problems != 0 || e.known.Load() != nil {
		t.Errorf("a source that is as it should be had the list read: %+v, %v", r, err)
	}
	names := func(all []PackageInfo) []string {
		var wanted []string
		for _, p := range all {
			wanted = append(wanted, p.Name+p.Wanted)
		}
		return wanted
	}
	want := []string{"pandas*", "scipy>=1"}
	list, err := packages.List(t.Context(), PackagesRequest{})
	if err != nil || !slices.Equal(names(list.Packages), want) {
		t.Errorf("list: %+v %v", list, err)
	}
	env := inspect(t, e, Inspection{})
	if !slices.Equal(names(env.Packages), want) || env.Problems != 2 {
		t.Errorf("check: %+v, %+v", env.Packages, env.Findings)
	}
	said := func(module string) (validate, hint string) {
		t.Helper()
		r, err := e.Validate(t.Context(), Validation{Sources: one(Source{Name: "a.py", Code: []byte("import " + module)})})
		if err != nil || len(r.Diagnostics) != 1 {
			t.Fatalf("%+v, %v", r, err)
		}
		return r.Diagnostics[0].Message, execute(t, e, code("import "+module)).Hint
	}
	if validate, hint := said("pandas"); !strings.Contains(validate, "allowed package that is not installed") || !strings.Contains(hint, "pandas is an allowed package") {
		t.Errorf("pandas: %q, %q", validate, hint)
	}
	if validate, hint := said("numpy"); !strings.Contains(validate, "which is not an allowed package") || strings.Contains(hint, "is an allowed package") {
		t.Errorf("numpy: %q, %q", validate, hint)
	}

	write("pandas\nnumpy; nonsense == '1'\n")
	refused := file + ":2: numpy; nonsense == '1': not a marker: "
	_, err = packages.List(t.Context(), PackagesRequest{})
	if err == nil || !strings.HasPrefix(err.Error(), refused) {
		t.Errorf("list: %v", err)
	}
	for range 2 {
		env := inspect(t, e, Inspection{})
		found := slices.DeleteFunc(env.Findings, func(f Finding) bool { return f.Area != "packages" }) // memory may be sampled here
		if len(env.Packages) != 0 || env.Problems != 1 || len(found) != 1 || !strings.HasPrefix(found[0].Message, refused) || found[0].Message != err.Error() {
			t.Errorf("check: %+v, %+v, and list says %v", env.Packages, found, err)
		}
	}
	if got := e.listed(t.Context(), e.interpreter); !slices.Equal(got, []string{"pandas", "scipy"}) {
		t.Errorf("the last good list was %q", got)
	}
}
