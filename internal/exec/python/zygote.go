// Starting a Python that makes copies of itself, and telling a copy its job.

package python

import (
	"bytes"
	"path"
	"strconv"
	"strings"
)

// ZygoteCommand is the argument vector, program first, of a zygote for i that
// loads the named modules. Its copies serve any Job that is Copyable.
func ZygoteCommand(i *Interpreter, harnessDir string, modules []string) []string {
	argv := Command(i, Job{HarnessDir: harnessDir})
	for n, word := range argv {
		if word == path.Join(harnessDir, i.HarnessName) {
			kind := "zygote"
			if i.bare() {
				kind += ",site"
			}
			argv = append(argv[:n+1], kind, "-", "-")
			break
		}
	}
	return append(argv, modules...)
}

// Copyable says whether a zygote's copy can be what a start with j would be.
// What has no site module, and what has it, cannot become each other.
func Copyable(i *Interpreter, j Job) bool { return !j.Outside && (!j.StdlibOnly || i.bare()) }

// maxMessage is what a copy takes in one piece.
const maxMessage = 64 << 10

// CopyMessage tells a copy its job, env being the whole environment. It is not
// ok for words that are too many, or that no program could be started with.
func CopyMessage(i *Interpreter, j Job, env []string, stdin bool) (message []byte, ok bool) {
	kind := "null"
	if stdin {
		kind = "stdin"
	}
	argv := words(i, j)
	fields := append([]string{kind, strconv.Itoa(len(argv))}, argv...)
	fields = append(fields, env...)
	var b bytes.Buffer
	for _, f := range fields {
		if strings.Contains(f, "\x00") {
			return nil, false
		}
		b.WriteString(f)
		b.WriteByte(0)
	}
	return b.Bytes(), b.Len() <= maxMessage
}
