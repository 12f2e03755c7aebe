//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"testing"
)

// BenchmarkTrue is the walls alone: the smallest program behind all of them.
func BenchmarkTrue(b *testing.B) {
	l, err := New(Options{Backend: Native})
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	pol := shell("exit 0")
	pol.Argv = []string{"/usr/bin/true"}
	for b.Loop() {
		p, err := l.Start(context.Background(), Place{}, pol, Stdio{})
		if err != nil {
			b.Fatal(err)
		}
		if e := p.Wait(); e.Code != 0 {
			b.Fatal(e)
		}
		p.Close()
	}
}
