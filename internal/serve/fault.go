package serve

// A fault in pyrun, as the log may know it.

import (
	"fmt"
	"runtime"
	"strings"
)

// describe names a panic's value. A runtime error tells where, and nothing of what
// was sent; any other value may hold anything, so that only its type is told.
func describe(p any) string {
	if err, ok := p.(runtime.Error); ok {
		return err.Error()
	}
	return fmt.Sprintf("%T", p)
}

// frames lists who called whom, the nearest first.
func frames() string {
	pcs := make([]uintptr, 32)
	pcs = pcs[:runtime.Callers(4, pcs)]
	var b strings.Builder
	for all := runtime.CallersFrames(pcs); ; {
		f, more := all.Next()
		fmt.Fprintf(&b, "%s:%d ", f.Function, f.Line)
		if !more {
			return strings.TrimSpace(b.String())
		}
	}
}
