package exec

// Errors beside *RequestError. Those of the walls come through as *sandbox.Error.

import (
	"errors"

	"github.com/pyrun-dev/pyrun/internal/exec/sandbox"
)

// ErrBusy says that MaxWorkers runs are going and MaxQueue are waiting. It comes
// as a *BusyError.
var ErrBusy = errors.New("busy: every worker is taken and the queue is full; try again shortly")

// ErrClosed says that the Executor was closed.
var ErrClosed = errors.New("the executor is closed")

// ErrNoCopies is wrapped by what says that there can be no warm copies here,
// however often it is tried.
var ErrNoCopies = sandbox.ErrUnsupported

// WriteError comes with a whole Result: a live writer of the Request failed,
// so the run was ended. When its reader went away, it wraps syscall.EPIPE.
type WriteError struct {
	Stream string // "stdout" or "stderr"
	Err    error
}

func (e *WriteError) Error() string { return "write " + e.Stream + ": " + e.Err.Error() }
func (e *WriteError) Unwrap() error { return e.Err }

// FolderError comes with a whole Result: the run is over, but not every
// artifact could be written to the folder asked for. The Artifact's Error says which.
type FolderError struct {
	Folder string
	Err    error
}

func (e *FolderError) Error() string { return "write artifacts to " + e.Folder + ": " + reason(e.Err) }
func (e *FolderError) Unwrap() error { return e.Err }

// CacheError says that pyrun has no folder of its own to write to. Nothing was run.
type CacheError struct {
	Err    error
	Remedy string
}

func (e *CacheError) Error() string { return "prepare the cache folder: " + e.Err.Error() }
func (e *CacheError) Unwrap() error { return e.Err }
