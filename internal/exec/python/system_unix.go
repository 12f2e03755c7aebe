//go:build unix

// What Unix knows of files and processes and others do not.

package python

import (
	"io/fs"
	"os/exec"
	"path/filepath"
	"syscall"
)

const (
	executableBits = true
	rootIsSafe     = true // only root makes folders in /
)

// programIn is where an installation has its interpreter.
func programIn(prefix string) string { return filepath.Join(prefix, "bin", "python3") }

// systemEnv is what no program of this system can do without.
func systemEnv(func(string) string) []string { return nil }

// owner is the user a file belongs to.
func owner(info fs.FileInfo) (uid, gid int, ok bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, false
	}
	return int(st.Uid), int(st.Gid), true
}

// inode tells a replaced file from a kept one.
func inode(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ino
	}
	return 0
}

// ownGroup lets the end of cmd take its children with it.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
