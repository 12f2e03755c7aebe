package exec

import "github.com/pyrun-dev/pyrun/internal/exec/sandbox"

// Ahead is what can be found out and made before a request is known. A door
// that still has words to read begins it first and gives it to New.
type Ahead struct{ machine *sandbox.Machine }

// LookAhead begins in the background and returns at once. What is wrong with
// this machine is told by Execute. The Executor closes it; without one, Close does.
func LookAhead() *Ahead { return &Ahead{sandbox.Look()} }

// Close gives back what was made and not used.
func (a *Ahead) Close() error { return a.machine.Close() }
