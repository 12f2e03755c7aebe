package exec_test

// The hostile corpus. Each file in testdata/hostile says on top what it tries,
// with which limits, and what must be seen from outside:
//
//	# limits: timeout=10 mem=256M pids=64 network=none env_canary=NAME host_listeners=... runs=2
//	# assert: exit=0 no_breach no_procs_left ...
//
// A script prints BREACH for everything that worked and must not have. Every
// word of an assert line is checked here; one that is not known is a failure.

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/pyrun-dev/pyrun/internal/exec"
	"github.com/pyrun-dev/pyrun/internal/exec/sandbox"
	"github.com/pyrun-dev/pyrun/internal/ui"
)

//go:embed testdata/hostile/*.py
var corpus embed.FS

// script is one file of the corpus.
type script struct {
	name    string
	code    []byte
	limits  map[string]string
	asserts []string
}

func scripts(t testing.TB) []script {
	t.Helper()
	entries, err := corpus.ReadDir("testdata/hostile")
	if err != nil {
		t.Fatal(err)
	}
	var all []script
	for _, e := range entries {
		src, err := corpus.ReadFile(path.Join("testdata/hostile", e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		s := script{name: strings.TrimSuffix(e.Name(), ".py"), code: src, limits: map[string]string{}}
		for line := range strings.Lines(string(src)) {
			key, value, ok := strings.Cut(strings.TrimPrefix(line, "# "), ": ")
			if !ok || !strings.HasPrefix(line, "# ") {
				break
			}
			switch key {
			case "limits":
				for word := range strings.FieldsSeq(value) {
					k, v, _ := strings.Cut(word, "=")
					s.limits[k] = v
				}
			case "assert":
				s.asserts = strings.Fields(value)
			case "id", "backend", "expect":
			default:
				t.Fatalf("%s: header %q is not known", e.Name(), key)
			}
		}
		if len(s.asserts) == 0 {
			t.Fatalf("%s asserts nothing", e.Name())
		}
		all = append(all, s)
	}
	return all
}

// request is what the script's limits ask for; the network is the executor's matter.
func (s script) request(t testing.TB) exec.Request {
	t.Helper()
	r := exec.Request{Code: s.code, Name: s.name + ".py", Args: []string{newMark()}}
	for key, value := range s.limits {
		switch key {
		case "timeout":
			n, err := strconv.Atoi(value)
			if err != nil {
				t.Fatal(err)
			}
			r.Limits.Wall = time.Duration(n) * time.Second
		case "mem":
			n, err := strconv.ParseInt(strings.TrimSuffix(value, "M"), 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			r.Limits.Memory = n << 20
			r.Limits.Disk = n << 20 / 2
		case "pids":
			n, err := strconv.Atoi(value)
			if err != nil {
				t.Fatal(err)
			}
			r.Limits.Processes = n
		case "network", "env_canary", "host_listeners", "runs":
		default:
			t.Fatalf("%s: limit %q is not known", s.name, key)
		}
	}
	return r
}

// observed is one run, seen from outside.
type observed struct {
	mark    string
	result  *exec.Result
	wall    time.Duration
	json    []byte
	sibling *exec.Result
	logged  []byte
	free    int64 // bytes of the host's disk that went away
	before  string
	after   string
	inside  int // processes in namespaces before all: the pools'
	cold    int // runs that found no warm copy before it
}

// way is how a request reaches an Executor.
type way func(context.Context, *exec.Executor, exec.Request) (*exec.Result, error)

func TestHostile(t *testing.T) {
	if os.Getenv("PYRUN_HOSTILE_PREPARED") == "" {
		t.Cleanup(prepareHost(t))
	}
	execute := func(ctx context.Context, e *exec.Executor, r exec.Request) (*exec.Result, error) {
		return e.Execute(ctx, r)
	}
	t.Run("cold", func(t *testing.T) { hostile(t, exec.Options{}, execute) })
	t.Run("warm", func(t *testing.T) { hostile(t, warmHostile(), execute) })
}

// warmHostile are options for the corpus on warm copies: what it asks for may only
// be lower than what copies have, and of the disk as much.
func warmHostile() exec.Options {
	o := exec.Options{Warm: 2, Preload: []string{"packages.txt"}}
	o.Limits.Disk = 128 << 20
	return o
}

func hostile(t *testing.T, o exec.Options, reach way) {
	t.Helper()
	t.Setenv("PYRUN_TEST_SECRET", "CANARY-ENV-51c0")
	executors := map[sandbox.Network]*exec.Executor{}
	for _, n := range []sandbox.Network{sandbox.NetworkLoopback, sandbox.NetworkNone} {
		o.Sandbox, o.Network, o.MaxWorkers = "native", n, 4
		executors[n] = open(t, o)
	}
	for _, e := range executors {
		fill(t, e)
	}
	time.Sleep(500 * time.Millisecond) // what made the pools is gone
	pools := len(inside())
	for _, s := range scripts(t) {
		t.Run(s.name, func(t *testing.T) {
			network := sandbox.NetworkLoopback
			if s.limits["network"] == "none" {
				network = sandbox.NetworkNone
			}
			if name := s.limits["env_canary"]; name != "" {
				t.Setenv(name, "CANARY-ENV-51c0")
			}
			runs := 1
			if s.limits["runs"] != "" {
				runs, _ = strconv.Atoi(s.limits["runs"])
			}
			var seen []observed
			for range runs {
				o := observe(t, executors[network], s, reach)
				o.inside = pools
				for _, word := range s.asserts {
					fault := check(t, executors[network], word, o)
					for again := 0; fault != "" && again < 3 && disturbed(word); again++ {
						fault = check(t, executors[network], word, observe(t, executors[network], s, reach))
					}
					if fault != "" {
						t.Errorf("%s: %s", word, fault)
					}
				}
				if e := executors[network]; e.Pool().Cold > o.cold {
					t.Errorf("it was not warm: %+v", e.Pool())
				}
				seen = append(seen, o)
				checkCanary(t)
			}
			for _, word := range s.asserts {
				if prefix, ok := strings.CutPrefix(word, "runs_differ="); ok && alike(seen, prefix) {
					t.Errorf("%s: they do not", word)
				}
			}
			if t.Failed() {
				r := seen[0].result
				t.Logf("verdict %s, exit %d, stdout:\n%s\nstderr:\n%s\nskipped %v", r.Verdict, r.ExitCode, r.Stdout, r.Stderr, r.Skipped)
			}
		})
	}
}

// disturbed says whether others can break an assert: they write to the same disk, and
// take the processors, tests of other packages among them.
func disturbed(word string) bool {
	return strings.HasPrefix(word, "host_free_unchanged=") || strings.HasPrefix(word, "wall_max=")
}

// fill waits until the pool, if there is one, is as full as it means to be: after a
// rest that is one copy.
func fill(t testing.TB, e *exec.Executor) {
	t.Helper()
	var s exec.PoolStats
	for range 3000 {
		if s = e.Pool(); s.Ready >= s.Target && s.Making == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("the pool does not fill: %+v", s)
}

func observe(t *testing.T, e *exec.Executor, s script, reach way) observed {
	t.Helper()
	r := s.request(t)
	fill(t, e)
	o := observed{mark: r.Args[0], before: hostState(), cold: e.Pool().Cold}
	free := hostFree(t)
	sibling := make(chan *exec.Result, 1)
	if slices.Contains(s.asserts, "siblings_unharmed") {
		go func() {
			res, _ := e.Execute(context.Background(), exec.Request{Code: []byte("import time; time.sleep(1.5); print('sibling')")})
			sibling <- res
		}()
		time.Sleep(300 * time.Millisecond)
	} else {
		sibling <- nil
	}
	o.logged = captureStdio(t, func() {
		began := time.Now()
		var err error
		o.result, err = reach(t.Context(), e, r)
		o.wall = time.Since(began)
		if err != nil {
			t.Fatalf("Execute: %v", err)
		}
	})
	o.sibling = <-sibling
	o.free = free - hostFree(t)
	o.after = hostState()
	var b bytes.Buffer
	if err := o.result.Encode(&b, "  "); err != nil {
		t.Fatal(err)
	}
	o.json = b.Bytes()
	return o
}

// check returns what is wrong, by one word of an assert line.
func check(t *testing.T, e *exec.Executor, word string, o observed) string {
	t.Helper()
	key, value, _ := strings.Cut(word, "=")
	r := o.result
	number := func() float64 {
		n, err := strconv.ParseFloat(strings.TrimSuffix(value, "MiB"), 64)
		if err != nil {
			t.Fatalf("%s: %v", word, err)
		}
		return n
	}
	wrong := func(bad bool, format string, args ...any) string {
		if bad {
			return fmt.Sprintf(format, args...)
		}
		return ""
	}
	switch key {
	case "no_breach":
		for line := range strings.Lines(r.Stdout) {
			if strings.Contains(line, "BREACH") {
				return line
			}
		}
		return wrong(r.Stdout == "" && r.Verdict == exec.VerdictError, "it did not run: %s", r.Stderr)
	case "exit":
		switch value {
		case "any":
			return ""
		case "0":
			return wrong(r.ExitCode != 0, "it is %d", r.ExitCode)
		case "nonzero":
			return wrong(r.ExitCode == 0, "it is 0")
		}
	case "timed_out":
		return wrong(fmt.Sprint(r.TimedOut) != value, "it is %v", r.TimedOut)
	case "wall_max":
		return wrong(o.wall.Seconds() > number(), "it took %v", o.wall)
	case "no_procs_left":
		var left []string
		if e.Pool().Size == 0 {
			for range 50 { // the dead are reaped beside this
				if left = processesOf(o.mark); len(left) == 0 {
					return ""
				}
				time.Sleep(10 * time.Millisecond)
			}
			return fmt.Sprintf("left: %q", left)
		}
		for range 500 { // so is the pool filled
			fill(t, e)
			if left = inside(); len(left) <= o.inside {
				return ""
			}
			time.Sleep(10 * time.Millisecond)
		}
		return fmt.Sprintf("%d processes inside before, now %q", o.inside, left)
	case "server_alive":
		fill(t, e) // or it could be cold, however warm the script was
		res, err := e.Execute(t.Context(), exec.Request{Code: []byte("print('alive')")})
		return wrong(err != nil || res.ExitCode != 0 || res.Stdout != "alive\n", "%v, %v", err, res)
	case "siblings_unharmed":
		return wrong(o.sibling == nil || o.sibling.Verdict != exec.VerdictOK || o.sibling.Stdout != "sibling\n", "%+v", o.sibling)
	case "stdout_lacks":
		return wrong(strings.Contains(r.Stdout, value), "it does not")
	case "artifact_not_contains":
		for _, a := range r.Artifacts {
			if bytes.Contains(a.Content, []byte(value)) {
				return a.Path + " does"
			}
		}
		return ""
	case "artifact_only":
		var names []string
		for _, a := range r.Artifacts {
			if a.Error == "" {
				names = append(names, a.Path)
			}
		}
		return wrong(!slices.Equal(names, strings.Split(value, ",")), "there are %q", names)
	case "artifacts_max":
		return wrong(float64(len(r.Artifacts)) > number(), "there are %d", len(r.Artifacts))
	case "artifact_names_safe":
		return unsafeName(r)
	case "result_max_bytes":
		return wrong(float64(len(o.json)) > number(), "it has %d", len(o.json))
	case "result_valid_json":
		var back exec.Result
		err := json.Unmarshal(o.json, &back)
		return wrong(err != nil || !utf8.Valid(o.json) || back.Stdout != r.Stdout || back.Verdict != r.Verdict, "%v", err)
	case "stdout_truncated":
		return wrong(fmt.Sprint(r.Truncated != nil && r.Truncated.StdoutBytes > int64(len(r.Stdout))) != value, "%+v", r.Truncated)
	case "pretty_has_no_esc":
		return pretty(t, r)
	case "log_lines_not_forged":
		return wrong(len(o.logged) > 0, "logged: %q", o.logged)
	case "host_free_unchanged":
		return wrong(float64(o.free) > number()*(1<<20), "%d bytes less", o.free)
	case "no_host_change":
		return wrong(o.before != o.after, "%s became %s", o.before, o.after)
	case "reached_max":
		m := regexp.MustCompile(`(?m)^REACHED (\d+)`).FindStringSubmatch(r.Stdout)
		if m == nil {
			return "it does not say"
		}
		n, _ := strconv.Atoi(m[1])
		return wrong(float64(n) > number(), "%d", n)
	case "runs_differ": // needs both runs; the caller looks
		return ""
	}
	t.Fatalf("assert word %q is not known", word)
	return ""
}

func unsafeName(r *exec.Result) string {
	bad := regexp.MustCompile(`[\x00-\x1f\x7f\\\x{80}-\x{9f}\x{200b}-\x{200f}\x{202a}-\x{202e}\x{2066}-\x{2069}]|(^|/)\.\.?(/|$)|^/|^[A-Za-z]:|//`)
	for _, a := range r.Artifacts {
		if a.Path == "" || !utf8.ValidString(a.Path) || bad.MatchString(a.Path) {
			return strconv.Quote(a.Path)
		}
	}
	for _, s := range r.Skipped {
		if !utf8.ValidString(s.Path) || regexp.MustCompile(`[\x00-\x1f\x7f\x{80}-\x{9f}\x{202e}]`).MatchString(s.Path) || s.Reason == "" {
			return strconv.Quote(s.Path)
		}
	}
	return ""
}

// pretty passes both streams through the terminal's filter.
func pretty(t *testing.T, r *exec.Result) string {
	t.Helper()
	for _, s := range []string{r.Stdout, r.Stderr} {
		var b bytes.Buffer
		w := ui.NewEscaper(&b)
		if _, err := w.Write([]byte(s)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if got := obeyed(b.String()); got != "" {
			return fmt.Sprintf("%q passed", got)
		}
	}
	return ""
}

// obeyed finds a character that a terminal would act on.
func obeyed(s string) string {
	return regexp.MustCompile(`[\x00-\x08\x0b-\x1f\x7f\x{80}-\x{9f}\x{202a}-\x{202e}\x{2066}-\x{2069}]`).FindString(s)
}

// alike says whether the lines that begin with prefix are the same in all runs.
func alike(runs []observed, prefix string) bool {
	lines := func(o observed) (found []string) {
		for line := range strings.Lines(o.result.Stdout) {
			if strings.HasPrefix(line, prefix) {
				found = append(found, line)
			}
		}
		return found
	}
	first := lines(runs[0])
	for _, o := range runs[1:] {
		if !slices.Equal(first, lines(o)) {
			return false
		}
	}
	return true
}

// TestCheckCanFail shows every assert word a run that breaks it.
func TestCheckCanFail(t *testing.T) {
	bad := observed{
		mark: "no such mark", wall: time.Hour, json: []byte("{"), logged: []byte("x"), free: 1 << 40, before: "a", after: "b",
		result: &exec.Result{
			Stdout: "BREACH\x1b\nREACHED 9\nCANARY", ExitCode: 3, TimedOut: true, Stderr: "\u009b",
			Artifacts: []exec.Artifact{{Path: "../x", Content: []byte("root:")}, {Path: "b"}},
		},
	}
	for _, word := range []string{
		"no_breach", "exit=0", "timed_out=false", "wall_max=6", "siblings_unharmed", "stdout_lacks=CANARY", "artifact_not_contains=root:",
		"artifact_only=plain.txt", "artifacts_max=1", "artifact_names_safe", "result_max_bytes=0", "result_valid_json", "stdout_truncated=true",
		"log_lines_not_forged", "host_free_unchanged=64MiB", "no_host_change", "reached_max=2",
	} {
		if check(t, nil, word, bad) == "" {
			t.Errorf("%s passes", word)
		}
	}
	bad.result.ExitCode = 0
	if check(t, nil, "exit=nonzero", bad) == "" {
		t.Error("exit=nonzero passes")
	}
	if obeyed(bad.result.Stdout) == "" || obeyed(bad.result.Stderr) == "" {
		t.Error("pretty_has_no_esc sees no escape")
	}
	if !alike([]observed{bad, bad}, "REACHED") {
		t.Error("the same run differs from itself")
	}
}
