//go:build linux

package cgroup

// Counters are read at the end of each run, when somebody waits for its answer.

import (
	"errors"
	"io/fs"
	"path/filepath"
	"sync"
	"syscall"
)

// maxCounter is more than any of these files holds.
const maxCounter = 16 << 10

// counters keeps the files of a group's counters open from their first reading to
// the group's end: to find one costs more than to read it.
type counters struct {
	mu   sync.Mutex // guards all below
	open map[[2]string]int
	shut bool
}

// read returns the text of a file in a folder.
func (c *counters) read(folder, file string) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.shut {
		return "", fs.ErrClosed
	}
	at := [2]string{folder, file}
	fd, ok := c.open[at]
	if !ok {
		var err error
		if fd, err = open(filepath.Join(folder, file), syscall.O_RDONLY); err != nil {
			return "", err
		}
		if c.open == nil {
			c.open = map[[2]string]int{}
		}
		c.open[at] = fd
	}
	all := false // such a file gives all that it has, where there is room
	return readAll(filepath.Join(folder, file), maxCounter, func(b []byte, done int) (n int, err error) {
		if !all {
			n, err = syscall.Pread(fd, b, int64(done))
			all = err == nil && n < len(b)
		}
		return n, err
	})
}

// close forgets all files.
func (c *counters) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shut = true
	var errs []error
	for _, fd := range c.open {
		errs = append(errs, syscall.Close(fd))
	}
	c.open = nil
	return errors.Join(errs...)
}
