package main

import (
	"errors"
	"io/fs"
	"runtime"
	"syscall"

	"github.com/pyrun-dev/pyrun/internal/config"
	"github.com/pyrun-dev/pyrun/internal/exec"
)

// The exit codes of pyrun itself; all others are the script's.
const (
	exitFound       = 1 // of validate, check and packages verify
	exitUsage       = 2
	exitTimeout     = 124
	exitFailed      = 125
	exitInterrupted = 130
	exitKilled      = 137
	exitPipe        = 141
)

// exitRow is one line of the table that help prints and the README repeats.
type exitRow struct{ code, meaning string }

// exitRows is the one table of exit codes.
func exitRows() []exitRow {
	return []exitRow{
		{"0-255", "the script's own"},
		{"0, 1", "of validate and check: nothing was found, something was"},
		{"2", "usage, or refused: nothing was run"},
		{"124", "stopped by the time limit"},
		{"125", "pyrun could not run it, or could not deliver what came of it"},
		{"128+n", "ended by signal n: 139 segmentation fault, 152 processor time limit"},
		{"130", "interrupted (Ctrl-C); 143 after SIGTERM, 129 after SIGHUP"},
		{"137", "killed: memory or output limit"},
		{"141", "whoever read the output went away, as with | head -1"},
	}
}

// exitCode is the code for a run that has a Result. interrupted is 128+n when
// a signal ended pyrun itself, else 0.
func exitCode(r *exec.Result, interrupted int) int {
	switch r.Verdict {
	case exec.VerdictTimeout:
		return exitTimeout
	case exec.VerdictMemory, exec.VerdictOutput:
		return exitKilled
	case exec.VerdictRejected:
		return exitUsage
	case exec.VerdictCancelled:
		if interrupted != 0 {
			return interrupted
		}
		return exitInterrupted
	}
	return r.ExitCode
}

// errorCode is the code for what went wrong outside of the script.
func errorCode(err error) int {
	var (
		mistake *usageMistake
		request *exec.RequestError
		pkgs    *exec.PackagesError
	)
	switch {
	case errors.As(err, &pkgs) && pkgs.Refused:
		return exitUsage
	case errors.As(err, &mistake), errors.As(err, &request), errors.Is(err, config.ErrInvalid):
		return exitUsage
	case brokenPipe(err):
		return exitPipe
	}
	return exitFailed
}

// isPipe tells a reader that went away from one that was never there.
func isPipe(err error) bool {
	var errno syscall.Errno
	if runtime.GOOS == "windows" && errors.As(err, &errno) {
		switch errno {
		case 109, 232, 233: // ERROR_BROKEN_PIPE, ERROR_NO_DATA, ERROR_PIPE_NOT_CONNECTED
			return true
		}
	}
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, fs.ErrClosed)
}
