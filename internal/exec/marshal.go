package exec

// A Result as JSON: keys in the order of the struct, and no byte that a
// terminal or a line-minded reader could obey.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode"
	"unicode/utf8"
)

// Encode writes the Result as one JSON object and a newline, indented by indent
// when that is not empty. HTML's characters stay as they are; DEL, C1 controls
// and invisible or text-direction characters are escaped, which only a reader
// of raw bytes can tell.
func (r *Result) Encode(w io.Writer, indent string) error { return Encode(w, "result", r, indent) }

// Encode is Result.Encode for whatever else is told as JSON: names in it are
// somebody else's too. An error calls it what.
func Encode(w io.Writer, what string, v any, indent string) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("encode the %s: %w", what, err)
	}
	_, err := w.Write(escapeInvisible(b.Bytes()))
	return err
}

// escapeInvisible may treat JSON text as flat: outside of strings it is plain ASCII.
func escapeInvisible(p []byte) []byte {
	var out []byte
	done := 0
	for i := 0; i < len(p); {
		if p[i] < utf8.RuneSelf && p[i] != 0x7f {
			i++
			continue
		}
		r, n := utf8.DecodeRune(p[i:])
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			out = append(out, p[done:i]...)
			if r > 0xffff {
				r -= 0x10000
				out = fmt.Appendf(out, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
			} else {
				out = fmt.Appendf(out, `\u%04x`, r)
			}
			done = i + n
		}
		i += n
	}
	if done == 0 {
		return p
	}
	return append(out, p[done:]...)
}
