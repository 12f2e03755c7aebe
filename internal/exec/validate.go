package exec

// Validate: many sources past one parser, or two. Sources are drawn as they are
// needed and told of in their order.

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/pyrun-dev/pyrun/internal/exec/python"
)

const (
	inOrderAhead = 32 // sources drawn and not yet told of
	secondParser = 32 // sources that make another parser worth its start
)

// unit is one source on its way through.
type unit struct {
	subject
	found []Diagnostic
	done  chan struct{} // closed when found is whole
}

// finish says what was found and lets go of the source.
func (u *unit) finish(found []Diagnostic) {
	u.found = found
	u.Code, u.starts, u.Local = nil, nil, nil
	close(u.done)
}

// Validate says what would stop each of the sources here. A source that cannot
// be read or parsed, or that kills its parser, is a diagnostic. A *RequestError,
// ErrBusy, ErrClosed, the context's error and the errors of the walls and the
// interpreter come without a Report.
func (e *Executor) Validate(ctx context.Context, v Validation) (*Report, error) {
	if !e.begin() {
		return nil, ErrClosed
	}
	defer e.running.Done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(e.life, cancel)()
	at, err := e.queue.enter(ctx, v.Caller)
	if err != nil {
		return nil, e.orClosed(err)
	}
	defer at.leave(0, nil)
	in, err := e.prepare(ctx, v.Progress)
	if err != nil {
		return nil, e.orClosed(err)
	}
	if v.Admit != nil {
		if err := v.Admit(); err != nil {
			return nil, err
		}
	}
	began := time.Now()
	report := &Report{Python: in.Version, Diagnostics: []Diagnostic{}}
	if err := e.validate(ctx, v, in, report); err != nil {
		return nil, e.orClosed(err)
	}
	report.DurationMS = time.Since(began).Milliseconds()
	return report, nil
}

func (e *Executor) validate(ctx context.Context, v Validation, in *python.Interpreter, report *Report) error {
	g, ctx := errgroup.WithContext(ctx)
	ordered, work := make(chan *unit, inOrderAhead), make(chan *unit)
	p := &parsing{e: e, in: in, work: work, allowed: sync.OnceValue(func() []pkg { return e.allowed(ctx, in) })}
	g.Go(func() error { return p.run(ctx) })
	g.Go(func() error {
		defer close(ordered)
		defer close(work)
		return e.draw(ctx, v.Sources, ordered, work, func() {
			if numCPU() == 1 {
				return
			}
			if at := e.queue.tryEnter(); at != nil {
				g.Go(func() error {
					defer at.leave(0, nil)
					return p.run(ctx)
				})
			}
		})
	})
	for u := range ordered {
		select {
		case <-u.done:
		case <-ctx.Done():
			return g.Wait() // a failure elsewhere: nothing more is told
		}
		report.Files++
		for _, d := range u.found {
			if d.Severity == SeverityProblem {
				report.Problems++
			}
		}
		report.Diagnostics = append(report.Diagnostics, u.found...)
		if v.Done != nil {
			v.Done(u.Name)
		}
	}
	return g.Wait()
}

// draw sends every source on, in order, and those that are fit to be parsed to the parsers.
func (e *Executor) draw(ctx context.Context, sources iter.Seq[Source], ordered, work chan<- *unit, second func()) error {
	if sources == nil {
		return nil
	}
	parsed := 0
	for s := range sources {
		u := &unit{subject: subject{Source: s}, done: make(chan struct{})}
		if found := unfit(&u.subject, e.options.MaxCodeBytes); found != nil {
			u.finish(found)
		}
		select {
		case ordered <- u:
		case <-ctx.Done():
			return ctx.Err()
		}
		if u.found != nil {
			continue
		}
		select {
		case work <- u:
		case <-ctx.Done():
			return ctx.Err()
		}
		if parsed++; parsed == secondParser {
			second()
		}
	}
	return ctx.Err()
}

// unfit finds what keeps a source from any parser; nil when nothing does.
func unfit(s *subject, most int64) []Diagnostic {
	if s.Err != nil {
		s.Code = nil
		return []Diagnostic{s.whole(ruleUnread, "cannot be read: "+reason(s.Err), "")}
	}
	f := sourceFault(s.Code, most)
	if f == nil {
		f = encodingFault(s.Code)
	}
	if f == nil {
		return nil
	}
	if f.rule == ruleLarge { // who reads a file for this stops one byte behind the limit
		f.msg = fmt.Sprintf("is longer than the %d bytes that a script may have", most)
	}
	if f.at < 0 {
		return []Diagnostic{s.whole(f.rule, "the source "+f.msg, f.fix)}
	}
	found := []Diagnostic{s.at(s.placeOf(f.at, 1), f.rule, SeverityProblem, "the source "+f.msg, f.fix, "")}
	return inOrder(append(judgeMetadata(s, ""), found...))
}
