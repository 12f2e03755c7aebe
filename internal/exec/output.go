package exec

// What a stream wrote: the head and the tail are kept, all of it is counted.

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// snap is how far a cut moves to fall between lines rather than in one: half a
// number read as a whole one misleads.
const snap = 512

// keeper holds the first and the last bytes of a stream in bounded memory.
// It is not safe for concurrent use.
type keeper struct {
	half  int // bytes kept at each end
	head  []byte
	tail  []byte // a ring once it has grown to half
	next  int    // where the ring goes on
	total int64
	lines int64 // newlines in all
}

func newKeeper(limit int64) *keeper { return &keeper{half: int(max(limit/2, 1))} }

// add takes the next bytes of the stream.
func (k *keeper) add(p []byte) {
	k.total += int64(len(p))
	k.lines += int64(bytes.Count(p, newline))
	if room := k.half - len(k.head); room > 0 {
		n := min(room, len(p))
		k.head = append(k.head, p[:n]...)
		p = p[n:]
	}
	if len(p) >= k.half {
		p = p[len(p)-k.half:]
		k.tail, k.next = append(k.tail[:0], p...), 0
		return
	}
	if room := k.half - len(k.tail); room > 0 {
		n := min(room, len(p))
		k.tail = append(k.tail, p[:n]...)
		p = p[n:]
	}
	for len(p) > 0 {
		n := copy(k.tail[k.next:], p)
		k.next = (k.next + n) % k.half
		p = p[n:]
	}
}

// end is the last bytes of the stream, at most n of them.
func (k *keeper) end(n int) []byte {
	all := k.unrolled()
	if len(all) < n && k.total == int64(len(k.head)+len(all)) {
		all = append(append([]byte(nil), k.head...), all...)
	}
	return all[max(0, len(all)-n):]
}

func (k *keeper) unrolled() []byte {
	return append(append(make([]byte, 0, len(k.tail)), k.tail[k.next:]...), k.tail[:k.next]...)
}

// cut says whether bytes were left out.
func (k *keeper) cut() bool { return k.total > int64(len(k.head)+len(k.tail)) }

// text is what was kept as valid UTF-8, with one line in place of what was not.
func (k *keeper) text() string {
	head, tail := k.head, k.unrolled()
	if !k.cut() {
		return toValid(append(append(make([]byte, 0, len(head)+len(tail)), head...), tail...))
	}
	head, tail = trimHead(head), trimTail(tail)
	bytesOut := k.total - int64(len(head)+len(tail))
	linesOut := k.lines - int64(bytes.Count(head, newline)+bytes.Count(tail, newline))
	var b strings.Builder
	b.WriteString(toValid(head))
	if len(head) > 0 && head[len(head)-1] != '\n' {
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "... [%d bytes, %d lines omitted] ...\n", bytesOut, linesOut)
	b.WriteString(toValid(tail))
	return b.String()
}

// trimHead moves the end of a head back to a line's end, or at least out of a rune.
func trimHead(p []byte) []byte {
	if i := bytes.LastIndexByte(p, '\n'); i >= 0 && len(p)-i-1 <= min(snap, len(p)/8) {
		return p[:i+1]
	}
	for i := len(p) - 1; i >= 0 && i >= len(p)-utf8.UTFMax+1; i-- {
		if utf8.RuneStart(p[i]) {
			if !utf8.FullRune(p[i:]) {
				return p[:i]
			}
			break
		}
	}
	return p
}

// trimTail moves the start of a tail on to a line's start, or at least out of a rune.
func trimTail(p []byte) []byte {
	if i := bytes.IndexByte(p, '\n'); i >= 0 && i < min(snap, len(p)/8) {
		return p[i+1:]
	}
	for i := 0; i < len(p) && i < utf8.UTFMax; i++ {
		if utf8.RuneStart(p[i]) {
			return p[i:]
		}
	}
	return p
}

// toValid replaces each invalid byte by U+FFFD.
func toValid(p []byte) string {
	if utf8.Valid(p) {
		return string(p)
	}
	var b strings.Builder
	b.Grow(len(p) + len(p)/8)
	for _, r := range string(p) { // ranging gives U+FFFD, one byte at a time
		b.WriteRune(r)
	}
	return b.String()
}

var newline = []byte{'\n'}
