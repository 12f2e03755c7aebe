package ui

import (
	"bytes"
	"encoding/xml"
	"errors"
	"os"
	osexec "os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

func environments() map[string]*exec.Environment {
	machine := exec.System{OS: "linux", Kernel: "6.18.0", Arch: "amd64", UID: 1000}
	limits := exec.LimitsInfo{
		TimeoutSeconds: 30, MaxTimeoutSeconds: 300, MemoryBytes: 512 << 20, Memory: "cgroup2",
		DiskBytes: 256 << 20, FileBytes: 64 << 20, Processes: 64, OpenFiles: 256,
	}
	walls := []exec.Wall{
		{Name: "namespaces", Held: true, Detail: "user, mount, pid, net, ipc, uts, cgroup"},
		{Name: "root", Held: true, Detail: "own root, read-only; 5 devices; no host file seen"},
		{Name: "limits", Held: true, Detail: "processes, open files, file size and disk end where they should"},
		{Name: "seccomp", Held: true, Detail: "218 calls allowed"},
		{Name: "time", Held: true, Detail: "stopped when its time is over"},
		{Name: "memory", Held: true, Detail: "killed at its limit (cgroup2)"},
	}
	fresh := &exec.Environment{
		System: machine, Interpreter: &exec.InterpreterInfo{Version: "3.14.6", Path: "/home/ada/.cache/pyrun/x/bin/python3", Embedded: true},
		Walls: walls, Limits: limits,
		Packages: []exec.PackageInfo{{Name: "numpy", Wanted: "*"}, {Name: "pandas", Wanted: "*"}},
		Findings: []exec.Finding{{Area: "packages", Severity: exec.SeverityNote, Message: "no package is installed, scripts have the standard library; the built-in list offers numpy, pandas", Remedy: "pyrun packages install"}},
	}
	sampled := *fresh
	sampled.Limits.Memory = "sampled"
	sampled.Findings = append([]exec.Finding{{
		Area: "limits", Wall: "memory", Severity: exec.SeverityNote, Message: "memory is watched every few milliseconds, not held by the kernel",
		Why: "/sys/fs/cgroup has no memory controller", Remedy: "start pyrun with: systemd-run --user --scope -p Delegate=yes pyrun ...",
	}}, fresh.Findings...)

	refused := &exec.Environment{
		System: machine, Interpreter: &exec.InterpreterInfo{Version: "3.11.2", Path: "/home/ada/env/bin/python", Wanted: "3.11"},
		Limits: limits,
		Findings: []exec.Finding{{
			Area: "walls", Severity: exec.SeverityProblem, Message: "sandbox: make the namespaces: operation not permitted",
			Why: "AppArmor restricts unprivileged user namespaces (Ubuntu 23.10 and newer)", Remedy: "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
		}},
		Problems: 1,
	}
	fallen := *fresh
	fallen.Walls = append([]exec.Wall{}, walls...)
	fallen.Walls[1] = exec.Wall{Name: "root", Detail: "see /etc/shadow: was allowed; /ho\x1b[31mme is there"}
	fallen.Walls[5] = exec.Wall{Name: "memory", Detail: "a script that passed it ended with timeout"}
	fallen.Findings = nil
	for _, w := range []exec.Wall{fallen.Walls[1], fallen.Walls[5]} {
		fallen.Findings = append(fallen.Findings, exec.Finding{Area: "walls", Wall: w.Name, Severity: exec.SeverityProblem, Message: w.Name + " does not hold: " + w.Detail, Remedy: "run nothing here that you do not trust"})
	}
	fallen.Problems = 2

	imports := *fresh
	imports.Packages = []exec.PackageInfo{
		{Name: "broken", Wanted: ">=1", Version: "2.1", Imports: []string{"broken"}, Satisfied: true, Import: &exec.Import{DurationMS: 31, PeakMemoryBytes: 9e6, Error: "ModuleNotFoundError: No module named 'nothing_of_this_name'"}},
		{Name: "matplotlib", Wanted: "~=3.9", Version: "3.9.2", Imports: []string{"_mpl", "matplotlib", "mpl_toolkits", "pylab"}, Satisfied: true, Import: &exec.Import{OK: true, DurationMS: 912, PeakMemoryBytes: 96e6}},
		{Name: "polars", Wanted: "*"},
		{Name: "scikit-learn", Wanted: ">=1.2,<2", Version: "1.5.0", Imports: []string{"sklearn"}, Satisfied: true, Import: &exec.Import{OK: true, DurationMS: 1822, PeakMemoryBytes: 151e6}},
		{Name: "joblib", Version: "1.4", Imports: []string{"joblib"}, Satisfied: true},
	}
	imports.Findings = []exec.Finding{
		{Area: "packages", Severity: exec.SeverityProblem, Package: "polars", Message: "polars is wanted and not installed", Remedy: "pyrun packages install"},
		{Area: "imports", Severity: exec.SeverityProblem, Package: "broken", Message: "broken 2.1 is installed and does not import: ModuleNotFoundError: No module named 'nothing_of_this_name'", Remedy: "pyrun run -c 'import broken'"},
	}
	imports.Problems = 2

	nothing := &exec.Environment{
		System: exec.System{OS: "darwin", Arch: "arm64", UID: 501},
		Findings: []exec.Finding{
			{Area: "interpreter", Severity: exec.SeverityProblem, Message: "interpreter /no/python: does not exist", Remedy: "give another with --python"},
			{Area: "walls", Severity: exec.SeverityNote, Message: "no wall was tried, for there is no interpreter to try it with"},
		},
		Problems: 1,
	}
	return map[string]*exec.Environment{"fresh": fresh, "sampled": &sampled, "refused": refused, "fallen": &fallen, "imports": &imports, "nothing": nothing}
}

// TestGoldenEnvironment shows what a check finds, in every form.
func TestGoldenEnvironment(t *testing.T) {
	for name, e := range environments() {
		t.Run(name, func(t *testing.T) {
			showAll(t, "check_"+name, func(u *UI) { _ = u.Environment(e, "0.3.0", false) })
			var forms strings.Builder
			for _, form := range []struct {
				name string
				draw func(*UI) error
			}{
				{"quiet", func(u *UI) error { return u.Environment(e, "0.3.0", true) }},
				{"github", func(u *UI) error { return u.EnvironmentGitHub(e) }},
				{"junit", func(u *UI) error { return u.EnvironmentJUnit(e) }},
			} {
				var out bytes.Buffer
				if err := form.draw(New(Options{Out: &out, Err: &out})); err != nil {
					t.Fatal(err)
				}
				forms.WriteString("=== " + form.name + "\n" + out.String())
			}
			compare(t, "check_"+name+"_forms", forms.String())
		})
	}
}

// TestJUnitSchema validates every report against the schema that Jenkins reads
// by; its file carries its own license.
func TestJUnitSchema(t *testing.T) {
	lint, err := osexec.LookPath("xmllint")
	if err != nil {
		if os.Getenv("PYRUN_REQUIRE") == "all" {
			t.Fatal("PYRUN_REQUIRE=all: xmllint is not installed (libxml2-utils)")
		}
		t.Skip("xmllint is not installed (libxml2-utils)")
	}
	validate := func(report string) (string, error) {
		cmd := osexec.Command(lint, "--noout", "--nonet", "--schema", "testdata/jenkins-junit.xsd", "-")
		cmd.Stdin = strings.NewReader(report)
		said, err := cmd.CombinedOutput()
		return string(said), err
	}
	for name, e := range environments() {
		var out bytes.Buffer
		if err := New(Options{Out: &out}).EnvironmentJUnit(e); err != nil {
			t.Fatal(err)
		}
		if said, err := validate(out.String()); err != nil {
			t.Errorf("%s: %v\n%s\n%s", name, err, said, out.String())
		}
	}
	if _, err := validate("<testsuites><test/></testsuites>"); err == nil {
		t.Error("anything is valid")
	}
}

// TestJUnitCounts: the numbers of the suites are those of the cases and of the findings.
func TestJUnitCounts(t *testing.T) {
	for name, e := range environments() {
		var out bytes.Buffer
		if err := New(Options{Out: &out}).EnvironmentJUnit(e); err != nil {
			t.Fatal(err)
		}
		var report struct {
			Tests    int `xml:"tests,attr"`
			Failures int `xml:"failures,attr"`
			Suites   []struct {
				Cases []struct {
					Name    string    `xml:"name,attr"`
					Failure *struct{} `xml:"failure"`
				} `xml:"testcase"`
			} `xml:"testsuite"`
		}
		if err := xml.Unmarshal(out.Bytes(), &report); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		cases, failures := 0, 0
		for _, s := range report.Suites {
			for _, c := range s.Cases {
				cases++
				if c.Failure != nil {
					failures++
				}
			}
		}
		if cases != report.Tests || failures != report.Failures || failures != e.Problems {
			t.Errorf("%s: %d cases of %d, %d failures of %d, %d problems", name, cases, report.Tests, failures, report.Failures, e.Problems)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space") }

func TestEnvironmentTellsOfWrites(t *testing.T) {
	e := environments()["fresh"]
	u := New(Options{Out: full{}, Err: full{}})
	for name, err := range map[string]error{"text": u.Environment(e, "", false), "github": u.EnvironmentGitHub(e), "junit": u.EnvironmentJUnit(e)} {
		if err == nil {
			t.Errorf("%s: nobody is told that nothing was written", name)
		}
	}
}

func TestAnnotation(t *testing.T) {
	for _, tt := range []struct {
		a    Annotation
		want string
	}{
		{Annotation{Level: "error", Message: "plain"}, "::error::plain\n"},
		{Annotation{Level: "notice", Title: "a: b, c%", Message: "50% \r\n::error::x"}, "::notice title=a%3A b%2C c%25::50%25 %0D%0A::error::x\n"},
		{Annotation{Level: "warning", File: "a,b:c.py", Line: 3, EndLine: 4, Column: 5, EndColumn: 6, Message: "m"}, "::warning file=a%2Cb%3Ac.py,line=3,endLine=4,col=5,endColumn=6::m\n"},
		{Annotation{Level: "error", File: "x.py", Message: ""}, "::error file=x.py::\n"},
	} {
		if d := cmp.Diff(tt.want, tt.a.String()); d != "" {
			t.Error(d)
		}
	}
}
