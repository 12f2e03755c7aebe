//go:build amd64 || arm64

package sandbox

import (
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// span is a piece of a zygote's memory.
type span struct {
	at, size uint64
	written  bool
}

// maxSpans is how many are taken; a list has room for many more.
const maxSpans = 2000

// spansOf reads the spans of a hello: two counts, 32 bits each, of those that
// are written and of those that are read, then address and size of each. What
// follows them is text. A zygote that says something else has none.
func spansOf(hello []byte) (spans []span, text []byte) {
	le := binary.LittleEndian
	if len(hello) < 8 {
		return nil, hello
	}
	written := uint64(le.Uint32(hello))
	all := written + uint64(le.Uint32(hello[4:]))
	if all > maxSpans || uint64(len(hello)) < 8+16*all {
		return nil, hello[8:]
	}
	hello = hello[8:]
	for n := range all {
		spans = append(spans, span{le.Uint64(hello), le.Uint64(hello[8:]), n < written})
		hello = hello[16:]
	}
	return spans, hello
}

// touch has the kernel give a process all at once what it is about to touch: a
// page that is missed costs several times as much. It is the process's own memory,
// counted as ever, and where a span is none of its memory any more, or the
// kernel does not know the advice (before 5.14), nothing happens.
func touch(p *program, spans []span) {
	p.begin("touch the memory that a run touches")
	refused := p.slot()
	for _, s := range spans {
		advice := unix.MADV_POPULATE_READ
		if s.written {
			advice = unix.MADV_POPULATE_WRITE
		}
		p.call(unix.SYS_MADVISE, num(s.at), num(s.size), num(advice)).keep(refused).allow(anyErrno)
	}
}
