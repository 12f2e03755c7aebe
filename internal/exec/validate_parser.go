package exec

// One parser behind the walls of a run: sources in, facts out. It has seen
// strangers' sources, so it may die, hang or lie at any time. That is held
// against the one source it was at, and the rest goes to the next parser.

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"slices"
	"time"

	"github.com/pyrun-dev/pyrun/internal/exec/python"
	"github.com/pyrun-dev/pyrun/internal/exec/sandbox"
)

// sentAhead bounds the sources that are on their way into a parser.
const sentAhead = 8

// parsing is what the parsers of one Validate share.
type parsing struct {
	e       *Executor
	in      *python.Interpreter
	work    <-chan *unit
	allowed func() []pkg
}

// run parses what comes until there is no more.
func (p *parsing) run(ctx context.Context) error {
	for {
		select {
		case u, ok := <-p.work:
			if !ok {
				return nil
			}
			for left := []*unit{u}; len(left) > 0; { // each session finishes one at least
				var err error
				if left, err = p.session(ctx, left); err != nil {
					return err
				}
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// session starts one parser and feeds it with left, then with work. It returns
// the sources that were not judged because the parser is no more.
func (p *parsing) session(ctx context.Context, left []*unit) ([]*unit, error) {
	var ends pipes
	defer ends.close()
	inR, inW, err := ends.make(true)
	if err != nil {
		return nil, err
	}
	outR, outW, err := ends.make(false)
	if err != nil {
		return nil, err
	}
	at, err := p.e.walls.place()
	if err != nil {
		return nil, err
	}
	policy, limits, err := p.policy(at)
	if err != nil {
		return nil, err
	}
	t, err := p.e.walls.start(ctx, at, policy, sandbox.Stdio{Stdin: inR, Stdout: outW})
	if err != nil {
		return nil, err
	}
	defer t.Close()
	_, _ = inR.Close(), outW.Close()

	l := &listener{from: outR, buffer: bufio.NewReaderSize(outR, 64<<10), patience: p.e.options.DefaultTimeout}
	k, err := p.knowledge(l)
	if err != nil {
		exit := end(t, err)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("start the parser: %w (%s)", err, ending(exit))
	}
	f := &feeder{to: inW, left: left, work: p.work, plain: slices.Sorted(maps.Keys(k.installed)), standard: k.standard, sent: make(chan *unit, sentAhead), stop: make(chan struct{})}
	go f.run()
	for judged := 0; ; judged++ {
		u, ok := <-f.sent
		if !ok {
			return f.left, nil // all of it was judged
		}
		facts, err := l.facts()
		if err == nil {
			u.finish(judge(&u.subject, facts, k))
			continue
		}
		exit := end(t, err)
		left := f.halt()
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case judged > 0: // what came before may have worn it out; alone it gets a fair trial
			return append([]*unit{u}, left...), nil
		}
		u.finish(inOrder(append(judgeMetadata(&u.subject, k.version), u.killed(exit, err, limits))))
		return left, nil
	}
}

// knowledge waits for the parser's first words, which it says before it has seen a source.
func (p *parsing) knowledge(l *listener) (knowledge, error) {
	line, err := l.line(python.MaxReady)
	if err != nil {
		return knowledge{}, err
	}
	ready, err := python.ParseReady(line)
	if err != nil {
		return knowledge{}, err
	}
	k := knowledge{version: p.in.Version, allowed: p.allowed, standard: map[string]bool{}, installed: map[string]bool{}}
	for _, name := range ready.Standard {
		k.standard[name] = true
	}
	for _, name := range ready.Installed {
		k.installed[name] = true
	}
	for _, d := range p.in.Packages {
		for _, name := range d.Imports {
			k.installed[name] = true
		}
	}
	return k, nil
}

// policy is that of a run without a network. Time is kept for each source, not
// for the parser.
func (p *parsing) policy(at sandbox.Place) (sandbox.Policy, sandbox.Limits, error) {
	limits, _, err := p.e.options.limits(sandbox.Limits{})
	if err != nil {
		return sandbox.Policy{}, limits, err
	}
	limits.Wall, limits.CPU = 0, 0
	const name = "validate.py"
	policy := policyFor(&job{name: name, limits: limits}, p.in, nil, at, sandbox.NetworkNone)
	file := at.Root + path.Join(harnessDir, name)
	policy.Argv = python.ValidatorCommand(p.in, file, at.Root != "")
	policy.Files = []sandbox.File{{Path: file, Mode: 0o444, Data: python.Validator()}}
	return policy, limits, nil
}

// killed is the diagnostic of a source that was the end of its parser.
func (u *unit) killed(exit sandbox.Exit, err error, limits sandbox.Limits) Diagnostic {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return u.whole(ruleSlow, "the source was not compiled within the time of a run", "cut it into pieces, or raise runner.default_timeout")
	case exit.OOM || exit.Killed == sandbox.KilledMemory:
		return u.whole(ruleDeep, fmt.Sprintf("the source takes more than %s to compile", size(limits.Memory)), "move data into an input file, or raise runner.memory")
	}
	return u.whole(ruleCrash, "the interpreter's compiler failed on the source ("+ending(exit)+")", "")
}

// end waits for a parser that has closed its mouth, and kills one that has not.
func end(t tree, err error) sandbox.Exit {
	grace := time.Duration(0)
	if errors.Is(err, io.EOF) { // dead, most likely: how it died is worth knowing
		grace = drainTime
	}
	defer time.AfterFunc(grace, func() { t.Kill(sandbox.KilledCancelled) }).Stop()
	return t.Wait()
}

// ending says how a parser went.
func ending(exit sandbox.Exit) string {
	switch {
	case exit.OOM || exit.Killed == sandbox.KilledMemory:
		return "it reached the memory limit"
	case exit.Signal != 0 && exit.Killed == "":
		return signalName(exit.Signal)
	case exit.Killed == "":
		return fmt.Sprintf("exit %d", exit.Code)
	}
	return "it said what cannot be understood"
}
