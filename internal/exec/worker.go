package exec

// One job behind one set of walls: place, start, feed, read, wait. What comes
// out is looked at only after everything inside is dead.

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"github.com/pyrun-dev/pyrun/internal/exec/python"
	"github.com/pyrun-dev/pyrun/internal/exec/sandbox"
)

// tree is a running *sandbox.Process, walls the *sandbox.Launcher that starts it.
type tree interface {
	Posture() sandbox.Posture
	Store() *os.File
	Observe() (sandbox.Observation, error)
	Kill(sandbox.Reason)
	Wait() sandbox.Exit
	Close() error
}

type walls interface {
	place() (sandbox.Place, error)
	start(context.Context, sandbox.Place, sandbox.Policy, sandbox.Stdio) (tree, error)
	close() error
}

type launcher struct{ *sandbox.Launcher }

func (l launcher) place() (sandbox.Place, error) { return l.Place() }
func (l launcher) close() error                  { return l.Close() }

func (l launcher) start(ctx context.Context, at sandbox.Place, p sandbox.Policy, s sandbox.Stdio) (tree, error) {
	t, err := l.Start(ctx, at, p, s)
	if err != nil {
		return nil, err // not t: a nil pointer in an interface is not nil
	}
	return t, nil
}

// ended is a run that is over. Its tree still holds the store.
type ended struct {
	tree     tree
	posture  sandbox.Posture
	exit     sandbox.Exit
	out, err *pump
	figures  bool
}

// run starts the job and returns when nothing of it lives any more. The
// caller closes the tree. No error means that the script was released.
func run(ctx context.Context, w walls, o Options, r Request, j *job, in *python.Interpreter, files []loaded) (*ended, error) {
	var ends pipes
	defer ends.close()
	outR, outW, err := ends.make()
	if err != nil {
		return nil, err
	}
	errR, errW, err := ends.make()
	if err != nil {
		return nil, err
	}
	std := sandbox.Stdio{Stdout: outW, Stderr: errW}
	var feed *os.File
	if j.stdin != nil {
		if std.Stdin, feed, err = ends.make(); err != nil {
			return nil, err
		}
	}
	at, err := w.place()
	if err != nil {
		return nil, err
	}
	t, err := w.start(ctx, at, policyFor(j, in, files, at, o.Network), std)
	if err != nil {
		return nil, err
	}
	for _, f := range []*os.File{std.Stdin, std.Stdout, std.Stderr} {
		_ = f.Close() // or the script's end would never be the stream's end
	}
	e := &ended{tree: t, posture: t.Posture(), figures: j.figures}
	e.out = newPump("stdout", outR, r.Stdout, o.MaxOutputBytes)
	e.err = newPump("stderr", errR, r.Stderr, o.MaxOutputBytes)
	var total atomic.Int64
	for _, p := range []*pump{e.out, e.err} {
		p.total, p.most = &total, o.MaxOutputTotal
		p.stop = func(err error) {
			if err == nil {
				t.Kill(sandbox.KilledOutput)
			} else {
				t.Kill(sandbox.KilledCancelled)
			}
		}
		go p.run()
	}
	if feed != nil {
		// Never waited for: its reader may block for ever, as a terminal does. The
		// bare interfaces keep io.Copy from handing descriptors to the kernel.
		go func() {
			_, _ = io.Copy(struct{ io.Writer }{feed}, struct{ io.Reader }{j.stdin})
			_ = feed.Close()
		}()
	}
	if r.watch != nil {
		r.watch(t)
	}
	e.exit = t.Wait()
	e.out.finish(ctx.Done())
	e.err.finish(ctx.Done())
	return e, nil
}

// pipes are the ends made so far: all of them are closed when the run is
// over, which is harmless for those that were closed before.
type pipes []*os.File

func (p *pipes) make() (r, w *os.File, err error) {
	if r, w, err = os.Pipe(); err != nil {
		return nil, nil, fmt.Errorf("make a pipe for the script: %w", err)
	}
	*p = append(*p, r, w)
	return r, w, nil
}

func (p *pipes) close() {
	for _, f := range *p {
		_ = f.Close()
	}
}
