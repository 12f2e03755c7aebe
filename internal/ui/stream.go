package ui

import (
	"bytes"
	"io"
	"sync"
)

// screen is where two streams may meet: it knows whether the cursor stands at
// the start of a line, and keeps their writes whole.
type screen struct {
	mu    sync.Mutex
	start bool // nothing stands on the current line
	wrote bool // the script wrote something
}

// Stream is the live output of a script: to a terminal through an Escaper, to
// anything else byte for byte. It is safe beside its sibling, not with itself.
type Stream struct {
	w      io.Writer
	esc    *Escaper // nil: bytes pass untouched
	screen *screen  // nil: this stream is not where pyrun speaks
	lines  int
	bytes  int64
}

// Live returns writers for the script's stdout and stderr. With raw, a
// terminal gets the bytes as they are. Finish must follow.
func (u *UI) Live(raw bool) (stdout, stderr *Stream) {
	stdout = u.stream(u.out, u.outTTY && !raw, u.outColor)
	stderr = u.stream(u.err, u.errTTY && !raw, u.errColor)
	stderr.screen = u.screen
	if u.outTTY && u.errTTY {
		stdout.screen = u.screen
	}
	u.live = []*Stream{stdout, stderr}
	return stdout, stderr
}

func (u *UI) stream(w io.Writer, escape, color bool) *Stream {
	s := &Stream{w: w}
	if escape {
		s.esc = NewEscaper(w)
		s.esc.Color, s.esc.Redraw = color, u.redraw
	}
	return s
}

// Write is one piece of the script's output.
func (s *Stream) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	s.lines += bytes.Count(p, []byte{'\n'})
	s.bytes += int64(len(p))
	if s.screen != nil {
		s.screen.mu.Lock()
		defer s.screen.mu.Unlock()
		s.screen.wrote = true
		s.screen.start = p[len(p)-1] == '\n'
	}
	if s.esc != nil {
		return s.esc.Write(p)
	}
	return s.w.Write(p)
}

// Lines is how many newlines have passed.
func (s *Stream) Lines() int { return s.lines }

// Finish ends the live streams: what was cut off is shown, colour is turned off.
func (u *UI) Finish() error {
	var first error
	for _, s := range u.live {
		if s.esc == nil {
			continue
		}
		if err := s.esc.Close(); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// say writes pyrun's own words to stderr, on a line of their own. A lost
// stderr is nobody's to report to.
func (u *UI) say(text string) {
	u.screen.mu.Lock()
	defer u.screen.mu.Unlock()
	if !u.screen.start {
		text = "\n" + text
		u.screen.start = true
	}
	_, _ = io.WriteString(u.err, text)
}
