package exec

// Files and folders in: names checked before anything starts, contents fetched
// when the job has a worker.

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/pyrun-dev/pyrun/internal/exec/sandbox"
)

// checkInputs checks names, counts and the sizes known by now.
func checkInputs(inputs []Input, o Options) error {
	if len(inputs) > o.MaxInputs {
		return &RequestError{Field: "inputs", Msg: fmt.Sprintf("are %d, at most %d", len(inputs), o.MaxInputs), Hint: "give the folder that holds them, or an archive"}
	}
	var total int64
	seen := make(map[string]int, len(inputs)) // folded name, and every folder above one
	for i, in := range inputs {
		field := fmt.Sprintf("inputs[%d]", i)
		if fault := inputFault(in.Name); fault != "" {
			return &RequestError{Field: field + ".name", Msg: fault + ": " + shown(in.Name), Hint: "give it a plain relative name"}
		}
		if in.Path != "" && in.Data != nil {
			return &RequestError{Field: field, Msg: "has both data and a path"}
		}
		if n := int64(len(in.Data)); n > o.MaxInputBytes {
			return &RequestError{Field: field, Msg: fmt.Sprintf("%s is %d bytes long, at most %d", shown(in.Name), n, o.MaxInputBytes)}
		}
		if total += int64(len(in.Data)); total > o.MaxInputsTotal {
			return &RequestError{Field: "inputs", Msg: fmt.Sprintf("are over %d bytes in all", o.MaxInputsTotal)}
		}
		if err := claim(seen, field, in.Name, i); err != nil {
			return err
		}
	}
	return nil
}

// claim notes a name and the folders above it, so that no two inputs need the
// same place. Folders are kept as the complement of their index.
func claim(seen map[string]int, field, name string, i int) error {
	key := foldName(name)
	if at, ok := seen[key]; ok {
		if at < 0 {
			return &RequestError{Field: field + ".name", Msg: fmt.Sprintf("is also a folder of inputs[%d]: %s", ^at, shown(name))}
		}
		return &RequestError{Field: field + ".name", Msg: fmt.Sprintf("is the name of inputs[%d] too: %s", at, shown(name)), Hint: "names that differ only in case count as one"}
	}
	seen[key] = i
	for {
		cut := strings.LastIndexByte(key, '/')
		if cut < 0 {
			return nil
		}
		key = key[:cut]
		at, ok := seen[key]
		if ok && at >= 0 {
			return &RequestError{Field: field + ".name", Msg: fmt.Sprintf("would lie in inputs[%d], which is not a folder of this request: %s", at, shown(name))}
		}
		if !ok {
			seen[key] = ^i
		}
	}
}

// loaded is what the policy needs to know of one input: data to write, or a
// source to show.
type loaded struct {
	name   string
	data   []byte
	source string // absolute; empty when data counts
}

// load fetches what lies on this machine. Small files are copied, so that the
// script sees one state of them; what is larger than the caps, and every
// folder, is shown read-only.
func load(inputs []Input, o Options) ([]loaded, error) {
	left := o.MaxInputsTotal
	out := make([]loaded, 0, len(inputs))
	for _, in := range inputs {
		if in.Path == "" {
			left -= int64(len(in.Data))
			out = append(out, loaded{name: in.Name, data: in.Data})
		}
	}
	for i, in := range inputs {
		if in.Path == "" {
			continue
		}
		l, err := loadPath(in, min(left, o.MaxInputBytes), o.Sandbox == string(sandbox.Native))
		if err != nil {
			var bad *RequestError
			if errors.As(err, &bad) {
				bad.Field = fmt.Sprintf("inputs[%d]", i)
			}
			return nil, err
		}
		left -= int64(len(l.data))
		out = append(out, l)
	}
	return out, nil
}

func loadPath(in Input, limit int64, walled bool) (loaded, error) {
	refuse := func(msg, hint string) (loaded, error) {
		return loaded{}, &RequestError{Msg: shown(in.Path) + " " + msg, Hint: hint}
	}
	path, err := filepath.EvalSymlinks(in.Path)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return refuse("cannot be read: "+reason(err), "")
	}
	info, err := os.Stat(path)
	if err != nil {
		return refuse("cannot be read: "+reason(err), "")
	}
	switch {
	case info.IsDir():
		if isKernel(path) {
			return refuse("shows this machine's kernel and devices", "copy what the script needs to a folder of its own")
		}
	case !info.Mode().IsRegular():
		return refuse("is "+kind(info.Mode())+", not a file or folder", "")
	}
	f, err := os.Open(path)
	if err != nil {
		return refuse("cannot be read: "+reason(err), "")
	}
	defer f.Close()
	if got, err := f.Stat(); err != nil || !os.SameFile(info, got) {
		return refuse("changed while it was opened", "")
	}
	if !info.IsDir() && info.Size() <= limit {
		data, err := io.ReadAll(io.LimitReader(f, limit+1))
		if err != nil {
			return refuse("cannot be read: "+reason(err), "")
		}
		if int64(len(data)) <= limit {
			return loaded{name: in.Name, data: data}, nil
		}
	}
	// Shown, it is read by the script's user, who is another one when pyrun is root.
	if need := neededBits(info); walled && os.Geteuid() == 0 && info.Mode().Perm()&need != need {
		return refuse("is not readable for the sandbox's user", "chmod -R o+rX "+quoted(in.Path)+", or pass a copy that is")
	}
	return loaded{name: in.Name, source: path}, nil
}

// neededBits is what everybody else must be allowed for info to be of use.
func neededBits(info fs.FileInfo) fs.FileMode {
	if info.IsDir() {
		return 0o005
	}
	return 0o004
}

// isKernel knows the folders that are windows into the host rather than files on it.
func isKernel(path string) bool {
	if runtime.GOOS == "windows" {
		return false
	}
	for _, p := range []string{"/proc", "/sys", "/dev"} {
		if path == "/" || path == p || strings.HasPrefix(path, p+"/") {
			return true
		}
	}
	return false
}

// kind names what is not a regular file.
func kind(m fs.FileMode) string {
	switch {
	case m&fs.ModeSymlink != 0:
		return "a symbolic link"
	case m&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	case m.IsDir():
		return "a folder"
	}
	return "not a regular file"
}

// reason is an error without the path that the caller has said already.
func reason(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return err.Error()
}

// quoted is a path as a shell takes it.
func quoted(s string) string {
	for _, r := range s {
		plain := r == '/' || r == '.' || r == '_' || r == '-' || r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z'
		if !plain {
			return "'" + strings.ReplaceAll(shown(s), "'", `'\''`) + "'"
		}
	}
	return s
}
