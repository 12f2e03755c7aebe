package exec

// Both ends of the talk with a parser: one writes sources, one reads what is told of them.

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/pyrun-dev/pyrun/internal/exec/python"
)

// listener reads what a parser says, line by line.
type listener struct {
	from     *os.File
	buffer   *bufio.Reader
	patience time.Duration
}

// line is the next line, at most most bytes of it.
func (l *listener) line(most int) ([]byte, error) {
	_ = l.from.SetReadDeadline(time.Now().Add(l.patience))
	var line []byte
	for {
		part, err := l.buffer.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > most:
			return nil, fmt.Errorf("it said more than %d bytes", most)
		case err == nil:
			return line, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

func (l *listener) facts() (python.Facts, error) {
	line, err := l.line(python.MaxFacts)
	if err != nil {
		return python.Facts{}, err
	}
	return python.ParseFacts(line)
}

// feeder writes sources into a parser.
type feeder struct {
	to       *os.File
	left     []*unit // to be sent first; when sent is closed, those that were not sent
	work     <-chan *unit
	plain    []string
	standard map[string]bool
	sent     chan *unit // closed at the end
	stop     chan struct{}
}

func (f *feeder) run() {
	defer close(f.sent)
	defer f.to.Close()
	var local []string
	told := false
	for {
		u, ok := f.next()
		if !ok {
			return
		}
		// Before it is written, so that a parser that dies of it is seen to; what is
		// needed is taken first, for a liar's answer may come before the question.
		code, module, beside := u.Code, u.Package, u.Local
		select {
		case f.sent <- u:
		case <-f.stop:
			f.left = append([]*unit{u}, f.left...)
			return
		}
		if !told || !slices.Equal(local, beside) {
			told, local = true, beside
			if f.tell(local) != nil {
				return
			}
		}
		if python.WriteSource(f.to, code, module) != nil {
			return // the listener will know why
		}
	}
}

// tell says which imports need no look.
func (f *feeder) tell(local []string) error {
	plain, closer := slices.Clone(f.plain), []string(nil)
	for _, name := range local {
		switch {
		case f.standard[name]:
			closer = append(closer, name)
		case !strings.HasPrefix(name, "!") && !strings.Contains(name, "\n"):
			plain = append(plain, name)
		}
	}
	return python.WriteKnown(f.to, plain, closer)
}

func (f *feeder) next() (*unit, bool) {
	if len(f.left) > 0 {
		u := f.left[0]
		f.left = f.left[1:]
		return u, true
	}
	select {
	case u, ok := <-f.work:
		return u, ok
	case <-f.stop:
		return nil, false
	}
}

// halt stops a feeder whose parser is dead and returns what was not judged, in order.
func (f *feeder) halt() []*unit {
	close(f.stop)
	_ = f.to.SetWriteDeadline(time.Now())
	var all []*unit
	for u := range f.sent {
		all = append(all, u)
	}
	return append(all, f.left...)
}
