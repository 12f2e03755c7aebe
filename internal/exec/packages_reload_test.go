package exec

import (
	"os"
	"path/filepath"
	"slices"
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
		if got := e.listed(in); !slices.Equal(got, tt.want) {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
		if err := CheckPackages([]byte(tt.text)); (err != nil) != tt.bad {
			t.Errorf("%q: %v", tt.text, err)
		}
	}
}
