package python

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParsePackages(t *testing.T) {
	text := "\ufeff# what scripts may import\r\n\r\nnumpy\npandas >= 2.0, <3  # frames\nScikit_Learn[alldeps,extra]==1.5.*\n" +
		"pillow (>=10)\ntyping.Extensions; python_version < '3.11'\nmatplotlib==3.9.0 \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\nsympy#not-a-comment\n"
	_, err := ParsePackages(text)
	var bad *RequirementError
	if !errors.As(err, &bad) || bad.Line != 11 {
		t.Errorf("%v", err)
	}
	got, err := ParsePackages(strings.Replace(text, "sympy#not-a-comment", "sympy #one", 1))
	if err != nil {
		t.Fatal(err)
	}
	want := []Requirement{
		{Name: "numpy", Spelled: "numpy", Line: 3},
		{Name: "pandas", Spelled: "pandas", Specifier: ">=2.0,<3", Line: 4},
		{Name: "scikit-learn", Spelled: "Scikit_Learn", Extras: []string{"alldeps", "extra"}, Specifier: "==1.5.*", Line: 5},
		{Name: "pillow", Spelled: "pillow", Specifier: ">=10", Line: 6},
		{Name: "typing-extensions", Spelled: "typing.Extensions", Marker: "python_version < '3.11'", Line: 7},
		{Name: "matplotlib", Spelled: "matplotlib", Specifier: "==3.9.0", Hashes: []string{"sha256:aa", "sha256:bb"}, Line: 8},
		{Name: "sympy", Spelled: "sympy", Line: 11},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestParsePackagesRefuses(t *testing.T) {
	cases := map[string]string{
		"-r more.txt": "-r is not taken", "--index-url https://x": "--index-url is not taken", "-e .": "-e is not taken",
		"numpy @ https://example.org/n.whl": "a URL", "https://example.org/n.whl": "a URL", "git+ssh://x/y": "a URL",
		"./numpy": "a path", "numpy-1.0-py3-none-any.whl": "a path", "a/b": "a path", "numpy==": "no version specifier",
		"numpy 1.0": "no version specifier", "numpy=1.0": "no version specifier", "_numpy": "not a package name", "numpy[x": "not closed",
		"numpy (>1": "not closed", "numpy --no-deps": "--no-deps is not taken", "na\u00efve": "no version specifier", "numpy\nNumPy": "stands in line 2 already, spelled numpy", "numpy\nnumpy; python_version > '3'": "second time",
		"numpy --hash=md5:aa": "no hash", "numpy[a,]": "no extra", "numpy=1": "exactly one version is ==", "numpy 1": "before it", "numpy==${V}": "variables",
	}
	for text, want := range cases {
		_, err := ParsePackages("# a\n" + text)
		var bad *RequirementError
		if !errors.As(err, &bad) || !strings.Contains(bad.Msg, want) || bad.Line < 2 {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestNearest(t *testing.T) {
	allowed := strings.Fields("numpy pandas matplotlib scipy scikit-learn pillow sympy PyYAML polars pydantic rich python-dateutil")
	cases := map[string]string{
		"sklearn": "scikit-learn", "sklearn.svm": "scikit-learn", "PIL": "pillow", "PIL.Image": "pillow", "yaml": "PyYAML", "dateutil": "python-dateutil",
		"numpi": "numpy", "panda": "pandas", "mathplotlib": "matplotlib", "scikit_learn": "scikit-learn", "Numpy": "numpy", "mpl_toolkits.mplot3d": "matplotlib",
		"requests": "", "cv2": "", "os": "", "": "", "ric": "rich", "ri": "", "torch": "", "polar": "polars",
	}
	for module, want := range cases {
		if got, ok := Nearest(module, allowed); got != want || ok != (want != "") {
			t.Errorf("%s: %q %v, want %q", module, got, ok, want)
		}
	}
	for module, want := range map[string]string{"cv2": "opencv-python", "bs4": "beautifulsoup4", "Crypto.Cipher": "pycryptodome", "some_thing": "some-thing"} {
		if got := PackageFor(module); got != want {
			t.Errorf("%s: %s", module, got)
		}
	}
}

// TestMarkers: of several lines for one package, the interpreter says which is meant.
func TestMarkers(t *testing.T) {
	o := atHome(t, t.TempDir())
	i := embeddedInterpreter(t)
	list, err := ParsePackages("numpy<2; python_version < '3.12'\nnumpy>=2; python_version >= '3.12'\npandas\nold; python_version < '3'\n")
	if err != nil {
		t.Fatal(err)
	}
	applies, err := Applicable(t.Context(), o, i, list)
	if err != nil || len(applies) != 2 || applies[0].Specifier != ">=2" || applies[1].Name != "pandas" {
		t.Errorf("%+v %v", applies, err)
	}
	for text, want := range map[string]string{
		"a; python_version > '3'\na; python_version > '2'": "line 1 applies too", "a; nonsense > '3'": "not a marker",
	} {
		list, err := ParsePackages(text)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Applicable(t.Context(), o, i, list)
		var bad *RequirementError
		if !errors.As(err, &bad) || !strings.Contains(bad.Msg, want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestTakes(t *testing.T) {
	for _, c := range []struct {
		specifier, version string
		want               bool
	}{
		{"", "1.0", true},
		{">=1,<2", "1.5", true},
		{">=1,<2", "2.0", false},
		{"~=1.4", "1.9", true},
		{"~=1.4", "2.0", false},
		{"==1.*", "1.7.3", true},
		{"!=1.3", "1.3", false},
		{"===1.0", "1.0", true},
		{"===1.0", "1.0.0", false},
		{"==1.0", "1.0.0", true},
		{">=1", "2.0rc1", true},
		{">=2", "2.0rc1", false},
		{"<2", "2.0rc1", false},
		{">=1", "no version", false},
		{"", "no version", true},
		{"==1.0", "1.0+local", true},
	} {
		if got := Takes(c.specifier, c.version); got != c.want {
			t.Errorf("%q takes %s: %v", c.specifier, c.version, got)
		}
	}
}
