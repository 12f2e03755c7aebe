package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/pyrun-dev/pyrun/internal/config"
	"github.com/pyrun-dev/pyrun/internal/exec"
)

func TestExitCode(t *testing.T) {
	tests := []struct {
		verdict           exec.Verdict
		code, interrupted int
		want              int
	}{
		{exec.VerdictOK, 0, 0, 0},
		{exec.VerdictError, 3, 0, 3},
		{exec.VerdictError, 124, 0, 124}, // the script's own
		{exec.VerdictTimeout, 137, 0, 124},
		{exec.VerdictMemory, 137, 0, 137},
		{exec.VerdictMemory, 1, 0, 137}, // it caught its own MemoryError too late
		{exec.VerdictOutput, 137, 0, 137},
		{exec.VerdictCPU, 152, 0, 152},
		{exec.VerdictSignal, 139, 0, 139},
		{exec.VerdictRejected, 2, 0, 2},
		{exec.VerdictCancelled, 137, 130, 130},
		{exec.VerdictCancelled, 137, 143, 143},
		{exec.VerdictCancelled, 137, 0, 130},
		{exec.VerdictOK, 0, 130, 0}, // it was done before the signal came
	}
	for _, tt := range tests {
		r := &exec.Result{Verdict: tt.verdict, ExitCode: tt.code}
		if got := exitCode(r, tt.interrupted); got != tt.want {
			t.Errorf("%s, exit %d, signal %d: %d, want %d", tt.verdict, tt.code, tt.interrupted, got, tt.want)
		}
	}
}

func TestErrorCode(t *testing.T) {
	tests := []struct {
		err  error
		want int
	}{
		{usage("x"), 2},
		{&exec.RequestError{Field: "code"}, 2},
		{fmt.Errorf("run: %w", &exec.RequestError{Field: "code"}), 2},
		{&config.Error{Msg: "x"}, 2},
		{&exec.WriteError{Stream: "stdout", Err: syscall.EPIPE}, 141},
		{&exec.WriteError{Stream: "stdout", Err: syscall.ENOSPC}, 125},
		{&exec.FolderError{Err: syscall.ENOSPC}, 125},
		{&exec.CacheError{Err: syscall.EROFS}, 125},
		{exec.ErrBusy, 125},
		{errors.New("sandbox: mount /proc: operation not permitted"), 125},
	}
	for _, tt := range tests {
		if got := errorCode(tt.err); got != tt.want {
			t.Errorf("%v: %d, want %d", tt.err, got, tt.want)
		}
	}
}

// TestExitTableInReadme: the README repeats the table of `pyrun help exit-codes`.
func TestExitTableInReadme(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range exitRows() {
		row := regexp.MustCompile(`(?m)^\|\s*` + regexp.QuoteMeta(strings.ReplaceAll(r.code, "|", `\|`)) + `\s*\|\s*` +
			regexp.QuoteMeta(strings.ReplaceAll(r.meaning, "|", `\|`)) + `\s*\|$`)
		if !row.Match(readme) {
			t.Errorf("README.md has no row | %s | %s |", r.code, r.meaning)
		}
	}
}
