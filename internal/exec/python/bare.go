// Starting an interpreter with nothing around it, to compare with.

package python

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"time"
)

// Bare runs code as `python -I -B -c code` outside all walls and returns how
// long that took, from the start to the end. It is for code of our own, and what
// it starts is the interpreter below an environment: what is installed in one
// may run code of its own whenever Python starts.
func Bare(ctx context.Context, i *Interpreter, code string) (time.Duration, error) {
	c := exec.CommandContext(ctx, i.Base, "-I", "-B", "-c", code)
	var said bytes.Buffer
	c.Stdout, c.Stderr = &said, &said
	began := time.Now()
	err := c.Run()
	took := time.Since(began)
	if err != nil {
		return 0, fmt.Errorf("run %s: %w: %s", i.Base, err, lastLine(said.String()))
	}
	return took, nil
}
