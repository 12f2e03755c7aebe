package seccomp

// Files: their contents, the tree they stand in, their attributes. What may
// be opened is decided by the root the program sees and by Landlock; here it
// only matters that none of these calls can do more than those two allow.

// files is opening, reading and writing.
var files = [...]Rule{
	{"read", Allow, nil, "all input"},
	{"write", Allow, nil, "all output"},
	{"readv", Allow, nil, "input into several buffers: asyncio, os.readv"},
	{"writev", Allow, nil, "output from several buffers: musl's stdio, os.writev"},
	{"pread64", Allow, nil, "the dynamic loader, sqlite"},
	{"pwrite64", Allow, nil, "sqlite"},
	{"preadv", Allow, nil, "os.preadv"},
	{"pwritev", Allow, nil, "os.pwritev"},
	{"preadv2", Allow, nil, "os.preadv with flags"},
	{"pwritev2", Allow, nil, "os.pwritev with flags"},
	{"open", Allow, nil, "older libraries; same reach as openat"},
	{"openat", Allow, nil, "every open of glibc and CPython"},
	{"openat2", Allow, nil, "careful opens; same reach as openat"},
	{"creat", Allow, nil, "old C code; an openat with fixed flags"},
	{"close", Allow, nil, "every file"},
	{"close_range", Allow, nil, "subprocess closes what its child must not have"},
	{"lseek", Allow, nil, "every seekable file"},
	{"fsync", Allow, nil, "sqlite; the file systems are memory, so it costs nothing"},
	{"fdatasync", Allow, nil, "sqlite"},
	{"sync_file_range", Allow, nil, "databases; one file only"},
	{"sync", pretend, nil, "would flush the host's disks: slow for everybody, and nothing here outlives the run"},
	{"syncfs", pretend, nil, "like sync, for the file system behind a read-only bind"},
	{"truncate", Allow, nil, "os.truncate"},
	{"ftruncate", Allow, nil, "file.truncate, shared memory"},
	{"fallocate", Allow, nil, "os.posix_fallocate; bounded by FSIZE and the file system's size"},
	{"fadvise64", Allow, nil, "os.posix_fadvise, coreutils"},
	{"readahead", Allow, nil, "a hint about one file"},
	{"copy_file_range", Allow, nil, "shutil and coreutils copy with it"},
	{"sendfile", Allow, nil, "shutil.copyfile, socket.sendfile"},
	{"flock", Allow, nil, "fcntl.flock; shared read-only inodes could carry a signal between runs: accepted"},
}

// tree is the names of files and directories.
var tree = [...]Rule{
	{"stat", Allow, nil, "older libraries"},
	{"fstat", Allow, nil, "every open file"},
	{"lstat", Allow, nil, "older libraries"},
	{"newfstatat", Allow, nil, "os.stat, every import"},
	{"statx", Allow, nil, "os.statx, coreutils, Rust and Go programs"},
	{"statfs", Allow, nil, "os.statvfs, shutil.disk_usage"},
	{"fstatfs", Allow, nil, "os.fstatvfs"},
	{"access", Allow, nil, "the dynamic loader"},
	{"faccessat", Allow, nil, "os.access"},
	{"faccessat2", Allow, nil, "os.access with flags"},
	{"readlink", Allow, nil, "os.path.realpath"},
	{"readlinkat", Allow, nil, "os.readlink"},
	{"getdents", Allow, nil, "older libraries list directories"},
	{"getdents64", Allow, nil, "os.listdir, every import"},
	{"getcwd", Allow, nil, "os.getcwd"},
	{"chdir", Allow, nil, "os.chdir"},
	{"fchdir", Allow, nil, "os.fchdir; no descriptor leads out of the root"},
	{"rename", Allow, nil, "os.rename"},
	{"renameat", Allow, nil, "os.rename with a directory descriptor"},
	{"renameat2", Allow, nil, "coreutils' mv"},
	{"link", Allow, nil, "os.link; mount borders and Landlock keep it inside"},
	{"linkat", Allow, nil, "os.link"},
	{"unlink", Allow, nil, "os.remove"},
	{"unlinkat", Allow, nil, "shutil.rmtree"},
	{"symlink", Allow, nil, "os.symlink; whoever collects files follows no link"},
	{"symlinkat", Allow, nil, "os.symlink"},
	{"mkdir", Allow, nil, "os.mkdir"},
	{"mkdirat", Allow, nil, "os.mkdir with a directory descriptor"},
	{"rmdir", Allow, nil, "os.rmdir"},

	{"mknod", Allow, []Cond{{1, fileType, 0}}, "os.mknod makes a regular file when no type is given"},
	{"mknod", Allow, []Cond{{1, fileType, regular}}, "a regular file"},
	{"mknod", Allow, []Cond{{1, fileType, fifo}}, "os.mkfifo; whoever collects files opens none"},
	{"mknod", notPermitted, nil, "a device would reach hardware; sockets are made by bind"},
	{"mknodat", Allow, []Cond{{2, fileType, 0}}, "os.mknod makes a regular file when no type is given"},
	{"mknodat", Allow, []Cond{{2, fileType, regular}}, "a regular file"},
	{"mknodat", Allow, []Cond{{2, fileType, fifo}}, "os.mkfifo; whoever collects files opens none"},
	{"mknodat", notPermitted, nil, "a device would reach hardware; sockets are made by bind"},
}

// The type bits of a file's mode.
const (
	fileType = 0o170000
	fifo     = 0o010000
	regular  = 0o100000
)

// attributes is modes, owners, times and extended attributes. Everything the
// program can reach for writing is its own memory file system.
var attributes = [...]Rule{
	{"umask", Allow, nil, "os.umask"},
	{"chmod", Allow, nil, "os.chmod, shutil.copy"},
	{"fchmod", Allow, nil, "os.fchmod, tempfile"},
	{"fchmodat", Allow, nil, "os.chmod with a directory descriptor"},
	{"fchmodat2", Allow, nil, "os.chmod without following links"},
	{"chown", Allow, nil, "os.chown to oneself, shutil.chown; no capability is left to do more"},
	{"fchown", Allow, nil, "os.fchown"},
	{"lchown", Allow, nil, "os.lchown, tarfile"},
	{"fchownat", Allow, nil, "os.chown with a directory descriptor"},
	{"utime", Allow, nil, "old C code"},
	{"utimes", Allow, nil, "old C code"},
	{"utimensat", Allow, nil, "os.utime, shutil.copystat, tarfile"},
	{"futimesat", Allow, nil, "old C code"},

	{"getxattr", Allow, nil, "os.getxattr, shutil.copystat"},
	{"lgetxattr", Allow, nil, "os.getxattr without following links"},
	{"fgetxattr", Allow, nil, "os.getxattr of a descriptor"},
	{"listxattr", Allow, nil, "os.listxattr, shutil.copystat"},
	{"llistxattr", Allow, nil, "os.listxattr without following links"},
	{"flistxattr", Allow, nil, "os.listxattr of a descriptor"},
	{"setxattr", notSupported, nil, "a tmpfs does not count attributes against its size; shutil.copystat knows ENOTSUP"},
	{"lsetxattr", notSupported, nil, "like setxattr"},
	{"fsetxattr", notSupported, nil, "like setxattr"},
	{"removexattr", notSupported, nil, "there are none to remove"},
	{"lremovexattr", notSupported, nil, "there are none to remove"},
	{"fremovexattr", notSupported, nil, "there are none to remove"},
}
