package sandbox

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// Backend names a set of walls.
type Backend string

// Native is namespaces, an own root, Landlock, seccomp and limits (Linux only).
// None is a plain child process: no wall at all.
const (
	Native Backend = "native"
	None   Backend = "none"
)

// Reason says why a run was killed from outside; empty when it was not.
type Reason string

// What kills a run.
const (
	KilledWall      Reason = "wall"      // Limits.Wall passed
	KilledMemory    Reason = "memory"    // the sampler saw Limits.Memory passed, or the kernel's cgroup did
	KilledOutput    Reason = "output"    // the caller's word
	KilledCancelled Reason = "cancelled" // the caller's word, or its context
)

// ErrUnsupported is wrapped by every error of a backend this system does not have.
var ErrUnsupported = errors.New("not supported on this system")

// Error is a step that failed while walls were built. The script was not run.
type Error struct {
	Step   string // "mount /proc"
	Err    error  // usually a syscall.Errno
	Why    string // what is likely behind it, one sentence; may be empty
	Remedy string // what to type; may be empty
}

func (e *Error) Error() string { return fmt.Sprintf("sandbox: %s: %v", e.Step, e.Err) }
func (e *Error) Unwrap() error { return e.Err }

// Explain is the likely cause and the way out, for doors that show them apart.
func (e *Error) Explain() (why, remedy string) { return e.Why, e.Remedy }

// Stdio is the script's standard streams: ends that the sandbox hands on and
// closes on its own side. A nil one is the null device.
type Stdio struct{ Stdin, Stdout, Stderr *os.File }

// Exit is how a run ended. Nothing in it comes from the script's side: it is
// wait's and the cgroup's word.
type Exit struct {
	Code     int            // exit status; 128+n after signal n
	Signal   syscall.Signal // 0 unless a signal ended the script
	Killed   Reason
	OOM      bool // the kernel killed for Limits.Memory
	Usage    Usage
	Released time.Time // when the program was let go
	Ended    time.Time
}

// Posture names the walls that stand around a run.
type Posture struct {
	Backend Backend
	Layers  []string // "user", "mount", "pid", "net", "ipc", "uts", "cgroup", "landlock", "seccomp", "rlimit", "caps"
	Memory  string   // "cgroup2", "cgroup1", "sampled", "rlimit"
	Network Network
	Proc    bool // a /proc with the run's own processes; some containers refuse one
}
