package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// OpenBeneath opens the entry called name of dir for reading: one component,
// "." being dir itself. It follows no link, crosses no mount, never blocks and
// opens nothing but regular files and directories: for others it returns a
// *KindError without opening them, for that alone can have effects on a device.
func OpenBeneath(dir *os.File, name string) (*os.File, fs.FileInfo, error) {
	fail := func(op string, err error) (*os.File, fs.FileInfo, error) {
		return nil, nil, &fs.PathError{Op: op, Path: name, Err: err}
	}
	if !oneComponent(name) {
		return fail("open", unix.EINVAL)
	}
	at := int(dir.Fd())
	defer runtime.KeepAlive(dir)
	var st unix.Stat_t
	if err := retry(func() error { return unix.Fstatat(at, name, &st, unix.AT_SYMLINK_NOFOLLOW) }); err != nil {
		return fail("stat", err)
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG, unix.S_IFDIR:
	default:
		return nil, nil, &KindError{Mode: fileMode(st.Mode)}
	}
	fd, err := openBeneath(at, name)
	if errors.Is(err, unix.ELOOP) {
		return nil, nil, &KindError{Mode: fs.ModeSymlink}
	}
	if err != nil {
		return fail("open", err)
	}
	if err := unix.SetNonblock(fd, false); err != nil { // it served the open; os.File would take it for a pipe
		unix.Close(fd)
		return fail("open", err)
	}
	f := os.NewFile(uintptr(fd), name)
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		err = &KindError{Mode: info.Mode()}
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

const beneathFlags = unix.O_RDONLY | unix.O_NONBLOCK | unix.O_NOFOLLOW | unix.O_CLOEXEC | unix.O_NOCTTY

// openBeneath takes openat2, and where a filter forbids it (older container
// profiles) openat: for one component O_NOFOLLOW says nearly the same.
func openBeneath(at int, name string) (fd int, err error) {
	how := unix.OpenHow{
		Flags:   beneathFlags,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS | unix.RESOLVE_NO_XDEV,
	}
	err = retry(func() error { fd, err = unix.Openat2(at, name, &how); return err })
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) {
		err = retry(func() error { fd, err = unix.Openat(at, name, beneathFlags, 0); return err })
	}
	return fd, err
}

// retry repeats what a signal interrupted, and openat2's EAGAIN: a rename raced with it.
func retry(call func() error) error {
	for range 100 {
		if err := call(); !errors.Is(err, unix.EINTR) && !errors.Is(err, unix.EAGAIN) {
			return err
		}
	}
	return unix.EAGAIN
}

func fileMode(mode uint32) fs.FileMode {
	switch mode & unix.S_IFMT {
	case unix.S_IFLNK:
		return fs.ModeSymlink
	case unix.S_IFIFO:
		return fs.ModeNamedPipe
	case unix.S_IFSOCK:
		return fs.ModeSocket
	case unix.S_IFCHR:
		return fs.ModeDevice | fs.ModeCharDevice
	case unix.S_IFBLK:
		return fs.ModeDevice
	}
	return fs.ModeIrregular
}
