package exec

// The fate of a run from what was seen outside of it. Pure.

import (
	"strconv"
	"syscall"

	"github.com/pyrun-dev/pyrun/internal/exec/sandbox"
)

// The same on Linux and macOS, and all that Windows has.
const (
	sigKILL = 9
	sigXCPU = 24
)

// decide names the verdict. Only one thing in it is the script's own word: an
// uncaught MemoryError, told by the harness, of a script that exited with 1.
// A script that lies about it gains a word it could have had honestly.
func decide(exit sandbox.Exit, limits sandbox.Limits, told *ScriptError) Verdict {
	failed := exit.Code != 0 || exit.Signal != 0
	switch {
	case exit.Killed == sandbox.KilledCancelled:
		return VerdictCancelled
	case exit.Killed == sandbox.KilledWall:
		return VerdictTimeout
	case exit.Killed == sandbox.KilledMemory, exit.OOM && failed,
		exit.Code == 1 && told != nil && told.Type == "MemoryError":
		return VerdictMemory
	case exit.Killed == sandbox.KilledOutput:
		return VerdictOutput
	case exit.Signal == sigXCPU,
		exit.Signal == sigKILL && limits.CPU > 0 && exit.Usage.CPU >= limits.CPU:
		return VerdictCPU
	case exit.Signal != 0:
		return VerdictSignal
	case exit.Code != 0:
		return VerdictError
	}
	return VerdictOK
}

// exitCode is the script's own, or 128+n after signal n: 137 for everything
// that is killed from outside, a timeout too. The terminal turns a timeout into 124 itself.
func exitCode(exit sandbox.Exit) int {
	switch {
	case exit.Signal != 0:
		return 128 + int(exit.Signal)
	case exit.Killed != "" && exit.Code == 0:
		return 128 + sigKILL
	}
	return exit.Code
}

// signalName is what the system that ran the script calls a signal; empty for none.
func signalName(s syscall.Signal) string {
	if s <= 0 {
		return ""
	}
	if name := sandbox.SignalName(s); name != "" {
		return name
	}
	if s >= 34 && s <= 64 {
		return "SIGRTMIN+" + strconv.Itoa(int(s)-34)
	}
	return "SIG" + strconv.Itoa(int(s))
}
