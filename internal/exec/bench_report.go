package exec

// BenchReport is what was measured. Times are in milliseconds.
type BenchReport struct {
	Python  string        `json:"python"`
	CPUs    int           `json:"cpus"`
	Sandbox SandboxInfo   `json:"sandbox"`
	Rows    []BenchRow    `json:"rows"`
	Rates   []BenchRate   `json:"rates"`
	Pool    BenchPool     `json:"pool"`
	Missing []BenchAbsent `json:"missing,omitempty"`
}

// BenchRow is one script run one way. XBare is its median as a multiple of that
// of the bare interpreter with the same script.
type BenchRow struct {
	Script string  `json:"script"`
	How    string  `json:"how"` // "bare", "cold", "warm" or "http", a server's answer on loopback
	Runs   int     `json:"runs"`
	P50    float64 `json:"p50_ms"`
	P99    float64 `json:"p99_ms"`
	XBare  float64 `json:"x_bare"`
}

// BenchRate is how many runs of hello are answered in a second.
type BenchRate struct {
	How       string  `json:"how"`
	Callers   int     `json:"callers"`
	PerSecond float64 `json:"runs_per_second"`
	P99       float64 `json:"p99_ms"`
}

// BenchPool is what the pool did meanwhile.
type BenchPool struct {
	Made   int     `json:"made"`
	Cold   int     `json:"found_none"`
	FillMS float64 `json:"fill_ms"`
}

// BenchAbsent is a script, or a way to run it, that could not be measured.
type BenchAbsent struct {
	What string `json:"what"`
	Why  string `json:"why"`
}
