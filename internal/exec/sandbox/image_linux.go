//go:build amd64 || arm64

package sandbox

import "encoding/binary"

// image is the program as a static ELF executable without a stack of its own, symbols or sections.
func (p *program) image(code []byte, machine uint16) []byte {
	const page, headers = 4096, 64 + 4*56
	up := func(n int) int { return (n + page - 1) &^ (page - 1) }
	le := binary.LittleEndian
	opsAt := up(headers + len(code))
	dataAt := up(opsAt + len(p.ops)*opSize)

	out := make([]byte, 0, dataAt+len(p.data))
	out = append(out, "\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00"...)
	out = le.AppendUint16(out, 2) // ET_EXEC
	out = le.AppendUint16(out, machine)
	out = le.AppendUint32(out, 1)
	out = le.AppendUint64(out, codeBase+headers) // entry
	out = le.AppendUint64(out, 64)               // program headers follow
	out = le.AppendUint64(out, 0)
	out = le.AppendUint32(out, 0)
	for _, v := range []uint16{64, 56, 4, 0, 0, 0} {
		out = le.AppendUint16(out, v)
	}
	segment := func(kind, flags uint32, off, addr, size int) {
		out = le.AppendUint32(out, kind)
		out = le.AppendUint32(out, flags)
		for _, v := range []int{off, addr, addr, size, size, page} {
			out = le.AppendUint64(out, uint64(v))
		}
	}
	const load, stack = 1, 0x6474e551
	segment(load, 5, 0, codeBase, headers+len(code)) // read, execute
	segment(load, 4, opsAt, opsBase, len(p.ops)*opSize)
	segment(load, 6, dataAt, dataBase, len(p.data)) // read, write
	segment(stack, 6, 0, 0, 0)

	out = append(out, code...)
	out = append(out, make([]byte, opsAt-len(out))...)
	for _, o := range p.ops {
		out = le.AppendUint32(out, o.nr)
		out = append(out, o.load, o.expect)
		out = le.AppendUint16(out, o.foreseen)
		for _, a := range o.args {
			out = le.AppendUint64(out, a)
		}
		out = le.AppendUint64(out, o.store)
		out = le.AppendUint32(out, o.onErrno)
		out = le.AppendUint32(out, o.onZero)
		out = le.AppendUint64(out, o.want)
	}
	out = append(out, make([]byte, dataAt-len(out))...)
	return append(out, p.data...)
}
