package config

import (
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// A pipe that lies where a file is looked for must not hold pyrun up.
func TestPipes(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pyrun.yaml")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip("no pipes here:", err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := Load(Sources{Dir: dir})
		done <- err
	}()
	select {
	case err := <-done:
		if err == nil || err.Error() != "./pyrun.yaml: is not a regular file" {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("waits for a writer")
	}

	// One that is named and has a writer is read: --config <(generate).
	fds := make([]int, 2)
	if err := syscall.Pipe(fds); err != nil {
		t.Fatal(err)
	}
	go func() {
		time.Sleep(20 * time.Millisecond)
		_, _ = syscall.Write(fds[1], []byte("runner:\n  memory: 1G\n"))
		_ = syscall.Close(fds[1])
	}()
	name := "/dev/fd/" + strconv.Itoa(fds[0])
	c, err := Load(Sources{File: name})
	_ = syscall.Close(fds[0])
	if err != nil || c.Runner.Memory != 1<<30 {
		t.Error(err)
	}
}
