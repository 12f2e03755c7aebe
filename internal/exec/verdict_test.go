package exec

import (
	"syscall"
	"testing"
	"time"

	"github.com/pyrun-dev/pyrun/internal/exec/sandbox"
)

func TestDecide(t *testing.T) {
	const cpu = 5 * time.Second
	memory := &ScriptError{Type: "MemoryError"}
	for _, tt := range []struct {
		name string
		exit sandbox.Exit
		told *ScriptError
		want Verdict
		code int
	}{
		{"fine", sandbox.Exit{}, nil, VerdictOK, 0},
		{"fine, whatever is told", sandbox.Exit{}, memory, VerdictOK, 0},
		{"error", sandbox.Exit{Code: 3}, nil, VerdictError, 3},
		{"no memory, told", sandbox.Exit{Code: 1}, memory, VerdictMemory, 1},
		{"told with another code", sandbox.Exit{Code: 2}, memory, VerdictError, 2},
		{"another error", sandbox.Exit{Code: 1}, &ScriptError{Type: "ValueError"}, VerdictError, 1},
		{"killed for memory", sandbox.Exit{Code: 137, Signal: 9, OOM: true}, nil, VerdictMemory, 137},
		{"a child killed for memory, and failed", sandbox.Exit{Code: 1, OOM: true}, nil, VerdictMemory, 1},
		{"a child killed for memory, and coped", sandbox.Exit{OOM: true}, nil, VerdictOK, 0},
		{"sampled", sandbox.Exit{Code: 137, Signal: 9, Killed: sandbox.KilledMemory}, nil, VerdictMemory, 137},
		{"timeout", sandbox.Exit{Code: 137, Signal: 9, Killed: sandbox.KilledWall}, nil, VerdictTimeout, 137},
		{"timeout wins over memory", sandbox.Exit{Code: 137, Signal: 9, Killed: sandbox.KilledWall, OOM: true}, nil, VerdictTimeout, 137},
		{"timeout without a status", sandbox.Exit{Killed: sandbox.KilledWall}, nil, VerdictTimeout, 137},
		{"cancelled", sandbox.Exit{Code: 137, Signal: 9, Killed: sandbox.KilledCancelled}, memory, VerdictCancelled, 137},
		{"output", sandbox.Exit{Code: 137, Signal: 9, Killed: sandbox.KilledOutput}, nil, VerdictOutput, 137},
		{"cpu, soft", sandbox.Exit{Code: 152, Signal: 24}, nil, VerdictCPU, 152},
		{"cpu, hard", sandbox.Exit{Code: 137, Signal: 9, Usage: sandbox.Usage{CPU: cpu}}, nil, VerdictCPU, 137},
		{"killed by itself", sandbox.Exit{Code: 137, Signal: 9, Usage: sandbox.Usage{CPU: time.Second}}, nil, VerdictSignal, 137},
		{"segfault", sandbox.Exit{Code: 139, Signal: 11}, nil, VerdictSignal, 139},
		{"a code like a signal's", sandbox.Exit{Code: 139}, nil, VerdictError, 139},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := decide(tt.exit, sandbox.Limits{CPU: cpu}, tt.told); got != tt.want {
				t.Errorf("verdict %s, want %s", got, tt.want)
			}
			if got := exitCode(tt.exit); got != tt.code {
				t.Errorf("exit code %d, want %d", got, tt.code)
			}
		})
	}
}

func TestSignalName(t *testing.T) {
	for n, want := range map[int]string{0: "", 1: "SIGHUP", 6: "SIGABRT", 9: "SIGKILL", 11: "SIGSEGV", 15: "SIGTERM", 13: "SIGPIPE", 24: "SIGXCPU", 34: "SIGRTMIN+0", 64: "SIGRTMIN+30", 99: "SIG99"} {
		if got := signalName(syscall.Signal(n)); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
