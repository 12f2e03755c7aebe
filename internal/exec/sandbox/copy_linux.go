//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// copied is what a run that came of a zygote has besides.
type copied struct {
	z    *zygote
	job  *os.File      // the script's socket, until the job is given
	gone chan struct{} // closed when pid 1 is gone too
	once sync.Once

	streams [2]*os.File // the ends of its output to read from, until they are asked for; guarded by the running's mu
}

// idle is a copy without a job.
type idle struct{ r *running }

func (z *zygote) fork(ctx context.Context, early bool) (copier, error) {
	r, err := z.newCopy(ctx, early)
	if err != nil {
		return nil, err // not r: a nil pointer in an interface is not nil
	}
	return idle{r}, nil
}

func (z *zygote) newCopy(ctx context.Context, early bool) (*running, error) {
	r := &running{
		limits: z.pol.Limits, opening: z.init, rest: z.list,
		exited: make(chan struct{}), started: make(chan struct{}),
		copy: &copied{z: z, gone: make(chan struct{})},
	}
	files, err := z.provide(r)
	defer func() { // the other ends, and what else is the copy's alone
		for i, f := range files {
			if i != copyImage {
				f.Close()
			}
		}
	}()
	if err != nil {
		return nil, errors.Join(err, r.release())
	}
	if err := z.ask(early, copyBlock(r.id, z.pol.Dir), files); err != nil {
		return nil, errors.Join(err, r.release())
	}
	closeAll(files[:copyImage]) // or the end of a process would not be the end of its socket
	z.copies.Add(1)
	go r.listen()
	if err := r.ready(ctx); err != nil {
		return nil, errors.Join(err, r.copy.end(r))
	}
	r.stand = standing(z.pol.Network, z.site, r)
	r.meter.ahead()
	return r, nil
}

// provide takes what a copy is made with, in the order of the block.
func (z *zygote) provide(r *running) (files []*os.File, err error) {
	groups, err := z.n.machine.groups()
	if err != nil {
		return nil, err
	}
	if r.meter, err = newMeter(groups); err != nil {
		return nil, err
	}
	if r.meter, err = r.meter.limit(z.pol.Limits); err != nil {
		return nil, err
	}
	if r.id, err = copyIdentity(z.site.id); err != nil {
		return nil, err
	}
	var tell, job *os.File
	if r.sock, tell, err = socketPair(); err != nil {
		return nil, &Error{Step: "make the socket to pid 1", Err: err}
	}
	files = append(files, tell)
	if r.copy.job, job, err = socketPair(); err != nil {
		return files, &Error{Step: "make the socket to the script", Err: err}
	}
	files = append(files, job, z.image)
	for i := range r.copy.streams {
		read, write, err := Pipe(false)
		if err != nil {
			return files, &Error{Step: "make a pipe for the script", Err: err}
		}
		r.copy.streams[i] = read
		files = append(files, write)
	}
	doors, err := r.meter.doors(false)
	if err != nil || len(doors) != z.site.doors {
		closeAll(doors)
		return files, &Error{Step: "join the cgroup", Err: errors.Join(err, unix.ENOENT)}
	}
	files = append(files, doors...)
	if z.nets == nil {
		return files, nil
	}
	select {
	case net := <-z.nets:
		if net == nil {
			return files, &Error{Step: "make a network namespace", Err: unix.ENOSPC}
		}
		return append(files, net), nil
	case <-z.quit:
		return files, ErrZygote
	}
}

// copyBlock is the text of the block for one copy.
func copyBlock(id identity, home string) []byte {
	b := make([]byte, copyText)
	binary.LittleEndian.PutUint32(b, uint32(id.uid))
	binary.LittleEndian.PutUint32(b[4:], uint32(id.gid))
	copy(b[8:8+copyPasswd], passwd(id, home).Data)
	copy(b[8+copyPasswd:], group(id).Data)
	return b
}

// ready waits until the walls stand and the program waits behind them.
func (r *running) ready(ctx context.Context) error {
	_ = r.copy.job.SetReadDeadline(time.Now().Add(settleTime))
	stop := context.AfterFunc(ctx, func() { _ = r.copy.job.SetReadDeadline(time.Now()) })
	got, err := receive(r.copy.job)
	stop()
	closeAll(got.files[:])
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err == nil && got.tag >= copyOps {
		return explain(stepOf(got.tag, r.rest), unix.Errno(got.value), r.id)
	}
	if err != nil || got.tag != tagReady {
		r.kill(KilledCancelled) // whatever it is, it has no business there; what pid 1 had to say is said
		select {
		case <-r.exited:
			return r.refusal()
		case <-time.After(settleTime):
			return &Error{Step: "build the walls", Err: errors.Join(ErrZygote, err)}
		}
	}
	select {
	case <-r.started:
		return nil
	case <-r.exited:
		return r.refusal()
	case <-time.After(settleTime):
		return &Error{Step: "build the walls", Err: fmt.Errorf("no answer within %v", settleTime)}
	}
}

func (w idle) lost() <-chan struct{} { return w.r.exited }

func (w idle) close() error { return w.r.copy.end(w.r) }

// waitGone waits until pid 1, which is not this process's child, is gone.
func (c *copied) waitGone(pidfd *os.File) {
	if pidfd == nil {
		return // it never said so much; the zygote's pid 1 reaps it
	}
	fds := []unix.PollFd{{Fd: int32(pidfd.Fd()), Events: unix.POLLIN}}
	for {
		if _, err := unix.Poll(fds, -1); !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

// end kills what is left, waits and gives back.
func (c *copied) end(r *running) (err error) {
	r.kill(KilledCancelled)
	select {
	case <-c.gone:
	case <-time.After(settleTime): // it never came so far that it could be killed alone
		c.z.r.kill(KilledCancelled)
		<-c.gone
	}
	c.once.Do(func() {
		err = r.release()
		c.z.copies.Done()
	})
	return err
}

// close does not keep the caller waiting for the kernel to take the tree apart.
func (c *copied) close(r *running) error {
	go func() { _ = c.end(r) }()
	return nil
}

// pidOf is the process of a descriptor as this process sees it; 0 when it is gone.
func pidOf(pidfd *os.File) int {
	if pidfd == nil {
		return 0
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/self/fdinfo/%d", pidfd.Fd()))
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(text) {
		if rest, ok := bytes.CutPrefix(line, []byte("Pid:")); ok {
			if pid, err := strconv.Atoi(string(bytes.TrimSpace(rest))); err == nil && pid > 0 {
				return pid
			}
		}
	}
	return 0
}
