package exec

// The numbers an Executor falls back on, and the check of its Options.

import (
	"math"
	"runtime"
	"time"

	"github.com/pyrun-dev/pyrun/internal/exec/sandbox"
)

// The defaults of the contract. What a caller sees of them stands in the help and in pyrun config.
const (
	defaultTimeout          = 30 * time.Second
	defaultMaxTimeout       = 300 * time.Second
	defaultMemory           = 512 << 20
	defaultFileSize         = 64 << 20
	defaultDisk             = 256 << 20
	defaultInodes           = 8192
	defaultProcesses        = 64
	defaultOpenFiles        = 256
	defaultMaxOutputBytes   = 1 << 20
	defaultMaxOutputTotal   = 64 << 20
	defaultMaxArtifactBytes = 5 << 20
	defaultArtifactsTotal   = 10 << 20
	defaultMaxArtifacts     = 64
	defaultMaxInputBytes    = 5 << 20
	defaultInputsTotal      = 10 << 20
	defaultMaxInputs        = 16
	defaultMaxCodeBytes     = 1 << 20
	defaultMaxQueue         = 64
)

// minMemory is the least with which an interpreter starts at all.
const minMemory = 16 << 20

// withDefaults fills zero fields and refuses what makes no sense.
func (o Options) withDefaults() (Options, error) {
	if err := checkChoices(&o); err != nil {
		return o, err
	}
	type number struct {
		field string
		value *int64
		or    int64
	}
	for _, n := range []number{
		{"memory", &o.Limits.Memory, defaultMemory},
		{"file_size", &o.Limits.FileSize, defaultFileSize},
		{"disk", &o.Limits.Disk, defaultDisk},
		{"max_output_bytes", &o.MaxOutputBytes, defaultMaxOutputBytes},
		{"max_output_total", &o.MaxOutputTotal, defaultMaxOutputTotal},
		{"max_artifact_bytes", &o.MaxArtifactBytes, defaultMaxArtifactBytes},
		{"max_artifacts_total_bytes", &o.MaxArtifactsTotal, defaultArtifactsTotal},
		{"max_input_file_bytes", &o.MaxInputBytes, defaultMaxInputBytes},
		{"max_inputs_total_bytes", &o.MaxInputsTotal, defaultInputsTotal},
		{"max_code_bytes", &o.MaxCodeBytes, defaultMaxCodeBytes},
		{"default_timeout", (*int64)(&o.DefaultTimeout), int64(min(defaultTimeout, orMax(o.MaxTimeout)))},
		{"max_timeout", (*int64)(&o.MaxTimeout), int64(defaultMaxTimeout)},
		{"cpu_seconds", (*int64)(&o.Limits.CPU), 0},
	} {
		if *n.value < 0 {
			return o, &RequestError{Field: n.field, Msg: "is negative"}
		}
		if *n.value == 0 {
			*n.value = n.or
		}
	}
	type count struct {
		field string
		value *int
		or    int
	}
	for _, n := range []count{
		{"processes", &o.Limits.Processes, defaultProcesses},
		{"open_files", &o.Limits.OpenFiles, defaultOpenFiles},
		{"inodes", &o.Limits.Inodes, defaultInodes},
		{"max_artifacts", &o.MaxArtifacts, defaultMaxArtifacts},
		{"max_input_files", &o.MaxInputs, defaultMaxInputs},
		{"max_workers", &o.MaxWorkers, runtime.NumCPU()},
		{"warm", &o.Warm, 0},
	} {
		if *n.value < 0 {
			return o, &RequestError{Field: n.field, Msg: "is negative"}
		}
		if *n.value == 0 {
			*n.value = n.or
		}
	}
	switch {
	case o.MaxQueue < 0:
		o.MaxQueue = 0
	case o.MaxQueue == 0:
		o.MaxQueue = defaultMaxQueue
	}
	if o.DefaultTimeout > o.MaxTimeout {
		return o, &RequestError{Field: "default_timeout", Msg: "is longer than max_timeout"}
	}
	if o.Limits.Memory < minMemory {
		return o, &RequestError{Field: "memory", Msg: "is below 16 MiB, with which no interpreter starts"}
	}
	return o, nil
}

// checkChoices settles the words among the options.
func checkChoices(o *Options) error {
	switch o.Sandbox {
	case "", "auto":
		o.Sandbox = string(sandbox.Native) // never anything weaker
	case string(sandbox.Native), string(sandbox.None):
	case "restricted":
		return &RequestError{
			Field: "sandbox", Msg: "restricted is not offered in this version",
			Hint: "take native, or by its own name none, which is no wall at all",
		}
	default:
		return &RequestError{Field: "sandbox", Msg: "is none of auto, native, none: " + clip(o.Sandbox, 40)}
	}
	switch o.Network {
	case "":
		o.Network = sandbox.NetworkLoopback
	case sandbox.NetworkLoopback, sandbox.NetworkNone:
	default:
		return &RequestError{Field: "network", Msg: "is neither loopback nor none: " + clip(string(o.Network), 40)}
	}
	return nil
}

func orMax(d time.Duration) time.Duration {
	if d <= 0 {
		return math.MaxInt64
	}
	return d
}
