//go:build !windows

package ui

import "os"

func obeyEscapes(*os.File) {}
