package sandbox

import (
	"context"
	"errors"
	"os"
	"strings"
)

// ErrZygote is wrapped by the errors of a zygote that cannot go on: it has
// ended, or does not answer. Nothing of the job that met it was run.
var ErrZygote = errors.New("the zygote is gone")

// ThreadsError says that what a zygote has loaded starts threads, which its
// copies would lack, or makes memory that they would share.
type ThreadsError struct {
	Name string // as the program says it, of what was loaded last; empty when it does not know
}

func (e *ThreadsError) Error() string {
	if e.Name == "" {
		return "it has more than one thread, or memory that copies would share"
	}
	return e.Name + " starts threads, or makes memory that copies would share"
}

// Zygote is a started program that makes copies of itself, each for one run
// and behind walls of its own, no lower than those of a run that is started.
// Its program speaks the protocol that zygote_linux.go describes.
type Zygote struct{ impl zygoter }

// Copy waits, behind all its walls, for one job.
type Copy struct{ impl copier }

// Job is what differs from one run of a zygote's policy to another.
type Job struct {
	Limits  Limits   // none above the policy's but Wall and CPU; Disk and Inodes the same
	Files   []File   // below Writable directories
	Links   []Link   // likewise
	Stdin   *os.File // as of a Stdio; the other two are the copy's own, see Process.Streams
	Message []byte   // for the program
}

// zygoter and copier are what a backend that has zygotes brings.
type zygoter interface {
	fork(ctx context.Context, early bool) (copier, error)
	notes() string
	gone() <-chan struct{}
	close() error
}

type copier interface {
	release(ctx context.Context, j Job) (process, error)
	lost() <-chan struct{}
	close() error
}

// Copies says, with nothing started, whether runs can come of a zygote here: nil,
// or an error that wraps ErrUnsupported and that waiting does not mend.
func (l *Launcher) Copies() error { return l.impl.copies() }

// Zygote starts a program that will make copies. Its policy is that of the
// runs, but for the command line.
func (l *Launcher) Zygote(ctx context.Context, p Policy) (*Zygote, error) {
	for _, b := range p.Binds {
		for _, d := range p.Writable {
			if strings.HasPrefix(b.Target, d.Path+"/") {
				return nil, &Error{
					Step: "make warm copies", Err: ErrUnsupported,
					Why:    "each copy has a " + d.Path + " of its own, which covers " + b.Target,
					Remedy: "put what lies there elsewhere",
				}
			}
		}
	}
	impl, err := l.impl.zygote(ctx, p)
	if err != nil {
		return nil, err
	}
	return &Zygote{impl}, nil
}

// Notes is what the program had to say when it was ready.
func (z *Zygote) Notes() string { return z.impl.notes() }

// Gone is closed when the zygote makes no copies any more. Runs go on.
func (z *Zygote) Gone() <-chan struct{} { return z.impl.gone() }

// Close ends the zygote and waits for its runs.
func (z *Zygote) Close() error { return z.impl.close() }

// Fork makes a copy and waits until it is ready for its job. An early one has
// been told to touch what a run will touch, which takes longer.
func (z *Zygote) Fork(ctx context.Context, early bool) (*Copy, error) {
	impl, err := z.impl.fork(ctx, early)
	if err != nil {
		return nil, err
	}
	return &Copy{impl}, nil
}

// Release lets the copy go with its job. An error means that nothing was run,
// and the copy is closed. When ctx ends, the tree is killed.
func (c *Copy) Release(ctx context.Context, j Job) (*Process, error) {
	impl, err := c.impl.release(ctx, j)
	if err != nil {
		return nil, err
	}
	return &Process{impl}, nil
}

// Lost is closed when the copy has ended without a job.
func (c *Copy) Lost() <-chan struct{} { return c.impl.lost() }

// Close ends a copy that is not wanted.
func (c *Copy) Close() error { return c.impl.close() }
