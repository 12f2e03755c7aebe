//go:build !unix

// What is left of system_unix.go elsewhere.

package python

import (
	"io/fs"
	"os/exec"
	"path/filepath"
)

const (
	executableBits = false
	rootIsSafe     = false // every user of Windows may make an \opt and an \etc
)

func programIn(prefix string) string { return filepath.Join(prefix, "python.exe") }

// systemEnv is what sockets, the shell and looking up programs rest on.
func systemEnv(getenv func(string) string) []string {
	var env []string
	for _, name := range []string{"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE"} {
		if value := getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}

func owner(fs.FileInfo) (uid, gid int, ok bool) { return 0, 0, false }

func inode(fs.FileInfo) uint64 { return 0 }

func ownGroup(*exec.Cmd) {}
