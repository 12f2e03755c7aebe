package exec

// The limits of one run: the request's, else the Executor's.

import (
	"math"
	"time"

	"github.com/pyrun-dev/pyrun/internal/exec/sandbox"
)

// limits fills what the request leaves open and clamps the timeout.
func (o Options) limits(l sandbox.Limits) (sandbox.Limits, *Timeout, error) {
	for _, n := range []struct {
		field string
		value int64
	}{
		{"timeout", int64(l.Wall)},
		{"cpu_time", int64(l.CPU)},
		{"memory", l.Memory},
		{"file_size", l.FileSize},
		{"disk", l.Disk},
		{"inodes", int64(l.Inodes)},
		{"processes", int64(l.Processes)},
		{"open_files", int64(l.OpenFiles)},
	} {
		if n.value < 0 {
			return l, nil, &RequestError{Field: n.field, Msg: "is negative", Hint: "leave it out for the default"}
		}
	}
	d := o.Limits
	if l.Memory == 0 {
		l.Memory = d.Memory
	}
	if l.Memory < minMemory {
		return l, nil, &RequestError{Field: "memory", Msg: "is below 16 MiB, with which no interpreter starts"}
	}
	if l.FileSize == 0 {
		l.FileSize = d.FileSize
	}
	if l.Disk == 0 {
		l.Disk = d.Disk
	}
	if l.Inodes == 0 {
		l.Inodes = d.Inodes
	}
	if l.Processes == 0 {
		l.Processes = d.Processes
	}
	if l.OpenFiles == 0 {
		l.OpenFiles = d.OpenFiles
	}
	if l.OpenFiles < 16 {
		return l, nil, &RequestError{Field: "open_files", Msg: "is below 16, with which no interpreter starts"}
	}
	var clamped *Timeout
	switch {
	case l.Wall == 0:
		l.Wall = o.DefaultTimeout
	case l.Wall > o.MaxTimeout:
		clamped = &Timeout{Requested: l.Wall.Seconds(), Effective: o.MaxTimeout.Seconds()}
		l.Wall = o.MaxTimeout
	}
	if l.CPU == 0 {
		l.CPU = d.CPU
	}
	if l.CPU == 0 {
		l.CPU = defaultCPU(l.Wall, numCPU())
	}
	if rest := l.CPU % time.Second; rest != 0 { // the kernel counts whole seconds
		l.CPU += time.Second - rest
	}
	return l, clamped, nil
}

// defaultCPU is the processor time that lets the wall clock speak first:
// wall times CPUs and a second, in whole seconds, without overflow.
func defaultCPU(wall time.Duration, cpus int) time.Duration {
	seconds := int64((wall + time.Second - 1) / time.Second)
	if wall > math.MaxInt64-time.Second {
		seconds = int64(wall / time.Second)
	}
	const most = int64(math.MaxInt64/time.Second) - 1
	if n := int64(max(cpus, 1)); seconds > (most-1)/n {
		seconds = most
	} else {
		seconds = seconds*n + 1
	}
	return time.Duration(seconds) * time.Second
}
