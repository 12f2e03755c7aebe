// Package pyrun holds what stands at the top of the repository and has to be
// inside the program: go:embed cannot look up.
package pyrun

import _ "embed"

// Packages is packages.txt, the allowed packages where no other list is named.
//
//go:embed packages.txt
var Packages string
