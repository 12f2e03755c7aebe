package ui

import (
	"io"
	"unicode/utf8"
)

// maxSGR bounds a colour sequence; a longer one is no colour, and is shown.
const maxSGR = 64

// Escaper stands between a script and a terminal. Colour (SGR) passes, also
// when it is cut in two by chunks. Every other escape sequence, control
// character, C1, bidirectional override and invisible character is written as
// visible text in Python's notation (\x1b, \u202e), bytes that are not UTF-8 as
// U+FFFD. Newline and tab pass. CR before LF goes; a CR alone returns to the
// line's start, so a progress bar stays one line: a script can overwrite by it
// nothing but what it wrote there itself.
//
// It holds at most 64 bytes between two writes. It is not safe for concurrent use.
type Escaper struct {
	// Color lets colour through; else it is left out, not shown.
	Color bool
	// Redraw passes a lone CR; else, for a terminal that cannot, it starts a new line.
	Redraw bool

	w    io.Writer
	out  []byte // what this Write passes on
	held []byte // ESC [ 3 1 so far, or the first bytes of a character
	cr   bool   // a CR whose next byte is not known
	on   bool   // a colour was left on
	prev rune
}

// NewEscaper returns an Escaper that writes to w; colour and redrawing are off.
func NewEscaper(w io.Writer) *Escaper { return &Escaper{w: w} }

// Write passes p on, made harmless. It reports all of p as written unless w failed.
func (e *Escaper) Write(p []byte) (int, error) {
	e.out = e.out[:0]
	for i := 0; i < len(p); {
		if len(e.held) == 0 && !e.cr {
			// The usual case, plain text, goes as one piece.
			n := plain(p[i:])
			if n > 0 {
				e.out = append(e.out, p[i:i+n]...)
				e.prev = rune(p[i+n-1])
				i += n
				continue
			}
		}
		e.step(p[i])
		i++
	}
	return len(p), e.flush()
}

// Close shows what was cut off at the end and turns colour off. It does not close w.
func (e *Escaper) Close() error {
	e.out = e.out[:0]
	switch held := e.held; {
	case len(held) == 0:
	case held[0] == 0x1b:
		e.release()
	default:
		e.rune(utf8.RuneError)
	}
	e.held, e.cr = e.held[:0], false
	if e.on {
		e.out = append(e.out, "\x1b[0m"...)
		e.on = false
	}
	return e.flush()
}

func (e *Escaper) flush() error {
	if len(e.out) == 0 {
		return nil
	}
	_, err := e.w.Write(e.out)
	if cap(e.out) > 1<<20 {
		e.out = nil // one huge write must not be paid for ever
	}
	return err
}

// plain is the length of the printable ASCII, tabs and newlines p begins with.
func plain(p []byte) int {
	for i, b := range p {
		if (b < 0x20 && b != '\n' && b != '\t') || b >= 0x7f {
			return i
		}
	}
	return len(p)
}

// step takes one byte.
func (e *Escaper) step(b byte) {
	switch {
	case len(e.held) == 0:
		e.ground(b)
	case e.held[0] == 0x1b:
		e.escape(b)
	default:
		e.character(b)
	}
}

func (e *Escaper) ground(b byte) {
	switch {
	case b == 0x1b:
		e.held = append(e.held, b)
	case b >= utf8.RuneSelf:
		e.character(b)
	case b == '\r':
		e.cr = true
	default:
		e.rune(rune(b))
	}
}

// escape goes on with ESC [ digits, until it is a colour or no longer can be.
func (e *Escaper) escape(b byte) {
	n := len(e.held)
	switch {
	case n == 1 && b == '[',
		n > 1 && n < maxSGR && (b >= '0' && b <= ';'):
		e.held = append(e.held, b)
		return
	case n > 1 && b == 'm':
		if on, ok := sgr(string(e.held[2:])); ok {
			if e.Color {
				e.carriage()
				e.out = append(append(e.out, e.held...), b)
				e.on = on
			}
			e.held = e.held[:0]
			return
		}
	}
	e.release()
	e.step(b)
}

// release shows a sequence that turned out to be none; all but its ESC is printable.
func (e *Escaper) release() {
	e.rune(0x1b)
	e.out = append(e.out, e.held[1:]...)
	e.held = e.held[:0]
	e.prev = 0
}

// character collects the bytes of one rune.
func (e *Escaper) character(b byte) {
	e.held = append(e.held, b)
	if !utf8.FullRune(e.held) {
		return
	}
	r, size := utf8.DecodeRune(e.held)
	var rest [utf8.UTFMax]byte
	n := copy(rest[:], e.held[size:])
	e.held = e.held[:0]
	e.rune(r)
	for _, b := range rest[:n] { // what followed a broken start is looked at again
		e.step(b)
	}
}

// rune writes one character, or its name when it would act instead of show.
func (e *Escaper) rune(r rune) {
	if r == '\n' {
		e.cr = false
	}
	e.carriage()
	if acts(r, e.prev) {
		e.out = appendName(e.out, r)
	} else {
		e.out = utf8.AppendRune(e.out, r)
	}
	e.prev = r
}

// carriage writes the CR that was waiting.
func (e *Escaper) carriage() {
	if !e.cr {
		return
	}
	e.cr = false
	if e.Redraw {
		e.out = append(e.out, '\r')
	} else {
		e.out = append(e.out, '\n')
	}
}
