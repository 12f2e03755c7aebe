//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"errors"
	"testing"

	"golang.org/x/sys/unix"
)

// TestOutputBeginsWithTheJob: what a copy says before, as libraries may when they
// are forked, is not part of the output, and the end of the output is seen though
// a keeper is left.
func TestOutputBeginsWithTheJob(t *testing.T) {
	asEveryone(t)
	l, err := New(Options{Backend: Native})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	z, err := l.Zygote(context.Background(), copies(t, "copy talks"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	c, err := z.Fork(context.Background(), false)
	if err != nil {
		t.Fatal(err)
	}
	if out, exit := give(t, c.impl, Job{Limits: z.impl.(*zygote).pol.Limits, Message: []byte("hello")}); out != "hello\n" || exit.Code != 3 {
		t.Errorf("%q, %+v", out, exit)
	}
}

// TestOutputWithoutEnd: nobody goes on reading what a copy says before it has a job.
func TestOutputWithoutEnd(t *testing.T) {
	r, w, err := Pipe(false)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	if _, err := unix.FcntlInt(w.Fd(), unix.F_SETPIPE_SZ, 4*maxEarly); err != nil {
		t.Skip(err)
	}
	for _, said := range []struct {
		bytes int
		want  error
	}{{0, nil}, {64 << 10, nil}, {2 * maxEarly, ErrZygote}} {
		if _, err := w.Write(make([]byte, said.bytes)); err != nil {
			t.Fatal(err)
		}
		if err := drain(r); !errors.Is(err, said.want) {
			t.Errorf("%d bytes: %v", said.bytes, err)
		}
	}
}
