package config

// This file holds what a key is. The keys themselves are in table.go.

import (
	"fmt"
	"strings"
	"time"
)

// Kind is how a setting's text is read.
type Kind int

// The kinds. Unused is a name of older versions: accepted, without effect.
const (
	Text Kind = iota
	Bool
	Int
	Size     // bytes, see ParseSize
	Duration // see ParseDuration
	Enum     // one of Key.Values
	List     // commas between; each one of Key.Values, if there are any
	Path     // a file or folder; relative ones count from the file that says so, else the working folder
	Program  // a Path, or a bare name to be looked up
	Unused
)

// Key is one setting: the only place where its name, range and meaning stand.
type Key struct {
	Name    string // "section.key"
	Kind    Kind
	Default string   // as it would be written
	Min     int64    // lowest Int, Size (bytes) or Duration (nanoseconds)
	Max     int64    // highest; 0 is no bound
	ZeroOK  bool     // 0 is allowed although it is below Min
	Values  []string // of Enum and List
	Empty   string   // what an empty or zero value stands for
	Like    string   // the key whose value it takes while it is not set itself
	Aliases []string // other names as flag (a-b) and as PYRUN_A_B
	Runner  string   // the RUNNER_* variable that sets it
	Unit    string   // unit of the RUNNER_* variable, as a suffix for ParseSize
	Safe    string   // values, with commas between, that a file nobody named may set; "*" is any
	Doc     string   // one sentence, no full stop

	check func(string) string // what is wrong with a text, or ""
	field func(c *Config) any // pointer to its place
}

// Bare is the key's name without its section.
func (k *Key) Bare() string { return k.Name[strings.IndexByte(k.Name, '.')+1:] }

// Section is the part of the name before the dot.
func (k *Key) Section() string { return k.Name[:strings.IndexByte(k.Name, '.')] }

// Env is the shortest PYRUN_* variable that sets the key.
func (k *Key) Env() string {
	if k.Section() == runnerSection {
		return "PYRUN_" + strings.ToUpper(k.Bare())
	}
	return k.LongEnv()
}

// LongEnv is the PYRUN_* variable with the section in it.
func (k *Key) LongEnv() string {
	return "PYRUN_" + strings.ToUpper(strings.Replace(k.Name, ".", "_", 1))
}

// Range says what values are allowed, or "" when the kind says it all.
func (k *Key) Range() string {
	if len(k.Values) > 0 {
		return strings.Join(k.Values, ", ")
	}
	var zero string
	if k.ZeroOK && k.Min > 0 {
		zero = "0 or "
	}
	switch k.Kind {
	case Int:
		return fmt.Sprintf("%s%d to %d", zero, k.Min, k.Max)
	case Size:
		return zero + FormatSize(k.Min) + " to " + FormatSize(k.Max)
	case Duration:
		return zero + FormatDuration(time.Duration(k.Min)) + " to " + FormatDuration(time.Duration(k.Max))
	default:
		return ""
	}
}

// outside says whether n is not a value of the key.
func (k *Key) outside(n int64) bool {
	if n == 0 && k.ZeroOK {
		return false
	}
	return n < k.Min || (k.Max > 0 && n > k.Max)
}
