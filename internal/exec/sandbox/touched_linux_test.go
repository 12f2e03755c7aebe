//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"encoding/binary"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

func TestSpansOf(t *testing.T) {
	words := func(written, read uint32, vs ...uint64) []byte {
		le := binary.LittleEndian
		b := le.AppendUint32(le.AppendUint32(nil, written), read)
		for _, v := range vs {
			b = le.AppendUint64(b, v)
		}
		return append(b, "text"...)
	}
	for name, c := range map[string]struct {
		hello []byte
		spans []span
		text  string
	}{
		"none":      {hello: words(0, 0), text: "text"},
		"both":      {hello: words(1, 1, 4096, 8192, 65536, 4096), spans: []span{{4096, 8192, true}, {65536, 4096, false}}, text: "text"},
		"too few":   {hello: words(2, 0, 4096, 8192), text: string(words(0, 0, 4096, 8192)[8:])},
		"too many":  {hello: words(maxSpans+1, 0), text: "text"},
		"overflows": {hello: words(1<<32-1, 1<<32-1), text: "text"},
		"short":     {hello: []byte("short"), text: "short"},
	} {
		t.Run(name, func(t *testing.T) {
			spans, text := spansOf(c.hello)
			if diff := cmp.Diff(c.spans, spans, cmp.AllowUnexported(span{})); diff != "" {
				t.Error(diff)
			}
			if string(text) != c.text {
				t.Errorf("text %q", text)
			}
		})
	}
}

// TestCopiesHaveWhatTheyTouch: a copy begins with pages of its own where its
// zygote said that it would write, and shares the others. A span that is none is no failure.
func TestCopiesHaveWhatTheyTouch(t *testing.T) {
	asEveryone(t)
	page, err := unix.Mmap(-1, 0, os.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Munmap(page) }()
	if unix.Madvise(page, unix.MADV_POPULATE_WRITE) != nil {
		missing(t, "the kernel does not give pages ahead (before 5.14)")
	}
	z, err := startZygote(t, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		c, err := z.fork(context.Background(), false)
		if err != nil {
			t.Fatal(err)
		}
		if out, exit := give(t, c, Job{Limits: z.pol.Limits, Message: []byte("touched")}); out != "True True touched\n" || exit.Code != 3 {
			t.Errorf("%q, %+v", out, exit)
		}
	}
}
