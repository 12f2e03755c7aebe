package sandbox

import "github.com/pyrun-dev/pyrun/internal/exec/sandbox/seccomp"

const (
	elfMachine = 62 // EM_X86_64
	arch       = seccomp.AMD64
)
