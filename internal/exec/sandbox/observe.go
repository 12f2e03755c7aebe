package sandbox

// Observation is what the kernel says of a running script, looked at from
// outside. What may not be looked at is missing from the maps.
type Observation struct {
	Namespaces map[string]string // of the script: "net" is "net:[4026532177]"
	Own        map[string]string // likewise of this process
	Status     map[string]string // fields of the script's /proc/PID/status
	OwnStatus  map[string]string // likewise of this process
	Reach      []string          // its network interfaces that have an address or a route
}

// Survey is what this machine gives to build walls of.
type Survey struct {
	Landlock int   // version of the kernel's interface; 0 where there is none
	Calls    int   // system calls that the filter lets through
	Sampled  error // why no cgroup can hold the memory; explains itself (Explain); nil when one can
}

// Observe looks at the script's process from outside. The script must be
// known to live: one that has ended cannot be told from one that is hidden.
func (p *Process) Observe() (Observation, error) { return p.impl.observe() }
