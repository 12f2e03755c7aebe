//go:build !linux

package sandbox

import "os"

// Pipe is os.Pipe.
func Pipe(bool) (r, w *os.File, err error) { return os.Pipe() }
