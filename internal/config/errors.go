package config

// This file holds the one error type of the package.

import (
	"errors"
	"strings"
)

// ErrInvalid is what every error of Load is, whatever else it is too.
var ErrInvalid = errors.New("invalid configuration")

// Error is one mistake in the configuration: one line that says where, which
// setting, what is wrong and what would be right.
type Error struct {
	Source string // as in Setting.Source, or the file's name with a line
	Key    string // "runner.memory"; empty when it is not about one setting
	Msg    string
	Err    error // the cause, may be nil: fs.ErrNotExist and the like
}

func (e *Error) Error() string {
	var b strings.Builder
	if e.Source != "" {
		b.WriteString(strings.TrimPrefix(strings.TrimPrefix(e.Source, "file "), "flag "))
		b.WriteString(": ")
	}
	if e.Key != "" && !strings.HasPrefix(e.Source, "flag ") { // a flag's name says it already
		b.WriteString(e.Key)
		b.WriteString(": ")
	}
	b.WriteString(e.Msg)
	return b.String()
}

// Is makes every Error an ErrInvalid.
func (e *Error) Is(target error) bool { return target == ErrInvalid }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }
