package exec

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	osexec "os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pyrun-dev/pyrun/internal/exec/sandbox"
)

// venv makes a virtual environment of the machine's python3 and returns its site folder.
func venv(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "env")
	if out, err := osexec.Command("/usr/bin/python3", "-m", "venv", "--without-pip", dir).CombinedOutput(); err != nil {
		cannot(t, "no virtual environment can be made here: %v\n%s", err, out)
	}
	found, err := filepath.Glob(filepath.Join(dir, "lib", "python3.*", "site-packages"))
	if err != nil || len(found) != 1 {
		t.Fatalf("site folders %v, %v", found, err)
	}
	return found[0]
}

// TestCheckHolds: here, where scripts run, every wall holds, with either network.
func TestCheckHolds(t *testing.T) {
	for _, network := range []sandbox.Network{sandbox.NetworkLoopback, sandbox.NetworkNone} {
		t.Run(string(network), func(t *testing.T) {
			e := newExecutor(t, Options{Network: network})
			env := inspect(t, e, Inspection{})
			if !env.Ready() || env.Problems != 0 {
				t.Errorf("walls %+v\nfindings %+v", env.Walls, env.Findings)
			}
			if names := wallNames(env); !slices.Equal(names, wallNames(&Environment{Walls: truth().walls()})) {
				t.Errorf("walls %v", names)
			}
			res := execute(t, e, code("pass"))
			if got, want := env.Sandbox.Memory, res.Sandbox.Memory; got != want || !slices.Equal(env.Sandbox.Layers, res.Sandbox.Layers) {
				t.Errorf("check says %+v, run says %+v", env.Sandbox, res.Sandbox)
			}
			if env.System.Kernel == "" || env.Interpreter.Version == "" || env.Limits.MemoryBytes != defaultMemory {
				t.Errorf("%+v %+v %+v", env.System, env.Interpreter, env.Limits)
			}
		})
	}
}

func wallNames(env *Environment) (names []string) {
	for _, w := range env.Walls {
		names = append(names, w.Name)
	}
	return names
}

// TestCheckSaysWhatRunSays makes each step of the sandbox fail in turn: where no
// script can run, check names the step, and where one can, all walls hold.
func TestCheckSaysWhatRunSays(t *testing.T) {
	newExecutor(t, Options{}) // or it is skipped
	page, err := os.ReadFile(cmp.Or(os.Getenv("PYRUN_TEST_STEPS"), "../../docs/security.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(page), "<!-- steps -->\n")
	list, _, _ = strings.Cut(list, "<!-- /steps -->")
	failed := 0
	for line := range strings.Lines(list) {
		_, step, _ := strings.Cut(strings.TrimSpace(line), ". ")
		if step == "wait for the script" || strings.HasSuffix(step, " each") { // by then it runs; kinds of steps
			continue
		}
		w, err := sandbox.New(sandbox.Options{Backend: sandbox.Native, Fault: step})
		if err != nil {
			t.Fatal(err)
		}
		e, err := New(Options{Python: os.Getenv("PYRUN_TEST_PYTHON")})
		if err != nil {
			t.Fatal(err)
		}
		e.walls = launcher{w}
		_, runs := e.Execute(t.Context(), code("pass"))
		env := inspect(t, e, Inspection{})
		e.Close()
		switch {
		case runs == nil: // this user's walls have no such step
			if !env.Ready() {
				t.Errorf("%s: scripts run, and check finds %+v", step, env.Findings)
			}
			continue
		case env.Ready() || env.Problems != 1:
			t.Errorf("%s: no script runs, and check finds %+v", step, env.Findings)
			continue
		}
		failed++
		f := env.Findings[0]
		if f.Area != "walls" || f.Message != runs.Error() || !strings.Contains(f.Message, step) {
			t.Errorf("%s: run says %q, check %+v", step, runs, f)
		}
		var told *sandbox.Error
		if errors.As(runs, &told) && (f.Why != told.Why || f.Remedy != told.Remedy) {
			t.Errorf("%s: run explains %q, %q, check %q, %q", step, told.Why, told.Remedy, f.Why, f.Remedy)
		}
	}
	if failed < 25 {
		t.Errorf("only %d steps were made to fail", failed)
	}
}

// lyingWalls are real ones that say something else of themselves.
type lyingWalls struct {
	walls
	lie func(*sandbox.Observation, *sandbox.Posture)
}

type lyingTree struct {
	tree
	lie func(*sandbox.Observation, *sandbox.Posture)
}

func (w lyingWalls) start(ctx context.Context, at sandbox.Place, p sandbox.Policy, s sandbox.Stdio) (tree, error) {
	t, err := w.walls.start(ctx, at, p, s)
	if err != nil {
		return nil, err
	}
	return lyingTree{t, w.lie}, nil
}

func (t lyingTree) Posture() sandbox.Posture {
	p := t.tree.Posture()
	t.lie(&sandbox.Observation{}, &p)
	return p
}

func (t lyingTree) Observe() (sandbox.Observation, error) {
	o, err := t.tree.Observe()
	if t.lie(&o, &sandbox.Posture{}); o.Status != nil {
		err = nil
	}
	return o, err
}

// TestCheckDoubts: when the outside tells otherwise than the inside, a wall does
// not hold, and the finding names it.
func TestCheckDoubts(t *testing.T) {
	t.Parallel()
	for name, lie := range map[string]func(*sandbox.Observation, *sandbox.Posture){
		"seccomp": func(_ *sandbox.Observation, p *sandbox.Posture) {
			p.Layers = slices.DeleteFunc(slices.Clone(p.Layers), func(l string) bool { return l == "seccomp" })
		},
		"network": func(o *sandbox.Observation, _ *sandbox.Posture) { o.Reach = append(o.Reach, "eth0") },
		"privileges": func(o *sandbox.Observation, _ *sandbox.Posture) {
			if o.Status != nil {
				o.Status["CapEff"] = "000001ffffffffff"
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := newExecutor(t, Options{})
			e.walls = lyingWalls{e.walls, lie}
			env := inspect(t, e, Inspection{})
			if env.Ready() || env.Problems != 1 || env.Findings[0].Wall != name || !strings.HasPrefix(env.Findings[0].Message, name+" does not hold: ") {
				t.Errorf("findings %+v", env.Findings)
			}
		})
	}
	t.Run("none at all", func(t *testing.T) { // walls that only claim to be
		e := newExecutor(t, Options{})
		plain, err := sandbox.New(sandbox.Options{Backend: sandbox.None})
		if err != nil {
			t.Fatal(err)
		}
		e.walls = lyingWalls{launcher{plain}, func(o *sandbox.Observation, p *sandbox.Posture) {
			*o = truth().outside
			p.Layers = []string{"mount", "pid", "net", "ipc", "uts", "cgroup", "landlock", "seccomp", "caps", "rlimit"}
		}}
		env := inspect(t, e, Inspection{})
		var held []string
		for _, w := range env.Walls {
			if w.Held {
				held = append(held, w.Name)
			}
		}
		// A child's time is up there too, and an ordinary user cannot look into pid 1.
		held = slices.DeleteFunc(held, func(name string) bool { return name == "time" || name == "inheritance" && os.Geteuid() != 0 })
		if len(held) > 0 || len(env.Walls) < 10 || env.Ready() {
			t.Errorf("held without walls: %v\n%+v", held, env.Walls)
		}
	})
}

// TestCheckImports: a package that installs and does not import is named with
// its traceback's last line; one that takes too much, with the limit.
func TestCheckImports(t *testing.T) {
	site := venv(t)
	install(t, site, "good", "1.0", "GOOD = 1\n")
	install(t, site, "broken", "2.1", "import nothing_of_this_name\n")
	install(t, site, "greedy", "0.1", "held = [b'x' * (8 << 20) for _ in range(100)]\n")
	install(t, site, "slow", "0.1", "import time; time.sleep(60)\n")
	install(t, site, "crash", "0.1", "import os; os.abort()\n")
	list := filepath.Join(t.TempDir(), "packages.txt")
	if err := os.WriteFile(list, []byte("good>=1\nbroken\ngreedy\nslow\ncrash\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	e, err := New(Options{
		Python: filepath.Join(site, "../../../bin/python"), PackagesFile: list, CacheDir: t.TempDir(),
		DefaultTimeout: 4 * time.Second, Limits: sandbox.Limits{Memory: 64 << 20},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	heard := 0
	env := inspect(t, e, Inspection{Imports: true, Imported: func(done, total int) {
		if heard++; done != heard || total != 5 {
			t.Errorf("heard of %d of %d as number %d", done, total, heard)
		}
	}})
	if !env.Ready() {
		cannot(t, "no run is possible here: %+v", env.Findings)
	}
	want := map[string]string{
		"good": "", "broken": "ModuleNotFoundError: No module named 'nothing_of_this_name'",
		"greedy": "it takes more than the 64 MiB of memory that a run has",
		"slow":   "it takes longer than the 4s that a run has", "crash": "it ends the interpreter with SIGABRT",
	}
	for _, p := range env.Packages {
		if why, listed := want[p.Name]; listed {
			if p.Import == nil || p.Import.Error != why || p.Import.OK != (why == "") || p.Import.DurationMS <= 0 || p.Import.PeakMemoryBytes <= 0 {
				t.Errorf("%s: %+v, want %q", p.Name, p.Import, why)
			}
			delete(want, p.Name)
		}
	}
	if len(want) > 0 || env.Problems != 4 || heard != 5 {
		t.Errorf("not imported: %v; heard %d times; findings %+v", want, heard, env.Findings)
	}
	data, err := json.Marshal(env)
	if err != nil || strings.Contains(string(data), ":null") {
		t.Errorf("%s, %v", data, err)
	}
}

// TestCheckDebian: the versions, import names and times of Debian's packages.
func TestCheckDebian(t *testing.T) {
	debianPython(t, "numpy pandas matplotlib yaml PIL")
	e, err := New(Options{Python: "/usr/bin/python3", BuiltinPackages: "numpy\npandas\nmatplotlib\npyyaml\npillow\nno-such-package\n", CacheDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	began := time.Now()
	env := inspect(t, e, Inspection{Imports: true})
	if env.Problems != 0 {
		t.Errorf("findings %+v", env.Findings)
	}
	script := "import importlib.metadata as m\nfor n in 'numpy', 'pandas', 'matplotlib', 'pyyaml', 'pillow': print(n, m.version(n))\n"
	versions := execute(t, e, code(script)).Stdout
	for name, imported := range map[string]string{"numpy": "numpy", "pandas": "pandas", "matplotlib": "pylab", "pyyaml": "yaml", "pillow": "PIL"} {
		i := slices.IndexFunc(env.Packages, func(p PackageInfo) bool { return strings.EqualFold(p.Name, name) })
		if i < 0 {
			t.Errorf("%s is not among the packages", name)
			continue
		}
		p := env.Packages[i]
		if !strings.Contains(versions, name+" "+p.Version+"\n") || !slices.Contains(p.Imports, imported) || !p.Satisfied || p.Import == nil || !p.Import.OK {
			t.Errorf("%+v %+v; Python says\n%s", p, p.Import, versions)
			continue
		}
		if most := time.Since(began).Milliseconds(); p.Import.DurationMS <= 0 || p.Import.DurationMS > most {
			t.Errorf("%s took %d ms of %d in all", name, p.Import.DurationMS, most)
		}
	}
}
