package exec

// Attestation of warm copies. They have the limits of their zygote, which those
// of coldTrial are not, so that they are tried by themselves: each zygote's
// before they serve anybody, and again whenever Check looks. Where a wall of
// theirs does not hold, none of them serves, and runs start cold.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/pyrun-dev/pyrun/internal/exec/python"
)

// hogInCopy is the memory, in bytes, of the copy that takes more. What its zygote
// had loaded may count too, so that it needs room.
const hogInCopy = 128 << 20

// copyTrial is the attestation of a zygote's copies. Their disk is not filled,
// which could take all of a run's memory: the kernel is asked how large it is.
func (o Options) copyTrial(in *python.Interpreter, z zygote) (trial, error) {
	base, err := o.zygoteJob()
	if err != nil {
		return trial{}, err
	}
	l := coldTrial().limits
	l.Memory = base.limits.Memory
	l.FileSize = min(l.FileSize, base.limits.FileSize)
	l.Processes = min(l.Processes, base.limits.Processes)
	l.OpenFiles = min(l.OpenFiles, base.limits.OpenFiles)
	l.Disk, l.Inodes = 0, 0 // as the zygote has them
	return trial{
		from: z, bare: python.Copyable(in, python.Job{StdlibOnly: true}), limits: l,
		memory: min(hogInCopy, base.limits.Memory), room: base.limits.Disk,
	}, nil
}

// tryCopies is nil when every wall of the zygote's copies holds.
func (e *Executor) tryCopies(ctx context.Context, in *python.Interpreter, z zygote) error {
	how, err := e.options.copyTrial(in, z)
	if err != nil {
		return err
	}
	v, err := e.attest(ctx, in, how)
	if err != nil {
		return fmt.Errorf("try the walls of warm copies: %w", err)
	}
	if v.unsaid != nil { // then of no wall anything is known
		return fmt.Errorf("try the walls of warm copies: %w", v.unsaid)
	}
	var broken []string
	for _, w := range v.walls() {
		if !w.Held {
			broken = append(broken, w.Name+": "+w.Detail)
		}
	}
	if len(broken) > 0 {
		return errors.New("a wall of the warm copies does not hold: " + strings.Join(broken, "; "))
	}
	return nil
}

// tryPool tries the copies that serve, and lets them go where it fails. Where
// there was no time for it, or others have come since, which were tried
// themselves, that is no fault of theirs.
func (e *Executor) tryPool(ctx context.Context, in *python.Interpreter) error {
	p := e.pool.Load()
	if p == nil {
		return nil
	}
	now := p.current()
	if now == nil {
		return nil
	}
	err := e.tryCopies(ctx, in, now.zygote)
	if err == nil || ctx.Err() != nil || errors.Is(err, ErrBusy) || errors.Is(err, ErrClosed) || p.current() != now {
		return nil
	}
	p.lose(now, err)
	return err
}

// current is the generation that makes copies, or nil.
func (p *pool) current() *generation {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now
}

// copyOf releases a job in a copy that is made for it.
func copyOf(ctx context.Context, z zygote, o Options, j *job, in *python.Interpreter, files []loaded, stdin *os.File) (tree, error) {
	w, ok := warmJob(j, in, files, o, stdin)
	if !ok {
		return nil, errors.New("a copy cannot be given this")
	}
	s, err := z.fork(ctx, true)
	if err != nil {
		return nil, err
	}
	return s.release(ctx, w)
}
