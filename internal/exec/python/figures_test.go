package python

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// withMatplotlib are the interpreters that have it.
func withMatplotlib(t *testing.T) []*Interpreter {
	t.Helper()
	var some []*Interpreter
	for _, i := range interpreters(t) {
		if slices.ContainsFunc(i.Packages, func(d Distribution) bool { return d.Name == "matplotlib" }) {
			some = append(some, i)
		}
	}
	if len(some) == 0 {
		t.Skip("no interpreter here has matplotlib")
	}
	return some
}

func TestFigures(t *testing.T) {
	cases := map[string]struct {
		source  string
		figures int
		failing bool
	}{
		"three shown": {"import matplotlib.pyplot as plt\nfor k in range(3):\n    plt.figure(); plt.plot([0, k, 1]); plt.title(f'plot {k} \u4e2d\u6587 \u65e5\u672c\u8a9e')\nplt.show()\nassert not plt.get_fignums()\n", 3, false},
		"left open":   {"import matplotlib.pyplot as plt\nplt.plot([1, 2])\n", 1, false},
		"after error": {"from matplotlib import pyplot\npyplot.plot([1])\n1/0\n", 1, true},
		"after exit":  {"from matplotlib import pyplot\npyplot.plot([1])\nraise SystemExit\n", 1, false},
		"one figure":  {"import matplotlib.pyplot as plt\nf, g = plt.figure(), plt.figure()\ng.show()\nassert plt.get_fignums() == [1]\nplt.close(f)\n", 1, false},
		"kept names":  {"import matplotlib.pyplot as plt, os\nopen(os.environ['ARTIFACTS_DIR'] + '/figure-1.png', 'w').close()\nplt.plot([1]); plt.show()\n", 2, false},
		"agg by name": {"import matplotlib\nmatplotlib.use('Agg')\nimport matplotlib.pyplot as plt\nplt.plot([1]); plt.show(block=False)\n", 1, false},
		"not asked":   {"import matplotlib\nprint(matplotlib.__name__)\n", 0, false},
		"in a child":  {"import os\nimport matplotlib.pyplot as plt\nplt.plot([1])\nif os.fork() == 0:\n    raise SystemExit\nos.wait()\n", 1, false},
		"signature":   {"import inspect\nimport matplotlib.pyplot as plt\nassert 'args' in str(inspect.signature(plt.show)), inspect.signature(plt.show)\nassert plt.show.__doc__ and plt.rcParams['font.family'] == ['sans-serif']\n", 0, false},
	}
	for _, i := range withMatplotlib(t) {
		config := t.TempDir() // holds the list of fonts, which takes a second to make
		first := newFolders(t, i)
		first.config = config
		if out, _, err := harnessed(t, i, first, "import matplotlib.pyplot", Job{Figures: true}); err != nil || out.code != 0 {
			t.Fatalf("%+v %v", out, err)
		}
		for name, c := range cases {
			t.Run(i.Version+"/"+name, func(t *testing.T) {
				t.Parallel()
				f := newFolders(t, i)
				f.config = config
				out, report, err := harnessed(t, i, f, c.source, Job{Figures: true})
				if err != nil || c.failing != (out.code != 0) || !c.failing && out.stderr != "" || len(report.Notes) != 0 {
					t.Errorf("%+v %+v %v", out, report, err)
				}
				files, _ := filepath.Glob(filepath.Join(f.artifacts, "figure-*.png"))
				if len(files) != c.figures {
					t.Fatalf("figures %q, want %d", files, c.figures)
				}
				for _, file := range files {
					data, err := os.ReadFile(file)
					if err != nil {
						t.Fatal(err)
					}
					if name == "kept names" && len(data) == 0 {
						continue
					}
					if _, err := png.Decode(bytes.NewReader(data)); err != nil {
						t.Errorf("%s: %v", file, err)
					}
				}
			})
		}
	}
}

// TestFiguresOff holds that without the option matplotlib is as it is.
func TestFiguresOff(t *testing.T) {
	for _, i := range withMatplotlib(t) {
		f := newFolders(t, i)
		out, _, err := harnessed(t, i, f, "import sys\nimport matplotlib.pyplot as plt\nplt.plot([1])\nplt.show()\n", Job{})
		files, _ := os.ReadDir(f.artifacts)
		if err != nil || len(files) != 0 || out.code != 0 {
			t.Errorf("%+v %v %v", out, files, err)
		}
	}
}
