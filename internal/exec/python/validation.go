// validate.py, which parses inside, and the words that go in and out of it.
// What comes out was told by a process that strangers' sources may have taken
// over: it is bounded, parsed strictly, and says nothing but what one source is
// accused of.

package python

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

//go:embed validate.py
var validator []byte

// Bounds of what validate.py may say, in bytes of one line.
const (
	MaxReady = 1 << 20
	MaxFacts = 256 << 10
)

// Validator is the file that ValidatorCommand starts.
func Validator() []byte { return validator }

// ValidatorCommand is the argument vector that parses sources in i. File is
// where Validator stands; outside says that nothing is mounted (see Job).
func ValidatorCommand(i *Interpreter, file string, outside bool) []string {
	program := i.Path
	if outside {
		program = i.Source
	}
	argv := []string{program, "-I", "-X", "utf8", "-B"}
	if i.Embedded && len(i.Packages) == 0 {
		argv = append(argv, "-S") // nothing for the site module to find
	}
	return append(argv, file)
}

// Ready is what the interpreter says before it has seen a source.
type Ready struct {
	Standard  []string `json:"stdlib"`    // the names of the standard library
	Installed []string `json:"installed"` // the other names that can be imported
}

// ParseReady reads the first line.
func ParseReady(line []byte) (Ready, error) {
	var r Ready
	if err := strictly(line, &r); err != nil {
		return Ready{}, fmt.Errorf("read what the interpreter offers: %w", err)
	}
	if len(r.Standard) == 0 {
		return Ready{}, errors.New("read what the interpreter offers: no standard library")
	}
	return r, nil
}

// WriteKnown tells which imports need no look: those of the standard library,
// and plain, but for closer.
func WriteKnown(w io.Writer, plain, closer []string) error {
	names := append([]string(nil), plain...)
	for _, name := range closer {
		names = append(names, "!"+name)
	}
	return writeFrame(w, 'K', []byte(strings.Join(names, "\n")))
}

// WriteSource sends one source; module says that it lies in a package.
func WriteSource(w io.Writer, source []byte, module bool) error {
	tag := byte('S')
	if module {
		tag = 'M'
	}
	return writeFrame(w, tag, source)
}

func writeFrame(w io.Writer, tag byte, data []byte) error {
	frame := append(make([]byte, 0, 5+len(data)), tag)
	frame = binary.BigEndian.AppendUint32(frame, uint32(len(data)))
	_, err := w.Write(append(frame, data...))
	return err
}

// Facts is what is told of one source; all of it is empty when there is nothing to tell.
type Facts struct {
	Error   *SyntaxFact  `json:"error"`   // it does not compile
	Failed  string       `json:"failed"`  // the compiler gave up: "MemoryError", "RecursionError"
	Imports []ImportFact `json:"imports"` // those that need a look
}

// SyntaxFact is a SyntaxError.
type SyntaxFact struct {
	Message string `json:"message"`
	Place   Span   `json:"place"`
	Await   bool   `json:"await"` // all that is wrong is an await outside of a function
	Text    string `json:"text"`  // the line, of a source that is not UTF-8
}

// ImportFact is an import of a name that is not known, or known twice.
type ImportFact struct {
	Name    string  `json:"name"`  // "a.b"; empty in `from . import x`
	Level   int     `json:"level"` // dots of a relative import
	Dynamic bool    `json:"dynamic"`
	Place   Span    `json:"place"`
	Guards  []Guard `json:"guards"` // outermost first
	Text    string  `json:"text"`   // as in SyntaxFact
}

// Guard is a condition around an import: "caught" in the body of the try
// statement numbered Group (0: of a suppress), "fallback" in its handlers, "else"
// in its else; "checking" where only type checkers go; "condition" under a
// test of platform or version.
type Guard struct {
	Kind  string `json:"kind"`
	Group int    `json:"group"`
}

// Span is a range: line and column, end line and column past the end; from 1, in
// characters. What Python does not say is 0 or less.
type Span [4]int

// ParseFacts reads one line. It takes no fact apart from its form: a range may
// lie outside of the source.
func ParseFacts(line []byte) (Facts, error) {
	var f Facts
	if err := strictly(line, &f); err != nil {
		return Facts{}, fmt.Errorf("read what was told of a source: %w", err)
	}
	for _, i := range f.Imports {
		if i.Level < 0 || i.Level == 0 && i.Name == "" {
			return Facts{}, errors.New("read what was told of a source: an import of nothing")
		}
	}
	return f, nil
}

func strictly(line []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("more than one value")
	}
	return nil
}
