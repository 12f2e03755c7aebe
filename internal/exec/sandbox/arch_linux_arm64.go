package sandbox

import "github.com/pyrun-dev/pyrun/internal/exec/sandbox/seccomp"

const (
	elfMachine = 183 // EM_AARCH64
	arch       = seccomp.ARM64
)
