//go:build amd64 || arm64

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// settleTime bounds how long the walls may take; a healthy machine needs 2 ms.
const settleTime = 30 * time.Second

// running is one native run: pid 1 of its namespaces and what belongs to it.
type running struct {
	id     identity
	limits Limits
	meter  meter
	stand  Posture

	opening, rest *program // the two parts of its list

	pid   int      // of pid 1, as this process sees it
	pidfd *os.File // of pid 1: a kill by it can hit no other process
	sock  *os.File
	dir   *os.File // the store

	started chan struct{} // closed when the program was let go
	failure error         // set before started stays open and exited closes
	exited  chan struct{} // closed when no process is left

	mu     sync.Mutex
	killed Reason
	used   census // when it was killed, or as pid 1 told
	status syscall.WaitStatus
	told   bool // pid 1 told the script's status
	proc   bool // /proc is mounted
	exit   Exit

	wall *time.Timer
	stop func() bool

	once   sync.Once // for the meter's close
	closed error
}

// settle waits until the program runs.
func (r *running) settle(ctx context.Context) error {
	go r.listen()
	timer := time.NewTimer(settleTime)
	defer timer.Stop()
	select {
	case <-r.started:
	case <-r.exited:
		select {
		case <-r.started: // a script can be over before this is
		default:
			return r.refusal()
		}
	case <-ctx.Done():
		r.abort()
		return ctx.Err()
	case <-timer.C:
		r.abort()
		return &Error{Step: "build the walls", Err: fmt.Errorf("no answer within %v", settleTime)}
	}
	r.stop = context.AfterFunc(ctx, func() { r.kill(KilledCancelled) })
	return nil
}

// abort ends a run whose walls were not finished.
func (r *running) abort() {
	r.kill(KilledCancelled)
	<-r.exited
}

func (r *running) refusal() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failure != nil {
		return r.failure
	}
	return &Error{Step: "start pid 1", Err: errors.New("it ended without a word"), Why: "it was killed from outside, or the machine is out of memory"}
}

// listen takes pid 1's records until it is gone, then reaps it.
func (r *running) listen() {
	for {
		got, err := receive(r.sock)
		if errors.Is(err, unix.ECONNRESET) {
			continue // it left without taking what it was sent; its last word comes behind this
		}
		if err != nil {
			break
		}
		now := time.Now()
		r.mu.Lock()
		switch {
		case got.tag == tagOpened:
			r.proc = got.value&1 == 0
		case got.tag == tagStore && r.dir == nil:
			r.dir, got.dir = got.dir, nil
		case got.tag == tagStarted && r.dir != nil && r.failure == nil: // pid 1 takes a dead pid 2 for a started one
			r.exit.Released = now
			if r.limits.Wall > 0 {
				r.wall = time.AfterFunc(r.limits.Wall, func() { r.kill(KilledWall) })
			}
			r.meter.watch(r)
			close(r.started)
		case got.tag == tagExit:
			r.exit.Ended, r.status, r.told = now, syscall.WaitStatus(uint32(got.value)), true
			r.exit.Usage.PeakMemory = got.peak
			// While the kernel takes down what is left. That has used what it will.
			r.meter.settle(&r.exit)
		case got.tag >= opsBase && r.failure == nil: // the first names the cause
			r.failure = explain(stepOf(got.tag, r.rest, r.opening), unix.Errno(got.value), r.id)
		}
		r.mu.Unlock()
		if got.dir != nil {
			got.dir.Close()
		}
	}
	r.reap()
}

// reap waits for pid 1. The kernel lets it go only after every other process
// of its namespace is dead and reaped.
func (r *running) reap() {
	var usage unix.Rusage
	for {
		_, err := unix.Wait4(r.pid, nil, 0, &usage)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	r.meter.stop()
	r.mu.Lock()
	if r.wall != nil {
		r.wall.Stop()
	}
	if r.exit.Ended.IsZero() {
		r.exit.Ended = time.Now()
	}
	switch {
	case r.told && r.status.Exited():
		r.exit.Code = r.status.ExitStatus()
	case r.told:
		r.exit.Signal = r.status.Signal()
		r.exit.Code = 128 + int(r.exit.Signal)
	default:
		r.exit.Signal, r.exit.Code = syscall.SIGKILL, 128+int(syscall.SIGKILL)
	}
	if !r.told { // what pid 1 told of came before the kill
		r.exit.Killed = r.killed
	}
	if !r.told {
		r.exit.Usage.PeakMemory = r.used.peak
		r.meter.settle(&r.exit)
	}
	// pid 1's own time and that of all it reaped. Not its peak: that began as
	// this process's, whose memory it shared until it was started.
	r.exit.Usage.CPU = max(r.exit.Usage.CPU, time.Duration(usage.Utime.Nano()+usage.Stime.Nano())+r.used.cpu)
	r.mu.Unlock()
	go func() { _ = r.closeMeter() }() // told by release
	close(r.exited)
}

// closeMeter gives the meter back, once.
func (r *running) closeMeter() error {
	r.once.Do(func() {
		if r.meter != nil {
			r.closed = r.meter.close()
		}
	})
	return r.closed
}

func (r *running) posture() Posture { return r.stand }
func (r *running) store() *os.File  { return r.dir }

// kill ends pid 1; the kernel ends the rest with it.
func (r *running) kill(why Reason) {
	r.mu.Lock()
	defer r.mu.Unlock() // held to the end: the number of a closed descriptor may be another run's
	if r.pidfd == nil {
		return
	}
	if r.killed == "" && !r.told {
		r.killed, r.used = why, count(r.pid)
	}
	_ = unix.PidfdSendSignal(int(r.pidfd.Fd()), unix.SIGKILL, nil, 0) // it may be gone already
}

func (r *running) wait() Exit {
	<-r.exited
	if r.stop != nil {
		r.stop()
	}
	return r.exit
}

func (r *running) close() error {
	r.kill(KilledCancelled)
	<-r.exited
	return r.release()
}

// release gives back what the run held. Nothing of it runs any more.
func (r *running) release() error {
	r.mu.Lock()
	pidfd := r.pidfd
	r.pidfd = nil
	r.mu.Unlock()
	for _, f := range []*os.File{r.sock, r.dir, pidfd} {
		if f != nil {
			f.Close()
		}
	}
	r.id.close()
	return r.closeMeter()
}
