//go:build !unix

// What is left of system_unix.go elsewhere.

package python

import (
	"io/fs"
	"os/exec"
	"syscall"
)

const executableBits = false

func owner(fs.FileInfo) (uid, gid int, ok bool) { return 0, 0, false }

func inode(fs.FileInfo) uint64 { return 0 }

func ownGroup(*exec.Cmd) {}

// fullDisk knows ERROR_DISK_FULL and ERROR_HANDLE_DISK_FULL.
func fullDisk(errno syscall.Errno) bool { return errno == 112 || errno == 39 }
