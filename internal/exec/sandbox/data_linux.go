//go:build amd64 || arm64

package sandbox

import "encoding/binary"

// bytes puts b into the data, aligned, and returns its address in the child.
func (p *program) bytes(b []byte, align int) uint64 {
	for len(p.data)%align != 0 {
		p.data = append(p.data, 0)
	}
	at := p.base + uint64(len(p.data))
	p.data = append(p.data, b...)
	return at
}

func (p *program) str(s string) arg {
	at := p.base + uint64(len(p.data))
	p.data = append(append(p.data, s...), 0)
	return num(at)
}

func (p *program) slot() slot { return slot(p.bytes(make([]byte, 4), 4)) }

// words lays out 64-bit values one after the other.
func (p *program) words(vs ...uint64) uint64 {
	b := make([]byte, 0, 8*len(vs))
	for _, v := range vs {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return p.bytes(b, 8)
}

// strings lays out a NULL-ended array of C strings.
func (p *program) strings(list []string) uint64 {
	ptrs := make([]uint64, 0, len(list)+1)
	for _, s := range list {
		ptrs = append(ptrs, p.str(s).value)
	}
	return p.words(append(ptrs, 0)...)
}
