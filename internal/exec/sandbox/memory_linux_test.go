//go:build linux && (amd64 || arm64)

package sandbox

import (
	"testing"
	"time"
)

// TestMemoryIsHeld: a tree that takes more than its share ends for that reason,
// by the kernel's hand or by the sampler's, and the peak is told.
func TestMemoryIsHeld(t *testing.T) {
	asEveryone(t)
	const limit = 128 << 20
	for name, script := range map[string]string{
		"one process":   "head -c 700m /dev/zero | tail", // tail keeps what it reads
		"several":       "for i in 1 2 3 4 5 6; do head -c 60m /dev/zero | tail & done; wait",
		"shared memory": "head -c 200m /dev/zero > /dev/shm/x; head -c 100m /dev/zero | tail",
	} {
		t.Run(name, func(t *testing.T) {
			pol := shell(script + " > /dev/null; echo survived > artifacts/x; sleep 30")
			pol.Limits.Memory, pol.Limits.Disk, pol.Limits.FileSize = limit, 64<<20, 0
			pol.Limits.Wall = 20 * time.Second
			if name == "shared memory" {
				pol.Limits.Disk = 256 << 20
			}
			_, exit := runShell(t, Options{}, pol)
			if exit.Killed != KilledMemory && !exit.OOM {
				t.Fatalf("exit %+v", exit)
			}
			if exit.Usage.PeakMemory < limit/2 || exit.Usage.PeakMemory > 3*limit {
				t.Errorf("peak %d MiB", exit.Usage.PeakMemory>>20)
			}
		})
	}
}

// TestMemorySharedByForks: pages that children share with their parent are not
// counted once for each of them.
func TestMemorySharedByForks(t *testing.T) {
	asEveryone(t)
	pol := shell(`x=$(head -c 20m /dev/zero | tr '\0' x); for i in 1 2 3 4 5 6 7 8 9 10; do (sleep 0.5; true) & done; wait; exit 9`)
	pol.Limits.Memory = 128 << 20
	if _, exit := runShell(t, Options{}, pol); exit.Code != 9 || exit.Killed != "" {
		t.Fatalf("exit %+v", exit)
	}
}
