package serve

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

// busyMeters are metrics after a day at work.
func busyMeters() *meters {
	m := newMeters("1.2.3", 2, func() (exec.Load, bool) { return exec.Load{Workers: 4, Running: 3, Waiting: 2}, true })
	m.warm = func() exec.PoolStats {
		return exec.PoolStats{Size: 4, Ready: 3, Making: 1, Warm: 9, Cold: 2, Unfit: 1, Recycled: map[string]int{"age": 2}, Fill: 3 * time.Millisecond}
	}
	r := result()
	r.Usage.StartMS, r.Usage.QueueMS = 10, 7000
	m.ran(toolExecute, r)
	r = result()
	r.Verdict, r.DurationMS, r.Truncated = exec.VerdictTimeout, 400_000, &exec.Truncated{StdoutBytes: 1}
	r.Artifacts = []exec.Artifact{{Path: "a", Size: 5}, {Path: "b", Size: 100, Error: "too large"}}
	m.ran(toolExecute, r)
	r = result()
	r.Verdict = exec.VerdictRejected
	m.ran(toolRun, r)
	m.answered(toolValidate, "ok")
	m.reject(ReasonBusy)
	m.reject(ReasonBusy)
	m.stands(exec.SandboxInfo{Backend: "native", Memory: `odd "\` + "\n", Network: "none"})
	return m
}

func TestMetricsText(t *testing.T) {
	got := string(busyMeters().text())
	for _, line := range []string{
		`pyrun_runs_total{tool="execute_python",verdict="ok"} 1`,
		`pyrun_runs_total{tool="execute_python",verdict="timeout"} 1`,
		`pyrun_runs_total{tool="run_python",verdict="rejected"} 1`,
		`pyrun_runs_total{tool="validate_code",verdict="ok"} 1`,
		`# TYPE pyrun_run_seconds histogram`,
		`pyrun_run_seconds_bucket{le="0.025"} 0`,
		`pyrun_run_seconds_bucket{le="0.05"} 1`,
		`pyrun_run_seconds_bucket{le="300"} 1`,
		`pyrun_run_seconds_bucket{le="+Inf"} 2`,
		`pyrun_run_seconds_sum 400.041`,
		`pyrun_run_seconds_count 2`,
		`pyrun_start_seconds_bucket{le="0.01"} 2`,
		`pyrun_queue_seconds_sum 7`,
		`pyrun_runs_in_flight 3`,
		`pyrun_queue_depth 2`,
		`pyrun_rejected_total{reason="busy"} 2`,
		`pyrun_kills_total{reason="timeout"} 1`,
		`pyrun_output_truncated_total 1`,
		`pyrun_artifact_bytes_total 5`,
		`pyrun_pool_workers{state="busy"} 3`,
		`pyrun_pool_workers{state="idle"} 1`,
		`pyrun_pool_workers{state="ready"} 3`,
		`pyrun_pool_workers{state="making"} 1`,
		`pyrun_pool_runs_total{start="warm"} 9`,
		`pyrun_pool_runs_total{start="cold"} 2`,
		`pyrun_pool_runs_total{start="unfit"} 1`,
		`pyrun_pool_lost_total 0`,
		`pyrun_pool_recycled_total{reason="age"} 2`,
		`pyrun_pool_fill_seconds 0.003`,
		`pyrun_saturation 2.5`,
		`pyrun_sandbox_info{backend="native",memory="odd \"\\\n",network="none"} 1`,
		`pyrun_build_info{version="1.2.3",go="go`,
	} {
		if !strings.Contains("\n"+got, "\n"+line) {
			t.Errorf("no line %s in\n%s", line, got)
		}
	}
	if n := strings.Count(got, "pyrun_sandbox_info{"); n != 1 {
		t.Errorf("%d kinds of walls at once", n)
	}
	quiet := newMeters("x", 0, func() (exec.Load, bool) { return exec.Load{}, false }).text()
	if strings.Contains(string(quiet), "in_flight") || !strings.Contains(string(quiet), "pyrun_run_seconds_count 0\n") {
		t.Errorf("before any call:\n%s", quiet)
	}
}

// What Prometheus itself says to it.
func TestMetricsLint(t *testing.T) {
	text := busyMeters().text()
	problems, err := promlint.New(bytes.NewReader(text)).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(busyMeters().families()); len(families) != n {
		t.Errorf("%d families were read, %d written", len(families), n)
	}
}

// docs/serving.md lists what there is, in the same words.
func TestMetricsDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/serving.md")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{}
	for _, f := range busyMeters().families() {
		want[f.name] = true
		name := f.name
		if len(f.labels) > 0 {
			name += "{" + strings.Join(f.labels, ",") + "}"
		}
		if row := "| `" + name + "` | " + f.kind + " | " + strings.TrimSuffix(f.help, ".") + " |"; !strings.Contains(string(page), "\n"+row+"\n") {
			t.Errorf("docs/serving.md lacks the row\n%s", row)
		}
	}
	for _, m := range regexp.MustCompile("(?m)^\\| `(pyrun_[a-z_]+)").FindAllStringSubmatch(string(page), -1) {
		if !want[m[1]] {
			t.Errorf("docs/serving.md tells of %s, which is not there", m[1])
		}
	}
}

// So are the reasons.
func TestReasonsDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/serving.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "| reason | meaning |\n|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	var listed []string
	for line := range strings.Lines(table) {
		listed = append(listed, strings.Trim(strings.SplitN(line, "|", 3)[1], " `"))
	}
	known := []string{
		ReasonArguments, ReasonTool, ReasonConnections, ReasonHost, ReasonOrigin, ReasonToken, ReasonKeys, ReasonBody, ReasonMemory, ReasonRate,
		ReasonConcurrency, ReasonSessions, ReasonBusy, ReasonDraining, reasonRequest, reasonCancelled, reasonWalls, reasonFailed,
	}
	if !slices.Equal(listed, known) {
		t.Errorf("docs/serving.md tells of %q, the code of %q", listed, known)
	}
}

// A metric costs nobody a start: what it costs a call is told here.
func BenchmarkMetrics(b *testing.B) {
	m := newMeters("x", 1, func() (exec.Load, bool) { return exec.Load{}, false })
	r := result()
	for b.Loop() {
		m.ran(toolExecute, r)
	}
}
