// Package ui is the eyes of pyrun: everything it says at a terminal.
//
// It reads results and never makes them. Its rules: the script owns stdout,
// pyrun speaks on stderr; what is true of the terminal (is it one, how wide,
// may it be coloured, does it know Unicode) is decided once, here, and carried
// as a value; no word of a script reaches a terminal without passing [Escaper]
// or [Clean]. Nothing is asked of the terminal itself: a query may hang.
package ui

import (
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/term"
)

// Color says when to colour.
type Color string

// The three answers to --color.
const (
	ColorAuto   Color = "auto" // a terminal that can, unless NO_COLOR is set
	ColorAlways Color = "always"
	ColorNever  Color = "never"
)

// Bounds of the width that is believed, in columns.
const (
	minWidth     = 20
	defaultWidth = 80
	maxWidth     = 1000
)

// Options is what New needs to know; tests fill it by hand, Detect from files.
type Options struct {
	Out, Err       io.Writer
	OutTTY, ErrTTY bool
	Width          int                 // columns of the terminal; 0 is not known
	Color          Color               // empty is auto
	Getenv         func(string) string // nil is an empty environment
}

// UI writes for one invocation. It is not safe for concurrent use, but for the
// two streams of Live.
type UI struct {
	out, err           io.Writer
	outTTY, errTTY     bool
	outColor, errColor bool
	redraw             bool // the terminal understands carriage return and erase
	width              int
	home               string
	theme              theme

	screen *screen
	live   []*Stream
}

// Detect looks at the two streams and fills Options from what it finds.
func Detect(stdout, stderr *os.File, getenv func(string) string) Options {
	o := Options{Out: stdout, Err: stderr, Getenv: getenv}
	o.OutTTY = term.IsTerminal(int(stdout.Fd()))
	o.ErrTTY = term.IsTerminal(int(stderr.Fd()))
	for _, f := range []*os.File{stderr, stdout} {
		obeyEscapes(f)
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
			o.Width = w
			break
		}
	}
	return o
}

// New decides everything there is to decide about the terminal.
func New(o Options) *UI {
	if o.Getenv == nil {
		o.Getenv = func(string) string { return "" }
	}
	u := &UI{out: o.Out, err: o.Err, outTTY: o.OutTTY, errTTY: o.ErrTTY, home: o.Getenv("HOME")}
	u.outColor = colored(o.Color, o.OutTTY, o.Getenv)
	u.errColor = colored(o.Color, o.ErrTTY, o.Getenv)
	u.redraw = o.Getenv("TERM") != "dumb"
	u.width = width(o.Width, o.Getenv("COLUMNS"))
	u.theme = newTheme(u.errColor, utf8Locale(o.Getenv))
	u.screen = &screen{start: true}
	return u
}

// Out is stdout for a command whose product is text, as `pyrun config` is.
func (u *UI) Out() io.Writer { return u.out }

// colored: a word on the command line wins, then NO_COLOR, then a terminal that can.
func colored(c Color, tty bool, getenv func(string) string) bool {
	switch {
	case c == ColorAlways:
		return true
	case c == ColorNever, getenv("NO_COLOR") != "":
		return false
	}
	if force := getenv("CLICOLOR_FORCE"); force != "" && force != "0" {
		return true
	}
	return tty && getenv("TERM") != "dumb"
}

// width believes COLUMNS before the terminal: it is how a person or a test says otherwise.
func width(asked int, columns string) int {
	if n, err := strconv.Atoi(columns); err == nil && n > 0 {
		asked = n
	}
	if asked <= 0 {
		asked = defaultWidth
	}
	return min(max(asked, minWidth), maxWidth)
}

// utf8Locale follows the C library's order. Other systems than Unix and macOS,
// which often set nothing, know UTF-8.
func utf8Locale(getenv func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(getenv(name)); v != "" {
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return runtime.GOOS == "darwin" || runtime.GOOS == "windows"
}
