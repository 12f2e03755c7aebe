package config

// This file holds which configuration file is read, and how its bytes come in.

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"unicode"
	"unicode/utf8"
)

// MaxFileSize is the most a configuration file may have, in bytes.
const MaxFileSize = 1 << 20

// candidate is a place where a file may be.
type candidate struct {
	shown string // as messages name it
	path  string
	named bool // somebody asked for this very file: it must be there
	here  bool // lies in the working folder, which may be anybody's
}

// candidates lists the places in the order they are tried.
func (s *Sources) candidates(goos string, vars *environment) []candidate {
	if s.File != "" {
		return []candidate{{shown: s.File, path: within(s.Dir, s.File), named: true}}
	}
	if name := vars.get("PYRUN_CONFIG"); name != "" {
		return []candidate{{shown: name, path: within(s.Dir, name), named: true}}
	}
	list := []candidate{{shown: "./pyrun.yaml", path: within(s.Dir, "pyrun.yaml"), here: true}}
	user := vars.get("XDG_CONFIG_HOME")
	switch home := vars.get("HOME"); {
	case filepath.IsAbs(user):
	case goos == "windows":
		user = vars.get("APPDATA")
	case filepath.IsAbs(home):
		user = filepath.Join(home, ".config")
	}
	if filepath.IsAbs(user) {
		path := filepath.Join(user, "pyrun", "config.yaml")
		list = append(list, candidate{shown: path, path: path})
	}
	if goos == "windows" { // every user may make an \etc there
		return list
	}
	const system = "/etc/pyrun/config.yaml"
	return append(list, candidate{shown: system, path: system})
}

// open gives the first file that exists and its bytes; nil when there is none.
func (s *Sources) open(vars *environment) (*candidate, []byte, error) {
	for _, c := range s.candidates(runtime.GOOS, vars) {
		var data []byte
		var err error
		if s.ReadFile != nil {
			data, err = s.ReadFile(c.path)
		} else {
			data, err = readFile(c.path, c.named)
		}
		switch {
		case err == nil:
			if err := checkText(c.shown, data); err != nil {
				return nil, nil, err
			}
			return &c, data, nil
		case c.named && errors.Is(err, fs.ErrNotExist):
			return nil, nil, &Error{Source: c.shown, Msg: "there is no such configuration file", Err: err}
		case c.named, !absent(err):
			var plain *Error
			if errors.As(err, &plain) {
				return nil, nil, &Error{Source: c.shown, Msg: plain.Msg}
			}
			return nil, nil, &Error{Source: c.shown, Msg: "the configuration file cannot be read: " + cause(err), Err: err}
		case errors.Is(err, fs.ErrPermission):
			// The folder is closed to us: with a HOME that is another user's
			// nobody can say whether a file is there.
			vars.warn = append(vars.warn, c.shown+" was not looked for: its folder is closed to this user")
		}
	}
	return nil, nil, nil
}

// errClosed is a folder that may not be searched.
var errClosed = errors.New("folder may not be searched")

func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, errClosed)
}

// readFile reads a file of at most MaxFileSize and a byte. Only a file that was
// named may be a pipe; none may keep pyrun waiting for a writer to come.
func readFile(path string, named bool) (data []byte, err error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		if _, lost := os.Stat(path); errors.Is(err, fs.ErrPermission) && lost != nil && !named {
			return nil, fmt.Errorf("%w: %w", errClosed, err)
		}
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, &Error{Msg: "is a folder, not a configuration file"}
	case !named && !info.Mode().IsRegular():
		return nil, &Error{Msg: "is not a regular file"}
	}
	return io.ReadAll(io.LimitReader(f, MaxFileSize+1))
}

// checkText refuses what is no text before a parser sees it.
func checkText(shown string, data []byte) error {
	if len(data) > MaxFileSize {
		return &Error{Source: shown, Msg: "is larger than " + FormatSize(MaxFileSize) + "; this is not a configuration file"}
	}
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			return &Error{Source: at(shown, lineOf(data, i)), Msg: "holds bytes that are not UTF-8; save it as UTF-8"}
		case unicode.IsControl(r) && r != '\t' && r != '\n' && r != '\r':
			return &Error{Source: at(shown, lineOf(data, i)), Msg: fmt.Sprintf("holds a control character (%U); this is not a text file", r)}
		}
		i += size
	}
	return nil
}

func lineOf(data []byte, offset int) int { return 1 + bytes.Count(data[:offset], []byte("\n")) }

func at(shown string, line int) string { return shown + ":" + strconv.Itoa(line) }

// cause is the error without the call and the path, which are said already.
func cause(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

// within makes path absolute below dir where dir is known.
func within(dir, path string) string {
	if dir == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}
