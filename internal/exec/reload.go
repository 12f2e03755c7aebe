package exec

// A list of packages that changes while an Executor lives.

import "github.com/pyrun-dev/pyrun/internal/exec/python"

// CheckPackages tells whether data is a list of packages. An Executor reads its
// list again whenever it needs it, and goes on with the last good one while the
// file holds none: this is for whoever wants to say so.
func CheckPackages(data []byte) error {
	_, err := python.ParsePackages(string(data))
	return err
}

// lastListed is the list as it could last be read; nil if it never could.
func (e *Executor) lastListed() []string {
	if names := e.known.Load(); names != nil {
		return *names
	}
	return nil
}
