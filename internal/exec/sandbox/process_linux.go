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
	copy  *copied  // of a zygote's copy alone

	started chan struct{} // closed when the program was let go
	failure error         // set before started stays open and exited closes
	exited  chan struct{} // closed when no process is left, and nothing that one did can change

	mu     sync.Mutex
	killed Reason
	used   census // when it was killed, or as pid 1 told
	status syscall.WaitStatus
	told   bool // pid 1 told the script's status
	over   bool // the exit is being settled
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
		alone := false
		r.mu.Lock()
		switch {
		case got.tag == tagOpened:
			r.proc = got.value&1 == 0
		case got.tag == tagStore && r.dir == nil:
			r.dir, got.files[0] = got.files[0], nil
			if r.copy != nil {
				r.pidfd, got.files[1] = got.files[1], nil
				if r.killed != "" {
					r.signal()
				}
			}
		case got.tag == tagStarted && r.dir != nil && r.failure == nil: // pid 1 takes a dead pid 2 for a started one
			if r.copy == nil {
				r.begins(now)
			}
			close(r.started)
		case got.tag == tagExit:
			r.exit.Ended, r.status, r.told = now, syscall.WaitStatus(uint32(got.value)), true
			r.exit.Usage.PeakMemory = got.peak
			if r.copy != nil {
				r.used.cpu += got.cpu
				alone = r.copy.alone(r, uint32(got.value>>32))
			}
			// While the kernel takes down what is left. That has used what it will.
			r.meter.settle(&r.exit)
		case got.tag >= opsBase && r.failure == nil: // the first names the cause
			r.failure = explain(stepOf(got.tag, r.rest, r.opening), unix.Errno(got.value), r.id)
		}
		r.mu.Unlock()
		closeAll(got.files[:])
		if alone { // nothing is left that could do anything
			r.conclude()
		}
		if got.tag == tagExit && r.copy != nil {
			_ = send(r.sock, []byte{1}) // pid 1 may end; if it cannot be told it has
		}
	}
	r.reap()
}

// begins starts the clocks of a program that was let go.
func (r *running) begins(now time.Time) {
	r.exit.Released = now
	if r.limits.Wall > 0 {
		r.wall = time.AfterFunc(r.limits.Wall, func() { r.kill(KilledWall) })
	}
	r.meter.watch(r)
}

func (r *running) posture() Posture { return r.stand }
func (r *running) store() *os.File  { return r.dir }

func (r *running) streams() (stdout, stderr *os.File) {
	if r.copy == nil {
		return nil, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	own := r.copy.streams
	r.copy.streams = [2]*os.File{}
	return own[0], own[1]
}

// kill ends pid 1; the kernel ends the rest with it.
func (r *running) kill(why Reason) {
	r.mu.Lock()
	defer r.mu.Unlock() // held to the end: the number of a closed descriptor may be another run's
	if r.pidfd == nil {
		if r.copy != nil && r.killed == "" {
			r.killed = why // as soon as pid 1 is known
		}
		return
	}
	if r.killed == "" && !r.told {
		r.killed, r.used = why, count(r.first())
	}
	r.signal()
}

func (r *running) signal() {
	if r.pidfd == nil {
		return
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
	if r.copy != nil {
		return r.copy.close(r)
	}
	r.kill(KilledCancelled)
	<-r.exited
	return r.release()
}

// first is pid 1 as this process sees it; 0 when it is gone. A copy's is asked
// for each time: somebody else reaps it, and its number may be another's then.
func (r *running) first() int {
	if r.copy != nil {
		return pidOf(r.pidfd)
	}
	return r.pid
}

// release gives back what the run held. Nothing of it runs any more.
func (r *running) release() error {
	r.mu.Lock()
	pidfd := r.pidfd
	r.pidfd = nil
	r.mu.Unlock()
	files := []*os.File{r.sock, r.dir, pidfd}
	if r.copy != nil {
		stdout, stderr := r.streams()
		files = append(files, r.copy.job, stdout, stderr)
	}
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
	r.id.close()
	return r.closeMeter()
}
