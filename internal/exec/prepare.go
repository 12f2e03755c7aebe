package exec

// What the first request needs and all share: the walls and the interpreter.

import (
	"context"

	"github.com/pyrun-dev/pyrun/internal/exec/python"
	"github.com/pyrun-dev/pyrun/internal/exec/sandbox"
)

// warm begins the pool, where one is wanted and can be had.
func (e *Executor) warm(in *python.Interpreter) {
	l, ok := e.walls.(launcher)
	if e.options.Warm == 0 || !ok || e.options.Sandbox != string(sandbox.Native) || e.pool.Load() != nil {
		return
	}
	e.pool.Store(newPool(e.options.Warm,
		func(ctx context.Context) (zygote, error) { return e.startZygote(ctx, l.Launcher, in) },
		func() string { return e.print(in) }))
}

// prepare makes what the first request needs and all share. A failure is not
// kept: the next request tries again.
func (e *Executor) prepare(ctx context.Context, progress func(Progress)) (*python.Interpreter, error) {
	select {
	case e.ready <- struct{}{}:
		defer func() { <-e.ready }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if e.life.Err() != nil {
		return nil, ErrClosed
	}
	if e.walls == nil {
		o := sandbox.Options{Backend: sandbox.Backend(e.options.Sandbox)}
		if e.options.Ahead != nil {
			o.Machine = e.options.Ahead.machine
		}
		l, err := sandbox.New(o)
		if err != nil {
			return nil, err
		}
		e.walls = launcher{l}
	}
	return e.choose(ctx, progress)
}

// choose finds the interpreter, once. The caller holds ready.
func (e *Executor) choose(ctx context.Context, progress func(Progress)) (*python.Interpreter, error) {
	if e.interpreter != nil {
		return e.interpreter, nil
	}
	in, err := python.Choose(ctx, e.choice(progress))
	if err != nil {
		return nil, err
	}
	e.interpreter = in
	e.warm(in)
	return in, nil
}
