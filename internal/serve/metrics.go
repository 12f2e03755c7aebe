package serve

// What is counted. Every label's value is one of a list of ours, never something
// that was sent.

import (
	"runtime"
	"sync"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

// meters are the server's metrics: one lock for all, taken a few times a call.
type meters struct {
	hpaWorkers int
	load       func() (exec.Load, bool) // false: not known
	warm       func() exec.PoolStats    // nil without a pool

	mu         sync.Mutex
	runs       *family // tool, verdict
	runSeconds *family
	startUp    *family
	queued     *family
	rejected   *family // reason
	kills      *family // reason
	truncated  *family
	artifacts  *family
	sandbox    *family // backend, memory, network
	build      *family // version, go
	inFlight   *family
	depth      *family
	pool       *family // state
	copies     *family // start
	lost       *family
	recycled   *family // reason
	fill       *family
	saturation *family
}

func newMeters(version string, hpaWorkers int, load func() (exec.Load, bool)) *meters {
	// From a warm start to the longest run.
	seconds := []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120, 300}
	m := &meters{
		hpaWorkers: max(hpaWorkers, 1), load: load,
		runs:       counter("pyrun_runs_total", "Tool calls that were answered, by tool and verdict.", "tool", "verdict"),
		runSeconds: histogram("pyrun_run_seconds", "Time from a script's release to its end.", seconds),
		startUp:    histogram("pyrun_start_seconds", "Time from a call to its script's release, without the queue.", seconds),
		queued:     histogram("pyrun_queue_seconds", "Time that a call waited for a free worker.", seconds),
		inFlight:   gauge("pyrun_runs_in_flight", "Runs that go on."),
		depth:      gauge("pyrun_queue_depth", "Calls that wait for a free worker."),
		rejected:   counter("pyrun_rejected_total", "Calls and requests that nothing was run for, by reason.", "reason"),
		kills:      counter("pyrun_kills_total", "Runs that were ended from outside, by reason.", "reason"),
		truncated:  counter("pyrun_output_truncated_total", "Results whose output was cut."),
		artifacts:  counter("pyrun_artifact_bytes_total", "Bytes of the artifacts that were returned."),
		pool:       gauge("pyrun_pool_workers", "Workers, busy or idle, and warm copies, ready or in the making.", "state"),
		copies:     counter("pyrun_pool_runs_total", "Runs, by how they started: warm, cold (no copy was ready), unfit (no copy could serve them).", "start"),
		lost:       counter("pyrun_pool_lost_total", "Warm copies that ended before they could take a job."),
		recycled:   counter("pyrun_pool_recycled_total", "Zygotes that were replaced, by reason.", "reason"),
		fill:       gauge("pyrun_pool_fill_seconds", "What the last warm copy took to make."),
		saturation: gauge("pyrun_saturation", "Runs in flight and queued, divided by service.hpa_max_workers: scale out beyond 1."),
		sandbox:    gauge("pyrun_sandbox_info", "The walls of the last run.", "backend", "memory", "network"),
		build:      gauge("pyrun_build_info", "What this is.", "version", "go"),
	}
	m.build.set(1, version, runtime.Version())
	m.truncated.add(0)
	m.artifacts.add(0)
	return m
}

// families are in the order in which they are shown.
func (m *meters) families() []*family {
	return []*family{
		m.runs, m.runSeconds, m.startUp, m.queued, m.inFlight, m.depth, m.rejected, m.kills,
		m.truncated, m.artifacts, m.pool, m.copies, m.lost, m.recycled, m.fill, m.saturation, m.sandbox, m.build,
	}
}

// ran counts a Result.
func (m *meters) ran(tool string, r *exec.Result) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.runs.add(1, tool, string(r.Verdict))
	if r.Verdict == exec.VerdictRejected { // nothing was run
		return
	}
	m.runSeconds.observe(float64(r.DurationMS) / 1000)
	m.startUp.observe(float64(r.Usage.StartMS) / 1000)
	m.queued.observe(float64(r.Usage.QueueMS) / 1000)
	switch r.Verdict {
	case exec.VerdictTimeout, exec.VerdictCPU, exec.VerdictMemory, exec.VerdictOutput, exec.VerdictCancelled:
		m.kills.add(1, string(r.Verdict))
	}
	if r.Truncated != nil {
		m.truncated.add(1)
	}
	for _, a := range r.Artifacts {
		if a.Error == "" {
			m.artifacts.add(float64(a.Size))
		}
	}
	m.walls(r.Sandbox)
}

// stands notes the walls that Check found.
func (m *meters) stands(s exec.SandboxInfo) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.walls(s)
}

func (m *meters) walls(s exec.SandboxInfo) {
	m.sandbox.reset()
	m.sandbox.set(1, s.Backend, s.Memory, s.Network)
}

// answered counts a call of a tool that runs nothing.
func (m *meters) answered(tool, verdict string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.runs.add(1, tool, verdict)
}

func (m *meters) reject(reason string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rejected.add(1, reason)
}

// text is all metrics in the text format of Prometheus, version 0.0.4.
func (m *meters) text() []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	if l, ok := m.load(); ok {
		m.inFlight.set(float64(l.Running))
		m.depth.set(float64(l.Waiting))
		m.pool.set(float64(l.Running), "busy")
		m.pool.set(float64(max(0, l.Workers-l.Running)), "idle")
		m.saturation.set(float64(l.Running+l.Waiting) / float64(m.hpaWorkers))
	}
	if m.warm != nil {
		m.warmth(m.warm())
	}
	var b []byte
	for _, f := range m.families() {
		b = f.append(b)
	}
	return b
}

// warmth tells of the pool of warm copies; one of no size is not told of.
func (m *meters) warmth(p exec.PoolStats) {
	if p.Size == 0 {
		return
	}
	m.pool.set(float64(p.Ready), "ready")
	m.pool.set(float64(p.Making), "making")
	m.copies.set(float64(p.Warm), "warm")
	m.copies.set(float64(p.Cold), "cold")
	m.copies.set(float64(p.Unfit), "unfit")
	m.lost.set(float64(p.Lost))
	for reason, n := range p.Recycled {
		m.recycled.set(float64(n), reason)
	}
	m.fill.set(p.Fill.Seconds())
}

// poolOf asks an Executor that has one; nil of one that has not.
func poolOf(x Executor) func() exec.PoolStats {
	if p, ok := x.(interface{ Pool() exec.PoolStats }); ok {
		return p.Pool
	}
	return nil
}

// loadOf asks an Executor that knows.
func loadOf(x Executor) func() (exec.Load, bool) {
	l, ok := x.(interface{ Load() exec.Load })
	return func() (exec.Load, bool) {
		if !ok {
			return exec.Load{}, false
		}
		return l.Load(), true
	}
}
