// Starting a Python that makes copies of itself, and telling a copy its job.

package python

import (
	"bytes"
	"encoding/binary"
	"path"
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

// CopyMessage tells a copy its job, env being the whole environment: whether
// there is input (1 byte), the size of the environment (4, little endian), the
// environment with a NUL behind each pair, words with NULs between. It is not
// ok for words that are too many, or that no program could be started with.
func CopyMessage(i *Interpreter, j Job, env []string, stdin bool) (message []byte, ok bool) {
	var b bytes.Buffer
	for _, pair := range env {
		if strings.Contains(pair, "\x00") {
			return nil, false
		}
		b.WriteString(pair)
		b.WriteByte(0)
	}
	message = binary.LittleEndian.AppendUint32([]byte{0}, uint32(b.Len()))
	if stdin {
		message[0] = 1
	}
	message = append(message, b.Bytes()...)
	for n, word := range words(i, j) {
		if strings.Contains(word, "\x00") {
			return nil, false
		}
		if n > 0 {
			message = append(message, 0)
		}
		message = append(message, word...)
	}
	return message, len(message) <= maxMessage
}
