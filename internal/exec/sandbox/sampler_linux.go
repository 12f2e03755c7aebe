//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pyrun-dev/pyrun/internal/exec/sandbox/cgroup"
)

// Where no cgroup can be had, memory is watched instead of held: the tree's
// processes are added up every few milliseconds, and killed together when they
// pass the limit. A burst between two looks can pass it by what a processor
// writes in that time; results say "sampled" for that reason.
const sampleEvery = 5 * time.Millisecond

// sampler is the meter without a cgroup.
type sampler struct {
	group *cgroup.Group // nil, or where the tree is to no avail
	most  int64         // bytes
	quit  chan struct{}
	done  sync.WaitGroup
	mu    sync.Mutex
	peak  int64
}

func newSampler(g *cgroup.Group) *sampler { return &sampler{group: g, quit: make(chan struct{})} }

func (s *sampler) mode() string                   { return "sampled" }
func (s *sampler) attrs(*syscall.SysProcAttr)     {}
func (s *sampler) doors(bool) ([]*os.File, error) { return nil, nil }

func (s *sampler) limit(l Limits) (meter, error) {
	s.most = l.Memory
	return s, nil
}

func (s *sampler) close() error {
	if s.group == nil {
		return nil
	}
	return s.group.Close()
}

func (s *sampler) processes() int { return 0 }
func (s *sampler) ahead()         {}

func (s *sampler) watch(r *running) {
	if s.most <= 0 {
		return
	}
	pid, store := r.first(), r.dir
	s.done.Go(func() {
		tick := time.NewTicker(sampleEvery)
		defer tick.Stop()
		for {
			select {
			case <-s.quit:
				return
			case <-tick.C:
			}
			used := s.measure(pid, store)
			s.mu.Lock()
			s.peak = max(s.peak, used)
			s.mu.Unlock()
			if used > s.most {
				r.kill(KilledMemory)
				return
			}
		}
	})
}

func (s *sampler) stop() {
	close(s.quit)
	s.done.Wait()
}

func (s *sampler) settle(e *Exit) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.Usage.PeakMemory = max(e.Usage.PeakMemory, s.peak)
}

// measure adds up what the tree below pid 1 holds: the processes' own pages and
// the files of the store. Resident size counts a page once for each process
// that shares it, so when that sum is too large the kernel's fair share decides.
func (s *sampler) measure(pid1 int, store *os.File) int64 {
	files := stored(store)
	tree := descendants(pid1, nil)
	var rough int64
	for _, pid := range tree {
		rough += resident(pid)
	}
	if rough+files <= s.most {
		return rough + files
	}
	var fair int64
	for _, pid := range tree {
		fair += proportional(pid)
	}
	return fair + files
}

// stored is the size of the files that no process need have mapped.
func stored(dir *os.File) int64 {
	var st unix.Statfs_t
	if dir == nil || unix.Fstatfs(int(dir.Fd()), &st) != nil {
		return 0
	}
	return int64(st.Blocks-st.Bfree) * st.Bsize
}

// descendants are all processes below pid. Orphans of the namespace become
// pid 1's children, so nobody escapes the walk.
func descendants(pid int, into []int) []int {
	dir := "/proc/" + strconv.Itoa(pid) + "/task/"
	tasks, err := os.ReadDir(dir)
	if err != nil {
		return into
	}
	for _, t := range tasks {
		list, err := os.ReadFile(dir + t.Name() + "/children")
		if err != nil {
			continue
		}
		for f := range bytes.FieldsSeq(list) {
			if child, err := strconv.Atoi(string(f)); err == nil {
				into = descendants(child, append(into, child))
			}
		}
	}
	return into
}

// resident is the memory a process has of its own, in bytes: resident pages
// without those of files, which the page cache holds anyway.
func resident(pid int) int64 {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	if err != nil {
		return 0
	}
	f := bytes.Fields(text)
	if len(f) < 3 {
		return 0
	}
	all, _ := strconv.ParseInt(string(f[1]), 10, 64)
	shared, _ := strconv.ParseInt(string(f[2]), 10, 64)
	return (all - shared) * int64(os.Getpagesize())
}

// proportional is a process's anonymous memory with shared pages divided among
// those that share them; the plain count where the kernel does not tell.
func proportional(pid int) int64 {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/smaps_rollup")
	if err != nil {
		return resident(pid)
	}
	for line := range bytes.Lines(text) {
		if rest, ok := bytes.CutPrefix(line, []byte("Pss_Anon:")); ok {
			if f := bytes.Fields(rest); len(f) > 0 {
				kb, _ := strconv.ParseInt(string(f[0]), 10, 64)
				return kb << 10
			}
		}
	}
	return resident(pid)
}
