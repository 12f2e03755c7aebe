package exec

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pyrun-dev/pyrun/internal/exec/python"
)

func inspect(t *testing.T, e *Executor, i Inspection) *Environment {
	t.Helper()
	env, err := e.Check(t.Context(), i)
	if err != nil {
		t.Fatalf("Check: %v", err)
	}
	return env
}

// install leaves what an installer would: a module and its metadata.
func install(t *testing.T, site, name, version, source string, metadata ...string) {
	t.Helper()
	module := strings.ReplaceAll(python.NormalName(name), "-", "_")
	info := filepath.Join(site, fmt.Sprintf("%s-%s.dist-info", module, version))
	if err := os.MkdirAll(info, 0o755); err != nil {
		t.Fatal(err)
	}
	head := fmt.Sprintf("Metadata-Version: 2.1\nName: %s\nVersion: %s\n%s\n", name, version, strings.Join(append(metadata, ""), "\n"))
	for path, text := range map[string]string{
		filepath.Join(site, module+".py"): source, filepath.Join(info, "METADATA"): head + "Requires-Dist: prose, not a header\n",
		filepath.Join(info, "RECORD"): module + ".py,,\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPackages compares a list with a folder of packages.
func TestPackages(t *testing.T) {
	for _, tt := range []struct {
		name    string
		list    string // of a file; empty with builtin
		builtin string
		site    func(t *testing.T, site string)
		want    []string // findings: "error message" or "note message"
		first   string   // of the packages, as name wanted version satisfied
	}{
		{name: "as wanted", list: "# mine\nNumPy >= 1.0\n", want: []string{}, first: "numpy >=1.0 1.2 true", site: func(t *testing.T, site string) { install(t, site, "numpy", "1.2", "") }},
		{name: "missing", list: "numpy\n", want: []string{"error numpy is wanted and not installed"}, first: "numpy *  false"},
		{name: "too old", list: "numpy>=2,!=2.1\n", want: []string{"error numpy 1.2 is installed, and >=2,!=2.1 is wanted"}, site: func(t *testing.T, site string) { install(t, site, "numpy", "1.2", "") }},
		{name: "local version", list: "torch==2.1.0\n", want: []string{}, site: func(t *testing.T, site string) { install(t, site, "torch", "2.1.0+cpu", "") }},
		{name: "as pip takes versions", list: "a>1.0\nb===1.0\nc<2\nd>=1\ne==1!1.*\n", want: []string{
			"error a 1.0.post1 is installed, and >1.0 is wanted", "error b 1.0.0 is installed, and ===1.0 is wanted",
			"error c 2.0rc1 is installed, and <2 is wanted",
		}, site: func(t *testing.T, site string) {
			for name, version := range map[string]string{"a": "1.0.post1", "b": "1.0.0", "c": "2.0rc1", "d": "1!0.5", "e": "1!1.4"} {
				install(t, site, name, version, "")
			}
		}},
		{name: "pre-release", list: "polars>=1\n", want: []string{}, site: func(t *testing.T, site string) { install(t, site, "polars", "1.9rc1", "") }},
		{name: "extra", list: "numpy\n", want: []string{"error installed, but neither listed in packages.txt nor needed by what is: Requests, evil"}, site: func(t *testing.T, site string) {
			install(t, site, "numpy", "1.2", "")
			install(t, site, "evil", "6.66", "")
			install(t, site, "Requests", "2.0", "")
			install(t, site, "pip", "23.0", "") // what venv brings
		}},
		{name: "needed by a listed one", list: "Pandas\n", want: []string{}, site: func(t *testing.T, site string) {
			install(t, site, "pandas", "2.0", "", "Requires-Dist: python_dateutil (>=2.8.1)", `Requires-Dist: odd ; python_version >= "3"`, `Requires-Dist: xlrd ; extra == "excel"`)
			install(t, site, "python-dateutil", "2.9", "", "Requires-Dist: six>=1.5")
			install(t, site, "six", "1.16", "")
			install(t, site, "odd", "1", "")
		}},
		{name: "an extra's need", list: "pandas[excel]\n", want: []string{"error pandas needs xlrd>=2, and 1.0 is installed"}, site: func(t *testing.T, site string) {
			install(t, site, "pandas", "2.0", "", `Requires-Dist: xlrd >=2 ; extra == 'excel'`)
			install(t, site, "xlrd", "1.0", "")
		}},
		{name: "an extra nobody asked for", list: "pandas\n", want: []string{"error installed, but neither listed in packages.txt nor needed by what is: xlrd"}, site: func(t *testing.T, site string) {
			install(t, site, "pandas", "2.0", "", `Requires-Dist: xlrd >=2 ; extra == 'excel'`)
			install(t, site, "xlrd", "1.0", "")
		}},
		{name: "a need that is missing", list: "pandas\n", want: []string{"error pandas needs pytz, which is not installed"}, site: func(t *testing.T, site string) {
			install(t, site, "pandas", "2.0", "", "Requires-Dist: pytz", `Requires-Dist: tzdata ; sys_platform == "win32"`)
		}},
		{name: "needs in a circle", list: "a\n", want: []string{}, site: func(t *testing.T, site string) {
			install(t, site, "a", "1", "", "Requires-Dist: b[x]")
			install(t, site, "b", "1", "", "Requires-Dist: a", `Requires-Dist: c; extra == "x"`)
			install(t, site, "c", "1", "", "Requires-Dist: b")
		}},
		{name: "an older installation", list: "a\n", want: []string{"error installed, but neither listed in packages.txt nor needed by what is: later"}, site: func(t *testing.T, site string) {
			egg := filepath.Join(site, "a-1.egg-info")
			if err := os.MkdirAll(egg, 0o755); err != nil {
				t.Fatal(err)
			}
			for name, text := range map[string]string{"PKG-INFO": "Name: a\nVersion: 1\n", "top_level.txt": "a\n", "requires.txt": "six>=1\n\n[:python_version < \"3\"]\nfutures\n\n[docs]\nlater\n"} {
				if err := os.WriteFile(filepath.Join(egg, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			install(t, site, "six", "1.16", "")
			install(t, site, "later", "1", "")
		}},
		{name: "broken metadata", list: "numpy\n", want: []string{"error SITE/ghost-1.dist-info names no package: its METADATA is missing or damaged", "error SITE/numpy-1.3.dist-info is numpy 1.3 beside 1.2 in the same folder"}, site: func(t *testing.T, site string) {
			install(t, site, "numpy", "1.2", "")
			install(t, site, "numpy", "1.3", "")
			if err := os.Mkdir(filepath.Join(site, "ghost-1.dist-info"), 0o755); err != nil {
				t.Fatal(err)
			}
		}},
		{name: "an empty list", list: "\n", want: []string{"error installed, but neither listed in packages.txt nor needed by what is: numpy"}, site: func(t *testing.T, site string) { install(t, site, "numpy", "1.2", "") }},
		{name: "not a list", list: "-r other.txt\n", want: []string{"error LIST:1: -r other.txt: -r is not taken: no options, no other files; name packages only"}},
		{name: "binary", list: "\x7fELF\x00\n", want: []string{"error LIST: is not text"}},
		{name: "an offer, nothing there", builtin: "numpy\npandas\n", want: []string{"note no package is installed, scripts have the standard library; the built-in list offers numpy, pandas"}},
		{name: "an offer, some there", builtin: "numpy\npandas\n", want: []string{"note of the built-in list these are not installed: pandas"}, site: func(t *testing.T, site string) {
			install(t, site, "numpy", "1.2", "")
			install(t, site, "evil", "6.66", "") // not for a built-in list to judge
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			site := filepath.Join(dir, "site")
			if err := os.Mkdir(site, 0o755); err != nil {
				t.Fatal(err)
			}
			if tt.site != nil {
				tt.site(t, site)
			}
			o := Options{BuiltinPackages: tt.builtin}
			if tt.list != "" {
				o.PackagesFile = filepath.Join(dir, "packages.txt")
				if err := os.WriteFile(o.PackagesFile, []byte(tt.list), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			e, err := New(o)
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			env := e.surroundings()
			e.packages(t.Context(), env, &python.Interpreter{Source: filepath.Join(dir, "no", "bin", "python"), Sites: []string{site}})
			got := []string{}
			for _, f := range env.Findings {
				text := strings.NewReplacer(o.PackagesFile, "LIST", site, "SITE").Replace(f.Message)
				if o.PackagesFile == "" {
					text = strings.ReplaceAll(f.Message, site, "SITE")
				}
				got = append(got, string(f.Severity)+" "+text)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("findings %q\nwant     %q", got, tt.want)
			}
			if tt.first != "" {
				p := env.Packages[0]
				if first := fmt.Sprintf("%s %s %s %v", p.Name, p.Wanted, p.Version, p.Satisfied); first != tt.first {
					t.Errorf("first %q, want %q", first, tt.first)
				}
			}
		})
	}
}

// TestCheckListForms: a line of the list is a package with a version, or is
// refused, and is never itself taken for a name.
func TestCheckListForms(t *testing.T) {
	dir := t.TempDir()
	site := filepath.Join(dir, "site")
	install(t, site, "numpy", "1.2.5", "")
	install(t, site, "scikit-learn", "1.5", "")
	if err := os.WriteFile(filepath.Join(site, "scikit_learn-1.5.dist-info", "top_level.txt"), []byte("sklearn\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"numpy~=1.2": "numpy ~=1.2 1.2.5 [numpy] true", "numpy>1": "numpy >1 1.2.5 [numpy] true", "numpy>1.2.5": "numpy >1.2.5 1.2.5 [numpy] false",
		"numpy  # comment": "numpy * 1.2.5 [numpy] true", "NumPy": "numpy * 1.2.5 [numpy] true",
		"scikit-learn": "scikit-learn * 1.5 [sklearn] true", "sklearn": "sklearn *  [] false",
		"numpy @ https://example.org/n.whl": ":1: numpy @ https://example.org/n.whl: a URL is not taken",
		"-r x":                              ":1: -r x: -r is not taken", "--index-url https://example.org": ":1: --index-url https://example.org: --index-url is not taken",
	} {
		o := Options{PackagesFile: filepath.Join(dir, "packages.txt")}
		if err := os.WriteFile(o.PackagesFile, []byte(line+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		e, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		env := e.surroundings()
		e.packages(t.Context(), env, &python.Interpreter{Source: filepath.Join(dir, "no", "bin", "python"), Sites: []string{site}})
		e.Close()
		if refused, ok := strings.CutPrefix(want, ":"); ok {
			if env.Problems != 1 || !strings.HasPrefix(env.Findings[0].Message, o.PackagesFile+":"+refused) || slices.ContainsFunc(env.Packages, func(p PackageInfo) bool { return p.Wanted != "" }) {
				t.Errorf("%q: %+v, %+v", line, env.Findings, env.Packages)
			}
			continue
		}
		p := env.Packages[0]
		if got := fmt.Sprintf("%s %s %s %v %v", p.Name, p.Wanted, p.Version, p.Imports, p.Satisfied); got != want {
			t.Errorf("%q: %s, want %s", line, got, want)
		}
	}
}

// TestPackagesFile: what cannot be a list is named in one line.
func TestPackagesFile(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large")
	if err := os.WriteFile(large, []byte(strings.Repeat("# x\n", 1<<18+1)), 0o644); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		dir: "is a folder", filepath.Join(dir, "none"): "no such file or directory", large: "is larger than 1 MiB", os.DevNull: "is no regular file",
	} {
		if _, err := readList(Options{PackagesFile: path}, "", ""); err == nil || err.Error() != path+": "+want {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
}

// TestCheckAnswers: a machine that can run nothing is no error.
func TestCheckAnswers(t *testing.T) {
	for _, tt := range []struct {
		name string
		o    Options
		want string // contained in the first finding
		area string
	}{
		{"no interpreter", Options{Python: "/no/such/python"}, "/no/such/python: does not exist", "interpreter"},
		{"no program", Options{Python: "inspect_test.go"}, "is not in PATH", "interpreter"},
		{"no cache folder", Options{CacheDir: filepath.Join(os.DevNull, "x")}, "cache folder", "interpreter"},
		{"another version", Options{PythonVersion: "2.7"}, "2.7 was asked for", "interpreter"},
		{"no walls wanted", Options{Sandbox: "none"}, "there is no wall", "walls"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("CODE_TOOLS_PYTHON", "")
			e, err := New(tt.o)
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			env := inspect(t, e, Inspection{})
			if f := env.Findings[0]; f.Area != tt.area || f.Severity != SeverityProblem || !strings.Contains(f.Message, tt.want) || strings.Contains(f.Message, f.Remedy) {
				t.Errorf("findings %+v, want %s", env.Findings, tt.want)
			}
			if env.Ready() || env.Problems != 1 || env.Walls == nil || env.Packages == nil {
				t.Errorf("%+v", env)
			}
		})
	}
}

// TestCheckEnds with its context and with its executor.
func TestCheckEnds(t *testing.T) {
	e, err := New(Options{Sandbox: "none"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if env, err := e.Check(ctx, Inspection{}); env != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%+v, %v", env, err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if env, err := e.Check(t.Context(), Inspection{}); env != nil || !errors.Is(err, ErrClosed) {
		t.Errorf("%+v, %v", env, err)
	}
}

// TestCheckWaits for a worker where a caller would be told to come again.
func TestCheckWaits(t *testing.T) {
	e := newExecutor(t, Options{MaxWorkers: 1, MaxQueue: 1})
	held := make(gate)
	for range 2 { // one works, one waits
		go func() {
			_, _ = e.Execute(context.Background(), Request{Code: []byte("import sys; sys.stdin.read()"), Stdin: held})
		}()
	}
	for e.Load().Waiting == 0 {
		time.Sleep(time.Millisecond)
	}
	time.AfterFunc(500*time.Millisecond, func() { close(held) }) // the look finds the queue full, and comes again
	if env := inspect(t, e, Inspection{}); !env.Ready() {
		t.Errorf("findings %+v", env.Findings)
	}
}
