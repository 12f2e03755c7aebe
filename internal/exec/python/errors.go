// The ways in which there is no interpreter.

package python

import "errors"

// What is wrong with an interpreter; every error of Choose about one wraps one of these.
var (
	ErrMissing    = errors.New("does not exist")
	ErrUnusable   = errors.New("cannot be started")
	ErrNotCPython = errors.New("is not CPython")
	ErrTooOld     = errors.New("is too old")
	ErrVersion    = errors.New("is of another version")
	ErrNoEmbedded = errors.New("this binary carries no interpreter")
	ErrCache      = errors.New("the cache folder cannot be used")

	ErrEnvironment = errors.New("the environment cannot be used")
)

// Error is an interpreter that cannot be had, and the way out.
type Error struct {
	Name   string // the interpreter, as it was named
	Kind   error  // one of the errors above
	Msg    string // what is wrong, lower case
	Remedy string // what to do, lower case; may be empty
	Err    error  // what the system said; may be nil
}

func (e *Error) Error() string {
	text := "interpreter " + e.Name + ": " + e.Msg
	if e.Name == "" {
		text = e.Msg
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Explain is the likely cause and the way out, for doors that show them apart.
func (e *Error) Explain() (why, remedy string) { return "", e.Remedy }

// Unwrap gives the kind and the cause.
func (e *Error) Unwrap() []error {
	if e.Err != nil {
		return []error{e.Kind, e.Err}
	}
	return []error{e.Kind}
}
