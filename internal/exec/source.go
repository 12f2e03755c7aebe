package exec

// What makes bytes unfit to be Python source, before any interpreter sees them.

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// fault is why a text is no source. It fits behind "the source" and behind the
// name of a request's field.
type fault struct {
	rule string // its code as a diagnostic
	at   int    // the byte where it shows; -1 for the text as a whole
	msg  string
	fix  string
}

// sourceFault finds what no interpreter could read as it was meant; nil when there is nothing.
func sourceFault(code []byte, limit int64) *fault {
	if int64(len(code)) > limit {
		return &fault{ruleLarge, -1, fmt.Sprintf("is %d bytes long, at most %d", len(code), limit), "pass data as an input file instead of inside the code"}
	}
	if bytes.HasPrefix(code, []byte{0xff, 0xfe}) || bytes.HasPrefix(code, []byte{0xfe, 0xff}) {
		return &fault{ruleEncoding, -1, "is UTF-16, which Python does not read", "save it as UTF-8"}
	}
	if i := bytes.IndexByte(code, 0); i >= 0 {
		return &fault{ruleNUL, i, fmt.Sprintf("has a NUL byte in line %d, so it is not Python source", lineAt(code, i)), ""}
	}
	if i := surrogate(code); i >= 0 && !hasCookie(code) {
		return &fault{ruleSurrogate, i, fmt.Sprintf("has a lone surrogate in line %d, which is half a character", lineAt(code, i)), "send the whole character, or write it as an escape in the source"}
	}
	return nil
}

// encodingFault is sourceFault for what an interpreter would tell as well, though not as clearly.
func encodingFault(code []byte) *fault {
	if utf8.Valid(code) || hasCookie(code) {
		return nil
	}
	at := invalidAt(code)
	return &fault{
		ruleEncoding, at, fmt.Sprintf("is not UTF-8: byte 0x%02x in line %d, and no encoding is declared", code[at], lineAt(code, at)),
		"save it as UTF-8, or declare its encoding in the first line: # coding: latin-1",
	}
}

// invalidAt is the first byte that is not UTF-8, or 0.
func invalidAt(p []byte) int {
	for i := 0; i < len(p); {
		r, n := utf8.DecodeRune(p[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return 0
}

// surrogate finds the bytes of a UTF-16 surrogate written as UTF-8; -1 without.
func surrogate(p []byte) int {
	if utf8.Valid(p) {
		return -1
	}
	for i := 0; i+2 < len(p); i++ {
		if p[i] == 0xed && p[i+1] >= 0xa0 && p[i+1] <= 0xbf && p[i+2] >= 0x80 && p[i+2] <= 0xbf {
			return i
		}
	}
	return -1
}

// hasCookie says whether one of the first two lines declares an encoding, as Python looks for it.
func hasCookie(code []byte) bool {
	for range 2 {
		end := bytes.IndexAny(code, "\r\n")
		line := code
		if end >= 0 {
			line = code[:end]
		}
		line = bytes.TrimLeft(line, " \t\f\ufeff")
		comment := bytes.HasPrefix(line, []byte("#"))
		if comment {
			if _, after, ok := bytes.Cut(line, []byte("coding")); ok && len(after) > 0 && (after[0] == ':' || after[0] == '=') {
				return true
			}
		}
		if end < 0 || len(line) > 0 && !comment {
			return false
		}
		if code[end] == '\r' && end+1 < len(code) && code[end+1] == '\n' {
			end++
		}
		code = code[end+1:]
	}
	return false
}

// What to do about source that did not arrive as it was meant, for hints and diagnostics.
const (
	fixFence    = "send only what stands between the ``` lines"
	fixNewlines = "send real line breaks"
	fixAwait    = "put the code into async def main() and call asyncio.run(main())"
)

// mangled says how code that does not compile was spoiled on its way here:
// ruleFence or ruleNewlines and the line that shows it, or nothing. errorLine is
// where the compiler stopped; 0 is not known.
func mangled(code []byte, errorLine int) (rule string, line int) {
	text := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimPrefix(string(code), "\ufeff"))
	if strings.Contains(text, `\n`) && strings.Count(strings.TrimSpace(text), "\n") == 0 {
		return ruleNewlines, 1
	}
	n, first := 0, 0
	for line := range strings.SplitSeq(text, "\n") {
		n++
		line = strings.TrimLeft(line, " \t")
		if first == 0 && line != "" {
			first = n
		}
		fence := strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")
		// In a docstring a fence may stand anywhere; words above it are where the compiler stops.
		if fence && (n == first || n == errorLine || errorLine == first && n-first <= 5) {
			return ruleFence, n
		}
		if n > max(errorLine, first+5) && first > 0 {
			break
		}
	}
	return "", 0
}
