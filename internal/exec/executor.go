package exec

// The Executor: one request down the stair, one result up.

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pyrun-dev/pyrun/internal/exec/python"
)

// Executor runs requests. It is safe for many goroutines.
type Executor struct {
	options Options
	queue   *queue
	life    context.Context // ends with Close
	end     context.CancelFunc

	mu      sync.Mutex // guards closed, so that nothing enters running after it
	closed  bool
	running sync.WaitGroup

	attestTime time.Duration

	ready       chan struct{} // a lock that can be waited for with a context; guards the two below
	walls       walls
	interpreter *python.Interpreter
	pool        atomic.Pointer[pool] // nil while there is none

	fontLock  chan struct{} // guards the two below
	fontList  *fontList
	fontTried bool

	known atomic.Pointer[listing] // what became of the list of packages that was read last
}

// New checks the options and does nothing else: the interpreter is looked for,
// and the walls are tried, when the first request comes. A bad option is a
// *RequestError that names it.
func New(o Options) (*Executor, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	e := &Executor{
		options: o, queue: newQueue(o.MaxWorkers, o.MaxQueue, 2*o.MaxOutputBytes+o.MaxArtifactsTotal),
		ready: make(chan struct{}, 1), fontLock: make(chan struct{}, 1),
		attestTime: attestTime,
	}
	e.life, e.end = context.WithCancel(context.Background())
	return e, nil
}

// Close kills what still runs, waits for it and gives everything back. Requests
// that come later get ErrClosed.
func (e *Executor) Close() error {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.end()
	e.running.Wait()
	e.ready <- struct{}{}
	defer func() { <-e.ready }()
	if e.walls == nil {
		if e.options.Ahead != nil {
			return e.options.Ahead.Close()
		}
		return nil
	}
	w := e.walls
	e.walls = nil
	var err error
	if p := e.pool.Swap(nil); p != nil {
		err = p.close()
	}
	return errors.Join(err, w.close())
}

// Execute runs one request.
//
// A *RequestError is the caller's mistake; ErrBusy, ErrClosed, the context's
// error, a *sandbox.Error or any other error without a Result mean that nothing
// was run. A script that fails is no error: its fate is the Result's Verdict,
// also when the context ends while it runs. With a *WriteError or a
// *FolderError the Result is there too, and whole.
func (e *Executor) Execute(ctx context.Context, r Request) (*Result, error) {
	called := time.Now()
	j, err := e.options.check(r)
	if err != nil {
		return nil, err
	}
	j.id = newID()
	if res := e.refuse(j, ""); res != nil {
		return res, nil
	}
	if !e.begin() {
		return nil, ErrClosed
	}
	defer e.running.Done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(e.life, cancel)()

	asked := time.Now()
	at, err := e.queue.enter(ctx, r.Caller)
	if err != nil {
		return nil, e.orClosed(err)
	}
	var res *Result
	defer func() { at.leave(res.bytes(), r.Delivered) }()
	queued := time.Since(asked)
	res, err = e.execute(ctx, r, j, called, queued)
	if res == nil {
		err = e.orClosed(err)
	}
	return res, err
}

func (e *Executor) begin() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.closed {
		e.running.Add(1)
	}
	return !e.closed
}

// orClosed says ErrClosed where a context ended only because of Close.
func (e *Executor) orClosed(err error) error {
	if errors.Is(err, context.Canceled) && e.life.Err() != nil {
		return ErrClosed
	}
	return err
}

// execute holds a worker's slot.
func (e *Executor) execute(ctx context.Context, r Request, j *job, called time.Time, queued time.Duration) (*Result, error) {
	in, err := e.prepare(ctx, r.Progress)
	if err != nil {
		return nil, err
	}
	if res := e.refuse(j, in.Version); res != nil {
		return res, nil
	}
	files, err := load(j.inputs, e.options)
	if err != nil {
		return nil, err
	}
	to, err := e.sinkFor(r, j)
	if err != nil {
		return nil, err
	}
	if wantsFonts(j.code) && !j.stdlib {
		j.fontSeed = e.fonts(ctx, in, r.Progress)
	}
	err = ctx.Err()
	if err == nil && r.Admit != nil {
		err = r.Admit()
	}
	if err != nil {
		to.close(0)
		return nil, err
	}
	done, err := run(ctx, e, e.options, r, j, in, files)
	if err != nil {
		to.close(0)
		return nil, err
	}
	defer e.giveBack(done, r.Delivered)
	res, err := e.result(r, j, in, done, to)
	to.close(res.written())
	res.Usage.QueueMS = queued.Milliseconds()
	if !done.exit.Released.IsZero() {
		res.Usage.StartMS = max(0, (done.exit.Released.Sub(called) - queued).Milliseconds())
	}
	return res, err
}

// outlet is a sink that is to be closed, told how many artifacts there were.
type outlet struct {
	sink
	end func(artifacts int)
}

func (o outlet) close(artifacts int) {
	if o.end != nil {
		o.end(artifacts)
	}
}

func (e *Executor) sinkFor(r Request, j *job) (outlet, error) {
	switch {
	case r.Folder != "":
		f, err := openFolder(r.Folder, j.id)
		if err != nil {
			return outlet{}, err
		}
		return outlet{f, f.close}, nil
	case r.Keep:
		f := &runFolder{options: e.options, id: j.id}
		return outlet{f, f.close}, nil
	}
	return outlet{}, nil
}

// newID names a run. crypto/rand does not fail.
func newID() string {
	var b [4]byte
	_, _ = rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// refusal is the Result of a request that policy refused.
func (e *Executor) refusal(j *job, text string) *Result {
	return &Result{
		Stderr: "pyrun: " + text + "\n", ExitCode: 2, Artifacts: []Artifact{},
		Verdict: VerdictRejected, RequestID: j.id, Timeout: j.clamped,
		Sandbox: SandboxInfo{Backend: e.options.Sandbox, Layers: []string{}, Network: string(e.options.Network)},
	}
}
