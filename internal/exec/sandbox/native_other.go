//go:build !linux || !(amd64 || arm64)

package sandbox

import (
	"fmt"
	"runtime"
)

func newNative(Options) (launcher, error) {
	return nil, &Error{
		Step:   "build the walls",
		Err:    fmt.Errorf("%s/%s: %w", runtime.GOOS, runtime.GOARCH, ErrUnsupported),
		Why:    "the native sandbox is made of Linux namespaces, Landlock and seccomp",
		Remedy: "run pyrun on Linux or in a Linux container; --sandbox none runs a script without any wall",
	}
}

// machine has nothing to know here.
type machine struct{}

func (*machine) init(string)  {}
func (*machine) begin(bool)   {}
func (*machine) close() error { return nil }
