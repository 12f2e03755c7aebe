package sandbox

import "time"

// Policy is everything one run may see, write and use. It is plain data: it is
// built once by the caller and never changed or consulted from a global.
// Paths are absolute and clean, as the script sees them.
type Policy struct {
	Argv []string // Argv[0] is the program's path inside
	Env  []string // the whole environment, NAME=VALUE
	Dir  string   // working directory, one of Writable

	Binds    []Bind   // what is shown of the host, read-only
	Links    []Link   // symbolic links in the root
	Files    []File   // small files, written before the script exists
	Writable []Dir    // parts of one bounded memory file system
	Sealed   []string // directories below a Writable one that turn read-only before the script starts

	Network Network
	Limits  Limits

	// Foreign says that a zygote loads what others wrote. What it may do to build
	// walls then counts in a user namespace alone, also where root could do without.
	Foreign bool
}

// Bind shows the host's file or directory Source, read-only, at Target.
type Bind struct {
	Source, Target string
	NoExec         bool // data only: nothing below it may be mapped or run as a program
}

// Link is a symbolic link at Path that says Target.
type Link struct{ Path, Target string }

// File is created with Data in it. Below a Writable directory it belongs to
// the script's user, unless a Sealed directory holds it; elsewhere it is root's.
// Missing parent directories are made.
type File struct {
	Path string
	Mode uint32 // permission bits
	Data []byte
}

// Dir is a directory the script may write. All of them share Limits.Disk and
// Limits.Inodes. Name is its name in the store handed out by Process.Store.
type Dir struct {
	Path string
	Name string
	Mode uint32
}

// Network says what of a network a run has.
type Network string

// NetworkLoopback is an empty namespace with lo up; NetworkNone has no sockets but AF_UNIX.
const (
	NetworkLoopback Network = "loopback"
	NetworkNone     Network = "none"
)

// Limits bounds one run. Zero means the backend sets no bound of its own, but
// for Wall, which is then unlimited; callers fill all of them.
type Limits struct {
	Wall      time.Duration // from release to the kill of the whole tree
	CPU       time.Duration // processor time of one process, whole seconds
	Memory    int64         // bytes, of the whole tree
	FileSize  int64         // bytes, of one file
	Disk      int64         // bytes, all Writable directories together
	Inodes    int           // files and directories, all Writable directories together
	Processes int           // processes and threads at once
	OpenFiles int           // descriptors of one process

	//lint:ignore U1000 only Linux has copies
	mapped int64 // of a copy: bytes of address space that its zygote had taken
	//lint:ignore U1000 only Linux has copies
	keepers int // of a copy: processes besides pid 1 that are not the script's
}

// Usage is what a finished run took.
type Usage struct {
	CPU        time.Duration // user and system, all processes
	PeakMemory int64         // bytes; of the tree where a cgroup counts, else the largest seen
}
