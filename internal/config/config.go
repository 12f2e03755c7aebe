// Package config turns flags, environment variables and one YAML file into
// plain values, and remembers of each where it came from.
//
// It promises that a value it hands out lies within its range, that an unknown
// name in the file is an error and not a shrug, and that nothing is read but
// what [Sources] gives. It does not look at the machine: whether a path exists
// or a wall can be built is for others to say.
package config

import "time"

// Config is every setting with its effective value. Sizes are bytes.
type Config struct {
	Service Service
	Runner  Runner
	Serve   Serve

	sources  []string // by position in the table of keys
	file     string
	notes    []string
	warnings []string
}

// Service is the server's place in the world: logs, addresses, callers, load.
type Service struct {
	ConsoleLogLevel string // DEBUG, INFO, WARNING, WARN, ERROR or CRITICAL
	LogFormat       string // text or json

	Host        string
	Port        int    // 1 to 65535
	Path        string // starts with a slash
	MetricsHost string // Host unless set
	MetricsPort int    // 0 is off

	MaxWorkers    int // runs at once; 0 is the number of CPUs
	MaxQueue      int // runs waiting
	HPAMaxWorkers int // what the autoscaling metric is divided by

	TokenFile      string // bearer tokens, name:sha256 a line; empty is none
	InsecureNoAuth bool   // listen beyond loopback without tokens
	JWKSURL        string // keys that JSON web tokens are checked with; empty is no JWT
	JWTIssuer      string // set when JWKSURL is
	JWTAudience    string // set when JWKSURL is
	TLSCert        string // set when TLSKey is
	TLSKey         string // set when TLSCert is
	AllowedHosts   []string
	AllowedOrigins []string
	CORSOrigins    []string // empty: no CORS headers

	MaxBodyBytes  int64 // 0: what the input limits need
	RatePerMinute int   // calls of one caller; 0 is no limit
	MaxPerCaller  int   // runs of one caller at once; 0 is no limit
}

// Runner is one run: the interpreter, its walls and its limits.
type Runner struct {
	SandboxBackend  string // auto, native, restricted or none
	AllowRestricted bool   // auto may take restricted
	Network         string // loopback or none

	PythonVersion string // "3.13"; empty is any
	RuntimePython string // path or program name; empty chooses
	PackagesFile  string // empty chooses
	CacheDir      string // empty is the user's cache folder
	Figures       bool   // open figures become artifacts

	DefaultTimeout time.Duration // at most MaxTimeout
	MaxTimeout     time.Duration
	CPU            time.Duration // whole seconds; 0: timeout x CPUs + 1, which the caller works out
	Memory         int64
	Processes      int
	FileSize       int64
	Disk           int64
	OpenFiles      int

	MaxOutputBytes    int64 // kept of each stream
	MaxOutputTotal    int64 // of both streams, before the run is ended
	MaxArtifactBytes  int64
	MaxArtifactsTotal int64
	MaxArtifacts      int
	MaxInputFileBytes int64
	MaxInputsTotal    int64
	MaxInputFiles     int
	MaxCodeBytes      int64

	Warm          string   // auto, on or off
	Preload       []string // empty: packages.txt; the one word none: nothing
	JSONResponse  bool
	StatelessHTTP bool
}

// Serve is what the MCP server shows.
type Serve struct {
	Tools     []string // at least one
	Artifacts string   // inline or auto; empty: http inline, stdio auto
}

// Setting is one line of `pyrun config`.
type Setting struct {
	Key     string // "runner.memory"
	Value   string // as it could be written in the file
	Default string // likewise; empty when there is none
	Empty   string // what an empty or zero value stands for, or ""
	Source  string // "default", "flag --memory", "PYRUN_MEMORY", "file ./pyrun.yaml:12"
	Doc     string // one sentence
}

// Settings lists every setting in the order of the documentation. Values are
// the Config's as it is now; a secret is never among them, only paths to some.
func (c *Config) Settings() []Setting {
	list := make([]Setting, 0, len(table))
	for i := range table {
		k := &table[i]
		if k.Kind == Unused {
			continue
		}
		list = append(list, Setting{
			Key: k.Name, Value: k.render(c), Default: k.Default,
			Empty: k.Empty, Source: c.sources[i], Doc: k.Doc,
		})
	}
	return list
}

// File is the configuration file that was read, as it was named, or "".
func (c *Config) File() string { return c.file }

// Notes says what was accepted and does nothing, one sentence each.
func (c *Config) Notes() []string { return c.notes }

// Warnings says what is probably a mistake, one sentence each.
func (c *Config) Warnings() []string { return c.warnings }
