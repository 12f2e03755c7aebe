//go:build amd64 || arm64

package sandbox

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// release gives the copy its job.
func (w idle) release(ctx context.Context, j Job) (process, error) {
	r := w.r
	if err := r.give(ctx, j); err != nil {
		return nil, errors.Join(err, r.copy.end(r))
	}
	return r, nil
}

func (r *running) give(ctx context.Context, j Job) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	pol := r.copy.z.pol
	if err := furnishStore(r.dir, pol, r.id, j); err != nil {
		return err
	}
	j.Limits.mapped, j.Limits.keepers = pol.Limits.mapped, pol.Limits.keepers
	if j.Limits.Memory != pol.Limits.Memory || j.Limits.Processes != pol.Limits.Processes {
		m, err := r.meter.limit(j.Limits)
		if err != nil {
			return err
		}
		r.meter = m
	}
	var stdin []*os.File // without one it keeps the null device
	if j.Stdin != nil {
		stdin = append(stdin, j.Stdin)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return &Error{Step: "give the job", Err: ErrZygote}
	}
	for _, f := range r.copy.streams {
		if err := drain(f); err != nil {
			return &Error{Step: "empty the script's output", Err: err}
		}
	}
	r.limits = j.Limits
	now := time.Now() // not later: it may be over before this goes on
	err := send(r.copy.job, append(tighter(pol.Limits, j.Limits, r.copy.z.site.bounds), j.Message...), stdin...)
	runtime.KeepAlive(stdin)
	if err != nil {
		return &Error{Step: "give the job", Err: errors.Join(ErrZygote, err)}
	}
	_ = r.copy.job.Close()
	r.begins(now)
	r.stop = context.AfterFunc(ctx, func() { r.kill(KilledCancelled) })
	return nil
}

// drain throws away what the program said before there was a job, as some
// libraries do when they are forked: it is no output of the job's.
func drain(from *os.File) error {
	conn, err := from.SyscallConn()
	if err != nil {
		return err
	}
	b, left := make([]byte, 512), maxEarly
	err = conn.Read(func(fd uintptr) bool {
		for left > 0 {
			n, err := unix.Read(int(fd), b)
			if n <= 0 && !errors.Is(err, unix.EINTR) {
				break
			}
			left -= max(n, 0)
		}
		return true
	})
	if err == nil && left <= 0 { // a thread that goes on would keep the run waiting forever
		return fmt.Errorf("%w: it says more than %d bytes before it has a job", ErrZygote, maxEarly)
	}
	return err
}

// maxEarly is how much a copy may say before it has a job: more than a pipe holds.
const maxEarly = 1 << 18

// tighter lists the limits that differ from those a copy has.
func tighter(has, wants Limits, host bounds) []byte {
	le := binary.LittleEndian
	b := le.AppendUint32(nil, 0)
	old := rlimits(has)
	n := uint32(0)
	for _, l := range rlimits(wants) {
		for _, o := range old {
			if o, l := host.within(o), host.within(l); o.resource == l.resource && o != l {
				b = le.AppendUint64(le.AppendUint64(le.AppendUint64(b, uint64(l.resource)), l.soft), l.hard)
				n++
			}
		}
	}
	le.PutUint32(b, n)
	return b
}
