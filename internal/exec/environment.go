package exec

// Inspection asks what this machine gives.
type Inspection struct {
	// Imports really imports every wanted package, each in a run of its own
	// behind all walls and under the limits of a run.
	Imports bool

	// Imported hears of every package as its import ends.
	Imported func(done, total int)

	// Progress hears of slow preparations (an interpreter unpacked for the first time).
	Progress func(Progress)
}

// Environment is what Check found. Its JSON is `pyrun check --json`.
type Environment struct {
	System      System           `json:"system"`
	Interpreter *InterpreterInfo `json:"interpreter"` // nil when there is none
	Sandbox     SandboxInfo      `json:"sandbox"`     // of a real run; no layer when none could be built
	Walls       []Wall           `json:"walls"`       // in the order of docs/security.md; never nil
	Limits      LimitsInfo       `json:"limits"`
	Packages    []PackageInfo    `json:"packages"` // wanted ones first, by name; never nil
	Findings    []Finding        `json:"findings"` // what is not as it should be; never nil
	Problems    int              `json:"problems"` // findings that are no notes
}

// System is the machine.
type System struct {
	OS     string `json:"os"`     // "linux"
	Kernel string `json:"kernel"` // "6.18.0"; empty elsewhere
	Arch   string `json:"arch"`   // "amd64"
	UID    int    `json:"uid"`
}

// InterpreterInfo is the Python that runs scripts.
type InterpreterInfo struct {
	Version  string `json:"version"`
	Path     string `json:"path"` // of its executable on this machine
	Embedded bool   `json:"embedded"`
	Wanted   string `json:"wanted,omitempty"` // Options.PythonVersion
}

// Wall is one promise of the sandbox, tried from inside.
type Wall struct {
	Name   string `json:"name"` // "namespaces", "root", "seccomp", ...
	Held   bool   `json:"held"`
	Detail string `json:"detail"` // what was seen, a few words: "205 calls allowed"
}

// LimitsInfo is what bounds a run when it asks for nothing else.
type LimitsInfo struct {
	TimeoutSeconds    float64 `json:"timeout_seconds"`
	MaxTimeoutSeconds float64 `json:"max_timeout_seconds"`
	MemoryBytes       int64   `json:"memory_bytes"`
	Memory            string  `json:"memory"` // how it is held: cgroup2, cgroup1, sampled, rlimit
	DiskBytes         int64   `json:"disk_bytes"`
	FileBytes         int64   `json:"file_bytes"`
	Processes         int     `json:"processes"`
	OpenFiles         int     `json:"open_files"`
	OutputBytes       int64   `json:"output_bytes"`
	ArtifactBytes     int64   `json:"artifact_bytes"`
	InputFileBytes    int64   `json:"input_file_bytes"`
	InputFiles        int     `json:"input_files"`
}

// PackageInfo is one package: wanted by packages.txt, installed, or both.
type PackageInfo struct {
	Name      string   `json:"name"`
	Wanted    string   `json:"wanted,omitempty"`  // the specifier; "*" takes any version; empty is not wanted
	Version   string   `json:"version,omitempty"` // empty is not installed
	Imports   []string `json:"imports,omitempty"` // top-level import names
	Satisfied bool     `json:"satisfied"`
	Import    *Import  `json:"import,omitempty"` // when Inspection.Imports asked for it
}

// Import is how importing a package went.
type Import struct {
	OK              bool   `json:"ok"`
	DurationMS      int64  `json:"duration_ms"`
	PeakMemoryBytes int64  `json:"peak_memory_bytes"`
	Error           string `json:"error,omitempty"` // its traceback's last line, or the limit that ended it
}

// Finding is something that is not as it should be, with the way out.
type Finding struct {
	Area     string   `json:"area"` // "interpreter", "walls", "copies", "limits", "packages", "imports"
	Severity Severity `json:"severity"`
	Message  string   `json:"message"`          // lower case, no full stop
	Why      string   `json:"why,omitempty"`    // what is likely behind it
	Remedy   string   `json:"remedy,omitempty"` // what to type
	Wall     string   `json:"wall,omitempty"`   // the Wall it is about, by name
	Package  string   `json:"package,omitempty"`
}
