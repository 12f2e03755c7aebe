package main

import (
	"os"
	osexec "os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const completions = "../../completions"

// TestCompletionsAreFresh: the committed files are what the command tree says.
func TestCompletionsAreFresh(t *testing.T) {
	tree := newTree((&door{}).app())
	for _, s := range shells() {
		got, err := os.ReadFile(filepath.Join(completions, s.file))
		if err != nil {
			t.Error(err)
			continue
		}
		if d := cmp.Diff(s.script(tree), string(got)); d != "" {
			t.Errorf("%s is stale; run: go generate ./cmd/pyrun\n%s", s.file, d)
		}
	}
}

// TestCompletionsParse asks each shell that is here whether it can read its file.
func TestCompletionsParse(t *testing.T) {
	for name, args := range map[string][]string{
		"bash": {"-n", "pyrun.bash"},
		"zsh":  {"-n", "pyrun.zsh"},
		"fish": {"-n", "pyrun.fish"},
		"pwsh": {"-NoProfile", "-Command", "$e = $null; [void][System.Management.Automation.Language.Parser]::ParseFile((Resolve-Path pyrun.ps1), [ref]$null, [ref]$e); if ($e) { $e; exit 1 }"},
	} {
		t.Run(name, func(t *testing.T) {
			shellOrSkip(t, name)
			cmd := osexec.Command(name, args...)
			cmd.Dir = completions
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

func shellOrSkip(t *testing.T, name string) {
	t.Helper()
	if _, err := osexec.LookPath(name); err != nil {
		t.Skipf("no %s here", name)
	}
}

// TestBashCompletes really asks bash.
func TestBashCompletes(t *testing.T) {
	shellOrSkip(t, "bash")
	script, err := filepath.Abs(filepath.Join(completions, "pyrun.bash"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"hello.py", "two words.py", "data.csv", "out/x"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		words []string // the last is being typed
		want  []string
	}{
		{[]string{"pyrun", "r"}, []string{"run"}},
		{[]string{"pyrun", ""}, []string{"run", "validate", "check", "packages", "serve", "config", "bench", "completion", "version", "help", "--version", "--help"}},
		{[]string{"pyrun", "run", "hel"}, []string{"hello.py"}},
		{[]string{"pyrun", "run", "two"}, []string{"two words.py"}},
		{[]string{"pyrun", "run", "x.py", "--mem"}, []string{"--memory"}},
		{[]string{"pyrun", "run", "x.py", "--sandbox", "n"}, []string{"native", "none"}},
		{[]string{"pyrun", "run", "x.py", "--sandbox", "=", "n"}, []string{"native", "none"}},
		{[]string{"pyrun", "--color", "always", "run", "--network", ""}, []string{"loopback", "none"}},
		{[]string{"pyrun", "run", "--out", ""}, []string{"out"}},
		{[]string{"pyrun", "run", "-i", "da"}, []string{"data.csv"}},
		{[]string{"pyrun", "run", "--timeout", ""}, nil},
		{[]string{"pyrun", "run", "x.py", "--", "--mem"}, nil},
		{[]string{"pyrun", "completion", "z"}, []string{"zsh"}},
		{[]string{"pyrun", "help", "ex"}, []string{"exit-codes"}},
	} {
		program := `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _pyrun; printf '%s\n' "${COMPREPLY[@]}"`
		cmd := osexec.Command("bash", append([]string{"--norc", "-c", program, "-", script}, tt.words...)...)
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			t.Errorf("%q: %v", tt.words, err)
			continue
		}
		var got []string
		for l := range strings.Lines(string(out)) {
			if l = strings.TrimSpace(l); l != "" {
				got = append(got, l)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%q: got %q, want %q", tt.words, got, tt.want)
		}
	}
}

// TestFishCompletes really asks fish.
func TestFishCompletes(t *testing.T) {
	shellOrSkip(t, "fish")
	script, err := filepath.Abs(filepath.Join(completions, "pyrun.fish"))
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"pyrun r":                   "run",
		"pyrun run --mem":           "--memory",
		"pyrun run --sandbox nat":   "native",
		"pyrun completion powers":   "powershell",
		"pyrun help exit":           "exit-codes",
		"pyrun run x.py --network ": "loopback",
	} {
		cmd := osexec.Command("fish", "--no-config", "-c", `source $argv[1]; complete -C $argv[2]`, script, line)
		cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%q: %v, got %q, want %q", line, err, out, want)
		}
	}
}
