//go:build linux

package cgroup

// The small text files that the kernel shows and takes.

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// open is os.Open without what a file that is read at once does not need: these
// files are read and written for every run.
func open(path string, flags int) (fd int, err error) {
	for {
		fd, err = syscall.Open(path, flags|syscall.O_CLOEXEC, 0)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		return -1, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return fd, nil
}

// read returns the whole of a small file. A longer one than limit is an error.
func read(path string, limit int64) (string, error) {
	fd, err := open(path, syscall.O_RDONLY)
	if err != nil {
		return "", err
	}
	defer syscall.Close(fd)
	return readAll(path, limit, func(b []byte, _ int) (int, error) { return syscall.Read(fd, b) })
}

// readAll calls next, with what was read so far, until it has nothing more.
func readAll(path string, limit int64, next func(b []byte, done int) (int, error)) (string, error) {
	var b []byte
	for int64(len(b)) <= limit {
		b = slices.Grow(b, 512)
		n, err := next(b[len(b):cap(b)], len(b))
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case err != nil:
			return "", &os.PathError{Op: "read", Path: path, Err: err}
		case n == 0:
			return string(b), nil
		}
		b = b[:len(b)+n]
	}
	return "", fmt.Errorf("read %s: longer than %d bytes", path, limit)
}

// write gives a cgroup file a value; it never makes a file.
func write(path, value string) error {
	fd, err := open(path, syscall.O_WRONLY)
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	for {
		_, err := syscall.Write(fd, []byte(value))
		if errors.Is(err, syscall.EINTR) { // a limit is lowered by giving memory back, and any signal stops that
			continue
		}
		if err != nil {
			return &os.PathError{Op: "write", Path: path, Err: err}
		}
		return nil
	}
}

// writable reports, by opening it and writing nothing, whether a file can be written.
func writable(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

// members returns the processes in a folder. Those in other pid namespaces
// show as 0.
func members(folder string) ([]int, error) {
	text, err := read(filepath.Join(folder, "cgroup.procs"), 4<<20)
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, word := range strings.Fields(text) {
		pid, err := strconv.Atoi(word)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", folder, err)
		}
		pids = append(pids, pid)
	}
	return pids, nil
}
