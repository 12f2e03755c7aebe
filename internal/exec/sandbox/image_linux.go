//go:build amd64 || arm64

package sandbox

import (
	"encoding/binary"
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// image is the opening as a static ELF executable without a stack of its own, symbols or sections.
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
	out = p.encode(out)
	out = append(out, make([]byte, dataAt-len(out))...)
	return append(out, p.data...)
}

// encode appends the ops as the player reads them.
func (p *program) encode(out []byte) []byte {
	le := binary.LittleEndian
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
	return out
}

// restDataAt is where the data begins in the memory file of a rest: far behind
// any list of ops, and little enough for a small limit on file size.
const restDataAt = 1 << 20

// sheet is a rest as the memory file that pid 1 maps.
func (p *program) sheet() (*os.File, error) {
	ops := p.encode(make([]byte, 0, len(p.ops)*opSize))
	if len(ops) > restDataAt {
		return nil, unix.E2BIG
	}
	f, err := memoryFile("pyrun-list", 0)
	if err != nil {
		return nil, err
	}
	if _, err := f.Write(ops); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if _, err := f.WriteAt(p.data, restDataAt); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, seal(f)
}

// executable is an opening as a memory file that can be executed.
func executable(image []byte) (*os.File, error) {
	const executable = 0x10 // MFD_EXEC, since Linux 6.3
	f, err := memoryFile("pyrun-init", executable)
	if errors.Is(err, unix.EINVAL) {
		f, err = memoryFile("pyrun-init", 0)
	}
	if err != nil {
		return nil, err
	}
	if _, err := f.Write(image); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, seal(f)
}

func memoryFile(name string, flags int) (*os.File, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING|flags)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), name), nil
}

// seals make sure that nobody can change a memory file any more.
const seals = unix.F_SEAL_SEAL | unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_WRITE

// seal closes f when that fails.
func seal(f *os.File) error {
	if _, err := unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS, seals); err != nil {
		return errors.Join(err, f.Close())
	}
	return nil
}
