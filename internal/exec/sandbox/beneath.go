package sandbox

// Looking into what a script left behind, without following anything it made.

import (
	"io/fs"
	"strings"
)

// KindError is what OpenBeneath says of an entry that is neither a regular file nor a directory.
type KindError struct{ Mode fs.FileMode }

func (e *KindError) Error() string { return "not a regular file: " + e.Mode.String() }

// oneComponent says whether name can only be an entry of the directory itself.
func oneComponent(name string) bool {
	return name != "" && name != ".." && !strings.ContainsAny(name, "/\x00")
}
