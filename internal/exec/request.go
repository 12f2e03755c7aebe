package exec

import (
	"io"
	"time"

	"github.com/pyrun-dev/pyrun/internal/exec/sandbox"
)

// Request is what is asked of one run. Zero values mean the Executor's defaults.
type Request struct {
	Code    []byte            // the script's source, exactly as it will stand in the file
	Name    string            // base name of the script's file; empty is main.py
	Args    []string          // sys.argv[1:]
	Env     map[string]string // added to the run's environment
	Stdin   io.Reader         // nil is empty; an *os.File may be a terminal: it is copied, never handed over
	Inputs  []Input           // read-only files and folders under INPUTS_DIR
	Limits  sandbox.Limits    // fields left zero take the defaults; Wall is the timeout
	Value   bool              // report the last expression's repr
	Figures *bool             // nil: the Executor's setting (on)

	// StdlibOnly hides installed packages from the script.
	StdlibOnly bool

	// Stdout and Stderr get the output live, byte for byte, as it comes; nil
	// keeps it for the Result only. They must not block for ever.
	Stdout, Stderr io.Writer

	// Folder, when set, is where artifacts are written as files; the Result then
	// names them by Artifact.File and leaves their content out. Empty keeps the
	// content in the Result. A file of the same name that is already there is
	// replaced whole; a link there is replaced, never followed.
	Folder string

	// Keep is Folder for those who name none: artifacts go to a folder of this
	// run below the cache folder, of which the last 50 are kept. Without
	// artifacts there is no folder.
	Keep bool

	// Terminal lets hints name command line flags; Dir is then the folder the
	// script came from, so that a hint can tell what lies beside it.
	Terminal bool
	Dir      string

	// Progress hears of slow preparations (an interpreter unpacked for the first time).
	Progress func(Progress)

	// watch looks at the script from outside when it has been let go; the run
	// waits for it. It is how Check sees a run as any other run is made.
	watch func(tree)

	// from, when set, is the zygote that has to make the copy which is run; cold
	// is for none, whoever has one.
	from zygote
	cold bool

	// Caller says whose turn this is: callers who wait for a worker are served
	// in turns. It is compared and nothing else.
	Caller string

	// Admit, when set, is asked once a worker is free, just before anything is
	// run, however long that took. With an error nothing is, and it is Execute's.
	Admit func() error

	// Delivered, when set, is closed once the Result is needed no more. Until
	// then it counts among those that may be in memory at once, three times as
	// many as there are workers at their largest; beyond, no run is started.
	Delivered <-chan struct{}
}

// Input is a file or folder that the script can read at INPUTS_DIR/Name.
// Either Data or Path is set.
type Input struct {
	Name string // relative, slash-separated
	Data []byte
	Path string // on this machine: a file is copied or shown, a folder is shown read-only
}

// Progress is one step of a slow preparation. Total 0 means not known.
type Progress struct {
	What        string // "unpacking CPython 3.14.6 (once)"
	Done, Total int64
}

// RequestError is a caller's mistake. Nothing was run.
type RequestError struct {
	Field string // "code", "timeout", "inputs[2].name", ...
	Msg   string // what is wrong with it, lower case
	Hint  string // the way out, may be empty
}

func (e *RequestError) Error() string { return e.Field + ": " + e.Msg }

// Options configures an Executor. Zero numbers take the defaults of the contract.
type Options struct {
	Sandbox         string // "auto", "native", "none"
	Network         sandbox.Network
	Python          string // interpreter path; empty chooses (see python.Choose)
	PythonVersion   string // "3.13": any other interpreter is an error
	PackagesFile    string
	BuiltinPackages string // text of the packages.txt compiled in
	CacheDir        string // where the embedded interpreter is unpacked and facts are kept; empty is the user's cache folder

	DefaultTimeout, MaxTimeout time.Duration
	Limits                     sandbox.Limits // defaults for each run; Wall is ignored
	MaxOutputBytes             int64          // kept of each stream
	MaxOutputTotal             int64          // drained of both streams before the run is killed; 0 is 64 MiB
	MaxArtifactBytes           int64
	MaxArtifactsTotal          int64
	MaxArtifacts               int
	MaxInputBytes              int64
	MaxInputsTotal             int64
	MaxInputs                  int
	MaxCodeBytes               int64
	MaxWorkers                 int // runs at once
	MaxQueue                   int // runs waiting; beyond, ErrBusy; below 0 is none
	NoFigures                  bool

	// Warm is how many copies of a started interpreter wait for requests; 0 starts
	// one for each. Preload names the modules that those have loaded: import
	// names, or "packages.txt" for all installed packages and what scripts use most
	// of the standard library.
	Warm    int
	Preload []string

	// NoCopies hears why requests start cold, each reason once: an error that wraps
	// ErrNoCopies is for good. It must not block.
	NoCopies func(error)

	Ahead *Ahead // nil: everything is looked for when the first request comes
}
