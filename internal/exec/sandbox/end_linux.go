//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// reap waits for pid 1. The kernel lets it go only after every other process
// of its namespace is dead and reaped.
func (r *running) reap() {
	if r.copy != nil {
		r.copy.waitGone(r.pidfd)
		r.conclude()
		close(r.copy.gone)
		return
	}
	var usage unix.Rusage
	for {
		_, err := unix.Wait4(r.pid, nil, 0, &usage)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	// pid 1's own time and that of all it reaped. Not its peak: that began as
	// this process's, whose memory it shared until it was started.
	r.mu.Lock()
	r.used.cpu += time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	r.mu.Unlock()
	r.conclude()
}

// conclude settles the exit, once.
func (r *running) conclude() {
	r.mu.Lock()
	was := r.over
	r.over = true // so that no watch begins any more
	r.mu.Unlock()
	if was {
		return
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
	r.exit.Usage.CPU = max(r.exit.Usage.CPU, r.used.cpu)
	r.mu.Unlock()
	if r.copy == nil { // where pid 1 has yet to go, its group cannot
		go func() { _ = r.closeMeter() }() // told by release
	}
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
