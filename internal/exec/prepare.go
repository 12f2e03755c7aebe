package exec

// What the first request needs and all share: the walls and the interpreter.

import (
	"context"
	"errors"

	"github.com/pyrun-dev/pyrun/internal/exec/python"
	"github.com/pyrun-dev/pyrun/internal/exec/sandbox"
)

// warm begins the pool, where one is wanted and can be had.
func (e *Executor) warm(in *python.Interpreter) {
	w := e.walls
	if e.options.Warm == 0 || w == nil || e.options.Sandbox != string(sandbox.Native) || e.pool.Load() != nil {
		return
	}
	e.pool.Store(newPool(e.options.Warm,
		func(ctx context.Context) (zygote, error) { return e.startZygote(ctx, w, in) },
		func() string { return e.print(in) }, e.options.NoCopies))
}

// Warmed returns when a copy waits for a request, or with the reason why none does.
func (e *Executor) Warmed(ctx context.Context) error {
	if !e.begin() {
		return ErrClosed
	}
	defer e.running.Done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(e.life, cancel)()
	if _, err := e.prepare(ctx, nil); err != nil {
		return e.orClosed(err)
	}
	p := e.pool.Load()
	if p == nil {
		if err := e.walls.copies(); err != nil {
			return err
		}
		return errors.New("no warm copies are wanted")
	}
	return e.orClosed(p.await(ctx, func(s PoolStats) bool { return s.Ready > 0 }))
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
		e.warm(e.interpreter) // there may have been no walls before
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
