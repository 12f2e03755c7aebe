package exec

// What is wrong with one source, from its text and from what the parser told.
// Pure. The parser's word is hostile: it is clamped to the source it speaks of.

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pyrun-dev/pyrun/internal/exec/python"
)

const (
	maxFindings = 100  // of one source
	maxText     = 4096 // bytes of a source line that is shown
)

// knowledge is what a source is judged by.
type knowledge struct {
	version   string // of the interpreter
	standard  map[string]bool
	installed map[string]bool // what can be imported beside the standard library
	allowed   func() []pkg    // read when the first import finds nothing; nil where none is
}

// listed is what packages there could be.
func (k knowledge) listed() []pkg {
	if k.allowed == nil {
		return nil
	}
	return k.allowed()
}

// subject is the source that is judged. It is not safe for concurrent use.
type subject struct {
	Source
	starts []int // of its lines, in bytes; made on first use
}

// judge says all that is wrong with a source that could be parsed or tried to be.
func judge(s *subject, f python.Facts, k knowledge) []Diagnostic {
	found := judgeMetadata(s, k.version)
	switch {
	case f.Error != nil:
		found = append(found, judgeSyntax(s, *f.Error))
	case f.Failed != "":
		found = append(found, judgeFailure(s, f.Failed))
	default:
		found = append(found, judgeImports(s, f.Imports, k)...)
	}
	return inOrder(found)
}

// inOrder sorts by place and keeps no more than anybody reads.
func inOrder(found []Diagnostic) []Diagnostic {
	slices.SortStableFunc(found, func(a, b Diagnostic) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	return found[:min(len(found), maxFindings)]
}

// judgeSyntax turns a SyntaxError into what it most likely means.
func judgeSyntax(s *subject, e python.SyntaxFact) Diagnostic {
	message := clip(toValid([]byte(e.Message)), 500)
	line, _ := s.clamp(e.Place)
	switch {
	case isEncoding(message):
		at := e.Place
		if i := invalidAt(s.Code); !utf8.Valid(s.Code) {
			at = s.placeOf(i, 1)
		} else if n := s.cookieLine(); at[0] < 1 && n > 0 {
			at = python.Span{n, 1}
		}
		return s.at(at, ruleEncoding, SeverityProblem, message, "save it as UTF-8, and let its first line say so or nothing", e.Text)
	case e.Await:
		return s.at(e.Place, ruleAwait, SeverityProblem, "await stands outside of a function", fixAwait, e.Text)
	}
	switch how, n := mangled(s.Code, line); how {
	case ruleFence:
		return s.at(python.Span{n, 1, n, 4}, ruleFence, SeverityProblem, "the code is inside a Markdown fence", fixFence, e.Text)
	case ruleNewlines:
		return s.at(python.Span{1, 1}, ruleNewlines, SeverityProblem, `the code is one line with \n written out`, fixNewlines, e.Text)
	}
	return s.at(e.Place, ruleSyntax, SeverityProblem, message, "", e.Text)
}

// isEncoding knows what CPython says of bytes it cannot decode.
func isEncoding(message string) bool {
	return has(message, "unknown encoding", "encoding problem", "Non-UTF-8 code", "codec can't decode", "invalid non-UTF-8", "decoding error") &&
		!has(message, "(unicode error) 'unicodeescape'", "(unicode error) 'rawunicodeescape'")
}

// judgeFailure is for a compiler that gave up in good order.
func judgeFailure(s *subject, kind string) Diagnostic {
	switch kind {
	case "RecursionError", "MemoryError":
		return s.whole(ruleDeep, "the source is nested too deeply or too large for this interpreter to compile ("+kind+")", "cut the expression into pieces, or move data into an input file")
	}
	return s.whole(ruleCrash, "this interpreter cannot compile the source ("+shown(kind)+")", "")
}

// whole is a diagnostic of the source as a whole.
func (s *subject) whole(rule, message, fix string) Diagnostic {
	return Diagnostic{File: s.Name, Code: rule, Severity: SeverityProblem, Message: message, Fix: fix}
}

// at is a diagnostic at a place, clamped to the source. Text stands for the line
// where the source is not UTF-8 and only Python could decode it.
func (s *subject) at(p python.Span, rule string, severity Severity, message, fix, text string) Diagnostic {
	d := Diagnostic{File: s.Name, Code: rule, Severity: severity, Message: message, Fix: fix}
	line, ok := s.clamp(p)
	if !ok {
		return d
	}
	own := s.line(line)
	if text == "" || utf8.Valid(s.Code) {
		text = toValid(own)
	}
	d.Line, d.EndLine = line, line
	d.Column = min(max(p[1], 1), utf8.RuneCountInString(text)+1)
	d.EndColumn = d.Column + 1
	if end := p[2]; end > line && end <= s.lines() {
		d.EndLine, d.EndColumn = end, min(max(p[3], 1), utf8.RuneCount(s.line(end))+1)
	} else if end == line && p[3] > d.Column {
		d.EndColumn = min(p[3], utf8.RuneCountInString(text)+1)
		d.EndColumn = max(d.EndColumn, d.Column+1)
	}
	d.Text = clipLine(toValid([]byte(text)))
	return d
}

// clipLine cuts without a mark: a mark would be taken for source.
func clipLine(s string) string {
	if len(s) <= maxText {
		return s
	}
	n := maxText
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// clamp gives the line of a place; false when it lies outside of the source.
func (s *subject) clamp(p python.Span) (int, bool) {
	if p[0] < 1 || s.lines() == 0 {
		return 0, false
	}
	return min(p[0], s.lines()), true
}

// placeOf is the place of some characters from byte i on.
func (s *subject) placeOf(i, width int) python.Span {
	line := lineAt(s.Code, i)
	column := 1 + utf8.RuneCount(s.Code[max(s.start(line), 0):i])
	if line == 1 && bytes.HasPrefix(s.Code, bom) {
		column = max(1, column-1)
	}
	return python.Span{line, column, line, column + width}
}

// split notes where lines begin: LF, CRLF and CR end one, as Python has it.
func (s *subject) split() {
	if s.starts != nil {
		return
	}
	s.starts = append(make([]int, 0, 1+bytes.Count(s.Code, newline)), 0)
	for i, c := range s.Code {
		if c == '\n' || c == '\r' && (i+1 == len(s.Code) || s.Code[i+1] != '\n') {
			s.starts = append(s.starts, i+1)
		}
	}
}

func (s *subject) lines() int { s.split(); return len(s.starts) }

func (s *subject) start(line int) int { s.split(); return s.starts[line-1] }

// line is the text of a line that exists, without its end and without a byte order mark.
func (s *subject) line(n int) []byte {
	end := len(s.Code)
	if n < s.lines() {
		end = s.starts[n]
	}
	text := bytes.TrimRight(s.Code[s.starts[n-1]:end], "\r\n")
	if n == 1 {
		text = bytes.TrimPrefix(text, bom)
	}
	return text
}

// cookieLine is the line that declares an encoding, 0 without one.
func (s *subject) cookieLine() int {
	for n := 1; n <= min(2, s.lines()); n++ {
		if line := string(s.line(n)); strings.HasPrefix(strings.TrimLeft(line, " \t\f"), "#") && strings.Contains(line, "coding") {
			return n
		}
	}
	return 0
}

var bom = []byte("\xef\xbb\xbf")
