// Command pyrun runs Python that nobody has read, in a sandbox.
//
// This package is a door: it turns words into an exec.Request and a Result into
// words and an exit code. It decides nothing about how a script is run.
package main

import (
	"context"
	"os"
)

//go:generate go run . completion --write ../../completions

func main() {
	w := realWorld(os.Args)
	code := w.main(context.Background(), os.Args)
	w.close()
	os.Exit(code)
}
