// Asking an interpreter what it is: once, outside the walls, bounded in time
// and output.

package python

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

//go:embed probe.py
var probeSource string

const (
	probeTime   = 10 * time.Second
	probeOutput = 1 << 20
	remedyPath  = "give another with --python"
)

// facts is what probe.py says.
type facts struct {
	Version        string
	Implementation string
	Executable     string
	Real           string
	Prefix         string
	BasePrefix     string `json:"base_prefix"`
	BaseExecPrefix string `json:"base_exec_prefix"`
	Path           []string
	Sites          []string
	Dynload        []string
	CAFile         string `json:"cafile"`
	Harness        []byte
}

// checkFile refuses what can be told from the file alone.
func checkFile(path string) error {
	info, err := os.Stat(path)
	fail := func(kind error, msg, remedy string, cause error) error {
		return &Error{Name: path, Kind: kind, Msg: msg, Remedy: remedy, Err: cause}
	}
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fail(ErrMissing, "does not exist", remedyPath, nil)
	case err != nil:
		return fail(ErrUnusable, "cannot be looked at", remedyPath, err)
	case info.IsDir():
		return fail(ErrUnusable, "is a directory", "give the executable in it, "+programIn(path), nil)
	case executableBits && !info.Mode().IsRegular(): // Windows has such of the Store's, which can be started
		return fail(ErrUnusable, "is no regular file", remedyPath, nil)
	case executableBits && info.Mode()&0o111 == 0:
		return fail(ErrUnusable, "is not executable", "chmod +x it, or "+remedyPath, nil)
	}
	head := make([]byte, 4096)
	f, err := os.Open(path)
	if err != nil { // not readable, yet perhaps executable: starting it will tell
		return nil
	}
	defer f.Close()
	n, _ := io.ReadFull(f, head)
	head = head[:n]
	if !bytes.HasPrefix(head, []byte("#!")) {
		return nil
	}
	if bytes.Contains(head, []byte("pyenv")) {
		return fail(ErrUnusable, "is a shell script, a pyenv shim", "give the interpreter itself: "+behindShim(path), nil)
	}
	return fail(ErrUnusable, "is a script", "give the interpreter that it starts", nil)
}

// behindShim is the interpreter that a shim in ROOT/shims most likely starts.
func behindShim(shim string) string {
	root := filepath.Dir(filepath.Dir(shim))
	base := filepath.Base(shim)
	if data, err := os.ReadFile(filepath.Join(root, "version")); err == nil {
		for name := range strings.FieldsSeq(string(data)) {
			path := filepath.Join(root, "versions", name, "bin", base)
			if _, err := os.Stat(path); err == nil {
				return path
			}
		}
	}
	return filepath.Join(root, "versions", "<version>", "bin", base)
}

// probe starts the interpreter and asks it; it has as long as bound.
func probe(ctx context.Context, path string, bound time.Duration) (*facts, error) {
	if err := checkFile(path); err != nil {
		return nil, err
	}
	bounded, cancel := context.WithTimeout(ctx, bound)
	defer cancel()
	cmd := exec.CommandContext(bounded, path, "-I", "-S", "-X", "utf8", "-B", "-c", probeSource, harnessFilename)
	cmd.Env = []string{}
	cmd.Dir = string(filepath.Separator)
	cmd.Stdin = bytes.NewReader(harness())
	var stdout, stderr capped
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = 250 * time.Millisecond
	ownGroup(cmd)
	err := cmd.Run()
	broken := func(kind error, msg string, cause error) error {
		return &Error{Name: path, Kind: kind, Msg: msg, Remedy: remedyPath, Err: cause}
	}
	old := func(version string) error {
		return broken(ErrTooOld, "is Python "+version+", and pyrun needs CPython 3.9 or newer", nil)
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case bounded.Err() != nil:
		return nil, broken(ErrUnusable, fmt.Sprintf("did not answer within %v", bound), nil)
	case err != nil && strings.Contains(stderr.String(), "nknown option: -I"):
		return nil, old("2 or older than 3.4")
	case err != nil && strings.TrimSpace(stderr.String()) != "":
		return nil, broken(ErrUnusable, "is broken: it says "+fmt.Sprintf("%q", lastLine(stderr.String())), err)
	case err != nil:
		return nil, broken(ErrUnusable, "cannot be started", err)
	}
	f := &facts{}
	if err := json.Unmarshal(stdout.Bytes(), f); err != nil || f.Version == "" {
		return nil, broken(ErrNotCPython, fmt.Sprintf("is not CPython: it answers %q", lastLine(stdout.String())), nil)
	}
	if f.Implementation != "cpython" {
		return nil, broken(ErrNotCPython, "is "+f.Implementation+", not CPython", nil)
	}
	if f.Prefix == "" { // probe.py tells no more to one older than 3.9
		return nil, old(f.Version)
	}
	return f, nil
}

// capped keeps the first probeOutput bytes and takes the rest.
type capped struct{ bytes.Buffer }

func (c *capped) Write(p []byte) (int, error) {
	if room := probeOutput - c.Len(); room > 0 {
		c.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

// lastLine is what a reader wants of a traceback, at most 200 bytes.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	line := strings.TrimSpace(lines[len(lines)-1])
	return line[:min(len(line), 200)]
}
