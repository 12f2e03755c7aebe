package ui

import (
	"os"

	"golang.org/x/sys/windows"
)

// obeyEscapes has a console take colour as other terminals do. Where that is
// refused, nothing can be done.
func obeyEscapes(console *os.File) {
	h := windows.Handle(console.Fd())
	var mode uint32
	if windows.GetConsoleMode(h, &mode) == nil {
		_ = windows.SetConsoleMode(h, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING)
	}
}
