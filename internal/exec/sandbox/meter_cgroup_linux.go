//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/pyrun-dev/pyrun/internal/exec/sandbox/cgroup"
)

// held is the meter where the kernel holds the limits: one cgroup a run.
type held struct {
	group *cgroup.Group
	kind  cgroup.Mode

	mu   sync.Mutex // guards the two below; held while looking
	look *time.Timer
	over bool
}

const lookEvery = 20 * time.Millisecond

// findCgroups looks for a place to make groups in. nil means that memory is sampled.
func findCgroups(mountinfo []byte) (*cgroup.Hierarchy, error) {
	h, err := cgroup.Current(string(mountinfo))
	if errors.Is(err, cgroup.ErrUnavailable) {
		return nil, nil
	}
	if err != nil {
		return nil, &Error{Step: "look for a cgroup", Err: err}
	}
	return h, nil
}

// newMeter takes a cgroup where there can be one. Only a system that has none
// for us leads to the sampler; any other failure ends the run before it begins.
func newMeter(h *cgroup.Hierarchy) (meter, error) {
	if h == nil {
		return newSampler(nil), nil
	}
	g, err := h.New(cgroup.Limits{})
	if errors.Is(err, cgroup.ErrUnavailable) {
		return newSampler(nil), nil
	}
	if err != nil {
		return nil, &Error{Step: "make the cgroup", Err: err}
	}
	return &held{group: g, kind: h.Mode()}, nil
}

func (m *held) limit(l Limits) (meter, error) {
	procs := 0
	if l.Processes > 0 {
		procs = l.Processes + 1 + l.keepers // pid 1 is one of them
	}
	err := m.group.Limit(cgroup.Limits{Memory: l.Memory, Processes: procs})
	if errors.Is(err, cgroup.ErrUnavailable) { // a group that may be made and not bounded
		return newSampler(m.group).limit(l)
	}
	if err != nil {
		return nil, &Error{Step: "limit the cgroup", Err: err}
	}
	return m, nil
}

func (m *held) mode() string { return string(m.kind) }

func (m *held) attrs(a *syscall.SysProcAttr) { a.CgroupFD, a.UseCgroupFD = m.group.FD() }

func (m *held) doors(cloned bool) ([]*os.File, error) {
	if _, ok := m.group.FD(); ok && cloned {
		return nil, nil
	}
	return m.group.Doors()
}

// ahead has the group open its counters.
func (m *held) ahead() {
	_, _ = m.group.Usage()
	_ = m.group.Processes()
}

// watch ends the whole tree when the kernel has killed one of it for memory.
// Version 2 does that by itself (memory.oom.group).
func (m *held) watch(r *running) {
	if m.kind != cgroup.V1 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.look = time.AfterFunc(lookEvery, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.over {
			return
		}
		if u, err := m.group.Usage(); err == nil && u.OOMKills > 0 {
			r.kill(KilledMemory)
			return
		}
		m.look.Reset(lookEvery)
	})
}

func (m *held) processes() int { return m.group.Processes() }

func (m *held) stop() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.over = true
	if m.look != nil {
		m.look.Stop()
	}
}

func (m *held) settle(e *Exit) {
	u, err := m.group.Usage()
	if err != nil {
		return // the run is over; what wait told stays
	}
	e.Usage.PeakMemory = max(u.Peak, 0)
	e.Usage.CPU = max(e.Usage.CPU, u.CPU)
	e.OOM = u.OOMKills > 0
}

func (m *held) close() error { return m.group.Close() }
