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
	copies() error
	zygote(context.Context, sandbox.Policy) (zygote, error)
	close() error
}

type launcher struct{ *sandbox.Launcher }

func (l launcher) place() (sandbox.Place, error) { return l.Place() }
func (l launcher) copies() error                 { return l.Copies() }
func (l launcher) close() error                  { return l.Close() }

func (l launcher) start(ctx context.Context, at sandbox.Place, p sandbox.Policy, s sandbox.Stdio) (tree, error) {
	t, err := l.Start(ctx, at, p, s)
	if err != nil {
		return nil, err // not t: a nil pointer in an interface is not nil
	}
	return t, nil
}

func (l launcher) zygote(ctx context.Context, p sandbox.Policy) (zygote, error) {
	z, err := l.Zygote(ctx, p)
	if err != nil {
		return nil, err
	}
	return sandboxZygote{z}, nil
}

// ended is a run that is over. Its tree still holds the store.
type ended struct {
	tree     tree
	posture  sandbox.Posture
	exit     sandbox.Exit
	out, err *pump
	figures  bool
	over     func(crashed bool) // tells the pool, when there is one
}

// launch releases the job in a copy that waits, or starts it.
func (e *Executor) launch(ctx context.Context, o Options, j *job, in *python.Interpreter, files []loaded, std sandbox.Stdio) (*ended, error) {
	over := func(bool) {}
	if j.from != nil {
		t, err := copyOf(ctx, j.from, o, j, in, files, std)
		if err != nil {
			return nil, err
		}
		return &ended{tree: t, over: over}, nil
	}
	if p := e.pool.Load(); p != nil && !j.cold {
		if w, ok := warmJob(j, in, files, o, std); ok {
			t, from := p.launch(ctx, w)
			over = func(crashed bool) { p.done(from, crashed) }
			if t != nil {
				return &ended{tree: t, over: over}, nil
			}
		} else {
			p.count(func(s *PoolStats) { s.Unfit++ })
		}
	}
	at, err := e.walls.place()
	if err == nil {
		var t tree
		if t, err = e.walls.start(ctx, at, policyFor(j, in, files, at, o.Network), std); err == nil {
			return &ended{tree: t, over: over}, nil
		}
	}
	over(false)
	return nil, err
}

// close gives back what the run held. Its answer is complete.
func (e *ended) close() {
	_ = e.tree.Close()
	e.over(e.exit.Signal != 0 && e.exit.Killed == "")
}

// run starts the job and returns when nothing of it lives any more. The
// caller closes the tree. No error means that the script was released.
func run(ctx context.Context, by *Executor, o Options, r Request, j *job, in *python.Interpreter, files []loaded) (*ended, error) {
	var ends pipes
	defer ends.close()
	outR, outW, err := ends.make(false)
	if err != nil {
		return nil, err
	}
	errR, errW, err := ends.make(false)
	if err != nil {
		return nil, err
	}
	std := sandbox.Stdio{Stdout: outW, Stderr: errW}
	var feed *os.File
	if j.stdin != nil {
		if std.Stdin, feed, err = ends.make(true); err != nil {
			return nil, err
		}
	}
	e, err := by.launch(ctx, o, j, in, files, std)
	if err != nil {
		return nil, err
	}
	t := e.tree
	for _, f := range []*os.File{std.Stdin, std.Stdout, std.Stderr} {
		_ = f.Close() // or the script's end would never be the stream's end
	}
	e.posture, e.figures = t.Posture(), j.figures
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

// make has one for the script and one that goroutines wait for: the one to write
// to, if the script is to be fed.
func (p *pipes) make(feed bool) (r, w *os.File, err error) {
	if r, w, err = sandbox.Pipe(feed); err != nil {
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
