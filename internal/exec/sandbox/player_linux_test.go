//go:build linux && (amd64 || arm64)

package sandbox

import (
	"encoding/binary"
	"io"
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"
)

// play runs a list that nothing but the player knows of and returns its exit
// code and what it sent on descriptor 3.
func play(t *testing.T, p *program) (int, []byte) {
	t.Helper()
	code, err := playerCode()
	if err != nil {
		t.Fatal(err)
	}
	image, err := executable(p.image(code, elfMachine))
	if err != nil {
		t.Fatal(err)
	}
	defer image.Close()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	c := exec.Command("/proc/self/fd/4")
	c.ExtraFiles = []*os.File{w, image}
	err = c.Run()
	w.Close()
	if c.ProcessState == nil {
		t.Fatal(err)
	}
	sent, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), sent
}

func exitWith(p *program, code int) { p.call(unix.SYS_EXIT_GROUP, num(code)) }

func TestPlayer(t *testing.T) {
	report := func(t *testing.T, p *program, sent []byte, op int, errno unix.Errno) {
		t.Helper()
		if len(sent) != 16 || binary.LittleEndian.Uint64(sent) != uint64(opsBase+op*opSize) || binary.LittleEndian.Uint64(sent[8:]) != uint64(errno) {
			t.Fatalf("reported %x, want op %d and errno %d", sent, op, errno)
		}
		if stepOf(binary.LittleEndian.Uint64(sent), p) != p.steps[op] {
			t.Fatal("the step has another name")
		}
	}
	for _, c := range []struct {
		name string
		list func(*program)
		code int
		sent string
		op   int
		err  unix.Errno
	}{
		{name: "plain calls", code: 7, sent: "hello", list: func(p *program) {
			p.call(unix.SYS_WRITE, num(3), p.str("hello"), num(5)).exactly(5)
			exitWith(p, 7)
		}},
		{name: "a result is kept and used", code: 8, sent: "dup", list: func(p *program) {
			fd := p.slot()
			p.call(unix.SYS_DUP, num(3)).keep(fd)
			p.call(unix.SYS_WRITE, fd.arg(), p.str("dup"), num(3))
			exitWith(p, 8)
		}},
		{name: "every argument can be loaded", code: 9, sent: "x", list: func(p *program) {
			three, one := slot(p.bytes([]byte{3, 0, 0, 0}, 4)), slot(p.bytes([]byte{1, 0, 0, 0}, 4))
			p.call(unix.SYS_WRITE, three.arg(), p.str("x"), one.arg())
			// futex(addr, WAIT, val 1, NULL, ...) on a word that holds 0 answers EAGAIN at once.
			word, zero := p.bytes(make([]byte, 4), 4), slot(p.bytes(make([]byte, 4), 4))
			p.call(unix.SYS_FUTEX, num(word), zero.arg(), one.arg(), zero.arg(), zero.arg(), num(0)).allow(unix.EAGAIN)
			exitWith(p, 9)
		}},
		{name: "a refused call", code: 70, op: 1, err: unix.EBADF, list: func(p *program) {
			p.begin("one")
			p.call(unix.SYS_GETPID)
			p.begin("two")
			p.call(unix.SYS_CLOSE, num(200))
			exitWith(p, 0)
		}},
		{name: "a foreseen errno goes on", code: 3, list: func(p *program) {
			p.call(unix.SYS_CLOSE, num(200)).allow(unix.EBADF)
			exitWith(p, 3)
		}},
		{name: "a foreseen errno jumps", code: 4, list: func(p *program) {
			over := &label{}
			p.call(unix.SYS_CLOSE, num(200)).allow(unix.EBADF)
			p.ifErrno(over)
			exitWith(p, 3)
			p.here(over)
			exitWith(p, 4)
		}},
		{name: "another errno than the foreseen", code: 70, op: 0, err: unix.EBADF, list: func(p *program) {
			p.call(unix.SYS_CLOSE, num(200)).allow(unix.EPERM)
			exitWith(p, 0)
		}},
		{name: "a zero jumps", code: 5, list: func(p *program) {
			over := &label{}
			p.call(unix.SYS_UMASK, num(0))
			p.call(unix.SYS_UMASK, num(0))
			p.ifZero(over)
			exitWith(p, 3)
			p.here(over)
			exitWith(p, 5)
		}},
		{name: "less than was asked for", code: 70, op: 0, err: unix.EPIPE, list: func(p *program) {
			p.call(unix.SYS_READ, num(0), num(p.bytes(make([]byte, 8), 8)), num(8)).exactly(8) // the null device
			exitWith(p, 0)
		}},
		{name: "a check that holds", code: 6, list: func(p *program) {
			p.check(p.words(0xff12), 0xff, 0x12, unix.ESTALE)
			exitWith(p, 6)
		}},
		{name: "a check that does not", code: 70, op: 0, err: unix.ESTALE, list: func(p *program) {
			p.check(p.words(0xff12), 0xff, 0x13, unix.ESTALE)
			exitWith(p, 0)
		}},
		{name: "fork and wait until the right child", code: 11, list: func(p *program) {
			child, pid := &label{}, p.slot()
			p.call(unix.SYS_CLONE, num(int(unix.SIGCHLD)), num(0), num(0), num(0), num(0))
			p.ifZero(child)
			p.call(unix.SYS_CLONE, num(int(unix.SIGCHLD)), num(0), num(0), num(0), num(0)).keep(pid)
			p.ifZero(child)
			p.call(unix.SYS_WAIT4, num(-1), num(0), num(0), num(0)).until(pid)
			exitWith(p, 11)
			p.here(child)
			exitWith(p, 0)
		}},
		{name: "any errno is foreseen and kept", code: 9, list: func(p *program) { // EBADF
			errno := p.slot()
			p.call(unix.SYS_CLOSE, num(200)).keep(errno).allow(anyErrno)
			p.check(uint64(errno), 0xffffffff, 0x100000000-uint64(unix.EBADF), unix.ESTALE)
			exitWith(p, 9)
		}},
		{name: "a list is called and returns", code: 21, sent: "in", list: func(p *program) {
			// The player is the one function at hand, so it calls itself: ops 4 and up, as C would.
			const entry = codeBase + 64 + 4*56
			result := p.slot()
			p.function(entry, num(opsBase+4*opSize), num(dataBase)).keep(result)
			p.check(uint64(result), 0xffffffff, 21, unix.ESTALE)
			p.function(entry, num(opsBase+6*opSize), num(dataBase)).plain() // its result, -1, is none
			exitWith(p, 21)
			p.call(unix.SYS_WRITE, num(3), p.str("in"), num(2)).exactly(2)
			p.back(num(21))
			p.back(num(-1))
		}},
		{name: "a function fails", code: 70, op: 0, err: unix.EPERM, list: func(p *program) {
			p.function(codeBase+64+4*56, num(opsBase+opSize), num(dataBase)) // -1, as C's functions say it
			p.back(num(-1))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newOpening("")
			p.begin("a step")
			c.list(p)
			code, sent := play(t, p)
			if code != c.code {
				t.Fatalf("exit %d, want %d", code, c.code)
			}
			if c.err != 0 {
				report(t, p, sent, c.op, c.err)
			} else if string(sent) != c.sent {
				t.Fatalf("sent %q, want %q", sent, c.sent)
			}
		})
	}
}
