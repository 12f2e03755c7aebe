package exec

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// debianPython is an interpreter that has the scientific packages, where there is one.
func debianPython(t *testing.T, modules string) *Executor {
	t.Helper()
	const path = "/usr/bin/python3"
	if runtime.GOOS != "linux" {
		cannot(t, "native walls need Linux")
	}
	if _, err := os.Stat(path); err != nil {
		cannot(t, "no %s", path)
	}
	e, err := New(Options{Python: path, CacheDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	// By argument, for code that names matplotlib has its fonts listed first.
	probe := Request{Code: []byte("import importlib.util as u, sys\nsys.exit(not all(u.find_spec(m) for m in sys.argv[1:]))"), Args: strings.Fields(modules)}
	res, err := e.Execute(t.Context(), probe)
	if err != nil {
		cannot(t, "no run is possible here: %v", err)
	}
	if res.ExitCode != 0 {
		cannot(t, "%s lacks one of %s", path, modules)
	}
	return e
}

// TestPlots: three figures with Chinese titles, at the default limits, without
// a word on stderr; the list of fonts is made once.
func TestPlots(t *testing.T) {
	e := debianPython(t, "numpy pandas matplotlib")
	const src = `import matplotlib.pyplot as plt
for k in range(3):
    plt.figure(); plt.plot([0, k, 1]); plt.title(f"plot {k} 中文")
plt.show()
`
	var said []string
	r := code(src)
	r.Progress = func(p Progress) { said = append(said, p.What) }
	for range 2 {
		res := execute(t, e, r)
		if res.Verdict != VerdictOK || res.Stderr != "" || len(res.Artifacts) != 3 {
			t.Fatalf("verdict %s, stderr %q, %d artifacts, skipped %v, hint %q", res.Verdict, res.Stderr, len(res.Artifacts), res.Skipped, res.Hint)
		}
		for i, a := range res.Artifacts {
			if a.Path != "figure-"+string(rune('1'+i))+".png" || a.MediaType != "image/png" || !bytes.HasPrefix(a.Content, []byte("\x89PNG")) {
				t.Errorf("artifact %s, %s, %d bytes", a.Path, a.MediaType, a.Size)
			}
		}
	}
	fonts := 0
	for _, s := range said {
		if strings.Contains(s, "fonts") {
			fonts++
		}
	}
	lists, _ := filepath.Glob(filepath.Join(e.options.CacheDir, "fonts", "*", "fontlist-v*.json"))
	if fonts != 1 || len(lists) != 1 {
		t.Errorf("the list of fonts was announced %d times and is kept as %v; said %q", fonts, lists, said)
	}
	off := false
	res := execute(t, e, Request{Code: []byte(src), Figures: &off})
	if res.Verdict != VerdictOK || len(res.Artifacts) != 0 {
		t.Errorf("figures turned off: %s, %d artifacts", res.Verdict, len(res.Artifacts))
	}
}

// TestPlotsWarm: copies whose packages have loaded pyplot ahead bring figures too, with
// the same fonts; and one that is asked for none has it as it came.
func TestPlotsWarm(t *testing.T) {
	cold := debianPython(t, "matplotlib pylab")
	e, err := New(Options{Python: "/usr/bin/python3", CacheDir: cold.options.CacheDir, Sandbox: "native", Warm: 1, Preload: []string{"pylab"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	if err := e.Warmed(t.Context()); err != nil {
		cannot(t, "no copies are possible here: %v", err)
	}
	const shown = "plt.figure(); plt.plot([1, 2]); plt.title('\u4e2d\u6587'); plt.show(); plt.figure(); plt.plot([2, 1])\n"
	const looks = "import sys, warnings\nprint('matplotlib.pyplot' in sys.modules)\nimport matplotlib.pyplot as plt\n" +
		"print(plt.show.__code__.co_filename, plt.Figure.show.__code__.co_filename, len(warnings.filters))\n"
	off := false
	for _, tt := range []struct {
		figures *bool
		names   string
	}{{nil, "figure-1.png figure-2.png"}, {&off, ""}} {
		for range 2 {
			var said [2]*Result
			for i, x := range []*Executor{cold, e} {
				if i == 1 {
					refilled(t, e)
				}
				said[i] = execute(t, x, Request{Code: []byte(looks + shown), Figures: tt.figures})
				var names []string
				for _, a := range said[i].Artifacts {
					names = append(names, a.Path)
				}
				if strings.Join(names, " ") != tt.names || said[i].Verdict != VerdictOK {
					t.Errorf("%s: %v, %q, %q", said[i].Verdict, names, said[i].Stdout, said[i].Stderr)
				}
			}
			if "True"+strings.TrimPrefix(said[0].Stdout, "False") != said[1].Stdout || said[0].Stderr != said[1].Stderr {
				t.Errorf("cold %q %q, warm %q %q", said[0].Stdout, said[0].Stderr, said[1].Stdout, said[1].Stderr)
			}
		}
	}
	if s := e.Pool(); s.Warm != 4 {
		t.Errorf("not all were warm: %+v", s)
	}
}

// TestNumbers: a frame and a linear solve at 512 MiB and 64 processes.
func TestNumbers(t *testing.T) {
	e := debianPython(t, "numpy pandas")
	res := execute(t, e, code(`import numpy as np, pandas as pd
print(round(np.linalg.inv(np.eye(800)).trace()))
print(pd.DataFrame({"a": [1, 2, 3]}).sum().a)
`))
	if res.Verdict != VerdictOK || res.Stdout != "800\n6\n" || res.Stderr != "" {
		t.Errorf("verdict %s, stdout %q, stderr %q, hint %q", res.Verdict, res.Stdout, res.Stderr, res.Hint)
	}
}
