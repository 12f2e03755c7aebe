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
	Streams() (stdout, stderr *os.File) // nil of one that was started
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

// launch releases the job in a copy that waits, or starts it. What the script
// writes comes out of the pipes that are told, which the caller closes.
func (e *Executor) launch(ctx context.Context, o Options, j *job, in *python.Interpreter, files []loaded, stdin *os.File, ends *pipes) (done *ended, stdout, stderr *os.File, err error) {
	over := func(bool) {}
	released := func(t tree) (*ended, *os.File, *os.File, error) {
		stdout, stderr := t.Streams()
		*ends = append(*ends, stdout, stderr)
		return &ended{tree: t, over: over}, stdout, stderr, nil
	}
	if j.from != nil {
		t, err := copyOf(ctx, j.from, o, j, in, files, stdin)
		if err != nil {
			return nil, nil, nil, err
		}
		return released(t)
	}
	if p := e.pool.Load(); p != nil && !j.cold {
		if w, ok := warmJob(j, in, files, o, stdin); ok {
			t, from := p.launch(ctx, w)
			over = func(crashed bool) { p.done(from, crashed) }
			if t != nil {
				return released(t)
			}
		} else {
			p.count(func(s *PoolStats) { s.Unfit++ })
		}
	}
	t, stdout, stderr, err := e.start(ctx, o, j, in, files, stdin, ends)
	if err != nil {
		over(false)
		return nil, nil, nil, err
	}
	return &ended{tree: t, over: over}, stdout, stderr, nil
}

// start starts the job with new walls.
func (e *Executor) start(ctx context.Context, o Options, j *job, in *python.Interpreter, files []loaded, stdin *os.File, ends *pipes) (t tree, stdout, stderr *os.File, err error) {
	std := sandbox.Stdio{Stdin: stdin}
	if stdout, std.Stdout, err = ends.make(false); err == nil {
		stderr, std.Stderr, err = ends.make(false)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	at, err := e.walls.place()
	if err == nil {
		t, err = e.walls.start(ctx, at, policyFor(j, in, files, at, o.Network), std)
	}
	for _, f := range []*os.File{std.Stdout, std.Stderr} {
		_ = f.Close() // or the script's end would never be the stream's end
	}
	return t, stdout, stderr, err
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
	var stdin, feed *os.File
	if j.stdin != nil {
		var err error
		if stdin, feed, err = ends.make(true); err != nil {
			return nil, err
		}
	}
	e, stdout, stderr, err := by.launch(ctx, o, j, in, files, stdin, &ends)
	if err != nil {
		return nil, err
	}
	t := e.tree
	if stdin != nil {
		_ = stdin.Close()
	}
	e.posture, e.figures = t.Posture(), j.figures
	e.out = newPump("stdout", stdout, r.Stdout, o.MaxOutputBytes)
	e.err = newPump("stderr", stderr, r.Stderr, o.MaxOutputBytes)
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
