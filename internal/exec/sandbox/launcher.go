package sandbox

import (
	"context"
	"os"
)

// Options chooses how a Launcher builds walls.
type Options struct {
	Backend Backend
	TempDir string // where None puts its folders; empty is the system's
	Fault   string // name of a step to fail with EIO: for tests of failing closed; behind what Machine did ahead

	// Machine is what Look has found so far; nil looks when the first run comes.
	// The Launcher closes it.
	Machine *Machine
}

// Launcher starts runs behind one kind of walls. It is safe for many
// goroutines. Native runs die with the process that holds the Launcher.
type Launcher struct{ impl launcher }

// launcher is what each backend brings.
type launcher interface {
	place() (Place, error)
	start(ctx context.Context, at Place, p Policy, io Stdio) (process, error)
	copies() error
	zygote(ctx context.Context, p Policy) (zygoter, error)
	close() error
}

// process is one running tree of a backend.
type process interface {
	posture() Posture
	store() *os.File
	streams() (stdout, stderr *os.File)
	observe() (Observation, error)
	kill(Reason)
	wait() Exit
	close() error
}

// Place is where a run will stand. Every path of its Policy begins with Root,
// which is empty when the run has a root of its own.
type Place struct{ Root string }

// Process is a running tree. Wait must be called, then Close.
type Process struct{ impl process }

// Place reserves the place of one run; hand it to Start.
func (l *Launcher) Place() (Place, error) { return l.impl.place() }

// Start builds the walls and lets the program go behind them. A missing wall
// is an *Error and nothing has run. When ctx ends, the tree is killed.
func (l *Launcher) Start(ctx context.Context, at Place, p Policy, io Stdio) (*Process, error) {
	impl, err := l.impl.start(ctx, at, p, io)
	if err != nil {
		return nil, err
	}
	return &Process{impl}, nil
}

// Close ends what the Launcher holds; runs still going are killed.
func (l *Launcher) Close() error { return l.impl.close() }

// Posture says which walls stand around the run.
func (p *Process) Posture() Posture { return p.impl.posture() }

// Store is a descriptor of the directory that holds each Policy.Writable by its
// Name. It stays good after the tree has died and until Close: read it then,
// when nothing can change it, and follow no link in it.
func (p *Process) Store() *os.File { return p.impl.store() }

// Streams are the ends to read from of what a copy's script writes to, which is
// the caller's to close. They are told once; nil where Start was given a Stdio.
func (p *Process) Streams() (stdout, stderr *os.File) { return p.impl.streams() }

// Kill ends the whole tree at once and gives the reason for Exit.Killed; the first reason stays.
func (p *Process) Kill(r Reason) { p.impl.kill(r) }

// Wait returns when no process of the run exists any more.
func (p *Process) Wait() Exit { return p.impl.wait() }

// Close gives back what the run held: its store, its cgroup, its user id.
func (p *Process) Close() error { return p.impl.close() }
