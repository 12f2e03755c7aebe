//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"testing"
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
