// Package python knows CPython: how to find one, what a sandbox must show for
// it to run, how a script is started in it and how to read what it reports.
// It knows no walls and imports nothing of ours.
//
// Promise: an Interpreter returned by Choose was started once and is CPython
// 3.9 or newer. Not promised: that what it says about itself stays true when
// somebody changes its files while pyrun runs.
package python

// Interpreter is one CPython and all a sandbox must show for it to run.
//
// Outside of a sandbox pyrun starts Base for work of its own, and once, to learn
// what it is, the program that was named, without the site module; nothing that
// lies in an environment that pyrun made. Where no sandbox is wanted, scripts and
// the parser are started as Source, with all that its environment runs by itself.
type Interpreter struct {
	Path     string // of its executable, as the script sees it
	Source   string // of its executable on this machine
	Base     string // of the program behind all links; no environment that pyrun made has one of its own
	Version  string // "3.14.6"
	Prefix   string // sys.prefix inside
	Embedded bool
	Mounts   []Mount // read-only views; nothing else of the host is needed
	Links    []Link
	Packages []Distribution // what is installed beside the standard library
	Sites    []string       `json:"-"` // the folders they are in, on this machine; kept by the record itself

	// Environment is the folder of the environment that it is in, on this machine; empty when in none.
	Environment string

	// Env is what its scripts need in their environment, NAME=VALUE: where the CA
	// bundle stands, when it cannot be shown where OpenSSL looks by itself.
	Env []string

	// EnvOutside takes its place for scripts that run at Source, where nothing is mounted.
	EnvOutside []string

	// Harness is bootstrap.py compiled for this very interpreter (a .pyc), or
	// its source when it could not be compiled ahead. HarnessName ends in .pyc or .py.
	Harness     []byte
	HarnessName string
}

// Mount shows the host's Source at Target. Data holds no program or library.
type Mount struct {
	Source, Target string
	Data           bool
}

// Link is a symbolic link inside: Path says Target.
type Link struct{ Path, Target string }

// Distribution is an installed package.
type Distribution struct {
	Name    string // as its metadata spells it
	Version string
	Imports []string // top-level import names
}
