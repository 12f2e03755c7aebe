package python

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestHarnessOnWindows plays Windows to the harness, with the names that its
// module nt has. What no test here can know is how those behave there.
func TestHarnessOnWindows(t *testing.T) {
	play, err := filepath.Abs("testdata/windows/play.py")
	if err != nil {
		t.Fatal(err)
	}
	const matplotlib = "import sys\ndel sys.modules['posix']  # the play is over\nimport matplotlib.pyplot as plt\n"
	cases := map[string]struct {
		source, stdout, kind, value string
		job                         Job
	}{
		"plain":      {source: "print('hi')\n", stdout: "hi\n"},
		"inputs":     {source: "import helper, sys\nprint(helper.x, sys.argv[1:])\n", stdout: "helped ['a']\n", job: Job{Args: []string{"a"}}},
		"error":      {source: "x = {}\nx['a']\n", kind: "KeyError"},
		"syntax":     {source: "print(1\n", kind: "SyntaxError"},
		"not utf-8":  {source: "x = '\xff'\n", kind: "SyntaxError"},
		"value":      {source: "6 * 7\n", value: "42", job: Job{Value: true}},
		"matplotlib": {source: matplotlib + "plt.plot([1, 2])\n", job: Job{Figures: true}},
	}
	for _, i := range interpreters(t) {
		for name, c := range cases {
			drawn := strings.Contains(c.source, matplotlib)
			if drawn && !slices.ContainsFunc(i.Packages, func(d Distribution) bool { return d.Name == "matplotlib" }) {
				continue
			}
			t.Run(i.Version+named2(i)+"/"+name, func(t *testing.T) {
				t.Parallel()
				source := *i // compiled, it could not be started from another file
				source.Harness, source.HarnessName = harness(), harnessSource
				f := newFolders(t, &source)
				write(t, filepath.Join(f.inputs, "helper.py"), "x = 'helped'\n")
				j := c.job
				j.Script, j.Report, j.HarnessDir, j.Outside = filepath.Join(f.job, "main.py"), f.report, f.harness, true
				write(t, j.Script, c.source)
				argv := Command(&source, j)
				at := slices.Index(argv, filepath.Join(f.harness, harnessSource))
				out := run(t, f.job, f.env(), slices.Insert(argv, at, play, filepath.Join(filepath.Dir(play), "nt.txt"))...)
				report, err := reported(f.report)
				if err != nil || out.stdout != c.stdout || report.Value != c.value || len(report.Notes) > 0 {
					t.Errorf("%+v; %+v, %v", out, report, err)
				}
				if c.kind == "" && (out.code != 0 || report.Error != nil) || c.kind != "" && (out.code != 1 || report.Error == nil || report.Error.Type != c.kind) {
					t.Errorf("want %q: %+v, %+v", c.kind, out, report.Error)
				}
				if _, err := os.Stat(filepath.Join(f.artifacts, "figure-1.png")); drawn != (err == nil) {
					t.Errorf("the figure: %v", err)
				}
			})
		}
	}
}
