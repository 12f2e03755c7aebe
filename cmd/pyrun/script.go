package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"
)

// maxSource bounds what is read of a script here: far over what a run may
// have, so that exec names the true limit, and far under what fills a machine.
const maxSource = 16 << 20

// script is what is to be run, and how it is named.
type script struct {
	code  []byte
	name  string // base name of its file; empty for code without one
	shown string // in messages
	dir   string // the folder it lies in; empty for code without one
	args  []string
	stdin io.Reader
}

// script finds the code: -c, a file, or stdin.
func (d *door) script(ctx context.Context, c *cli.Context) (script, error) {
	s := script{args: d.line.rest, stdin: d.input()}
	words := d.line.words
	if d.line.given("c") {
		if len(words) > 0 {
			return s, usageHint("words for the script stand after --", "-c and %s: give code or a file, not both", words[0])
		}
		s.code = []byte(c.String("c"))
		return s, nil
	}
	if len(words) == 0 && len(s.args) > 0 { // pyrun run -- -odd-name.py args
		words, s.args = s.args[:1], s.args[1:]
	}
	switch {
	case len(words) == 0:
		return s, usageHint("pyrun run hello.py, pyrun run - to read stdin, or pyrun run -c 'print(1)'", "no script was given")
	case len(words) > 1:
		return s, usageHint("pyrun run "+words[0]+" -- "+strings.Join(words[1:], " "),
			"%s is one word too many; words for the script stand after --", words[1])
	case words[0] == "":
		return s, usage("the name of the script is empty")
	}
	var err error
	if name := words[0]; name == "-" && !(d.line.dashes && len(d.line.words) == 0) {
		s.stdin = nil // it was the script
		s.code, err = readAll(ctx, func() (io.ReadCloser, error) { return io.NopCloser(d.stdin), nil })
		if err != nil {
			return s, usage("read the script from stdin: %s", reason(err))
		}
	} else {
		s.name = filepath.Base(name)
		s.shown, s.dir = s.name, filepath.Dir(d.abs(name))
		s.code, err = d.readFile(ctx, name)
	}
	return s, err
}

// input is the script's stdin: none at all where ours is the null device, so
// that a question finds out why nobody answers.
func (d *door) input() io.Reader {
	in, err := d.stdin.Stat()
	if err != nil {
		return nil
	}
	null, err := os.Stat(os.DevNull)
	// The type too, and a terminal never: on Windows all that is no file is the same.
	if err == nil && in.Mode().Type() == null.Mode().Type() && os.SameFile(in, null) && !term.IsTerminal(int(d.stdin.Fd())) {
		return nil
	}
	return d.stdin
}

// readFile reads a script; whatever is wrong with it, the error says what to do.
func (d *door) readFile(ctx context.Context, name string) ([]byte, error) {
	info, err := os.Stat(d.abs(name)) // before opening: a pipe would block
	if err != nil {
		return nil, d.notThere(name, err)
	}
	switch {
	case info.IsDir():
		main := filepath.Join(name, "__main__.py")
		if _, err := os.Stat(d.abs(main)); err == nil {
			return nil, usageHint("pyrun run "+shellWord(main)+" --in "+shellWord(name), "%s is a folder", name)
		}
		return nil, usageHint("name the file to start; the rest comes in with --in "+shellWord(name), "%s is a folder", name)
	case info.Mode()&fs.ModeNamedPipe != 0, info.Mode()&fs.ModeCharDevice != 0:
		// <(command) and /dev/stdin are scripts too
	case !info.Mode().IsRegular():
		return nil, usage("%s is not a file", name)
	}
	code, err := readAll(ctx, func() (io.ReadCloser, error) { return os.Open(d.abs(name)) })
	var pe *fs.PathError
	switch {
	case errors.As(err, &pe) && pe.Op == "open":
		return nil, d.notThere(name, err)
	case err != nil:
		return nil, usage("read %s: %s", name, reason(err))
	}
	return code, nil
}

// readAll reads one byte more than it takes, so that too much is seen by exec.
// A terminal and a pipe may keep it waiting: it ends with ctx.
func readAll(ctx context.Context, open func() (io.ReadCloser, error)) ([]byte, error) {
	type read struct {
		code []byte
		err  error
	}
	c := make(chan read, 1)
	go func() {
		r, err := open()
		if err != nil {
			c <- read{nil, err}
			return
		}
		defer r.Close()
		code, err := io.ReadAll(io.LimitReader(r, maxSource+1))
		c <- read{code, err}
	}()
	select {
	case got := <-c:
		return got.code, got.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// notThere is the error for a path that cannot be read, with the nearest name beside it.
func (d *door) notThere(name string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		if errors.Is(err, fs.ErrPermission) {
			return usageHint("chmod +r "+shellWord(name)+", or run as a user who may read it", "%s cannot be read: permission denied", name)
		}
		return usage("%s cannot be read: %s", name, reason(err))
	}
	if near := d.beside(name); near != "" {
		return usage("%s does not exist; did you mean %s?", name, near)
	}
	return usage("%s does not exist", name)
}

// beside is the nearest name in the same folder. A slip in the ending counts too.
func (d *door) beside(name string) string {
	dir, base := filepath.Split(name)
	f, err := os.Open(d.abs(filepath.Join(dir, ".")))
	if err != nil {
		return ""
	}
	defer f.Close()
	names, _ := f.Readdirnames(1000)
	if near := nearest(base, names); near != "" {
		return dir + near
	}
	for _, n := range names {
		if strings.TrimSuffix(n, filepath.Ext(n)) == strings.TrimSuffix(base, filepath.Ext(base)) {
			return dir + n
		}
	}
	return ""
}

// abs is a path from the working folder of this invocation; "" stays "".
func (d *door) abs(name string) string {
	if name == "" || filepath.IsAbs(name) || d.dir == "" {
		return name
	}
	return filepath.Join(d.dir, name)
}

// reason is an error without the path that was said already.
func reason(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return err.Error()
}

// shellWord is a name as this system's shells take it.
func shellWord(s string) string { return wordFor(runtime.GOOS, s) }

func wordFor(goos, s string) string {
	also := "/._-+,:@%="
	if goos == "windows" {
		also = `/\._-+:=`
	}
	plain := func(r rune) bool {
		return strings.ContainsRune(also, r) || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	switch {
	case s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0:
		return s
	case goos == "windows":
		return `"` + s + `"` // which no name there can hold
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
