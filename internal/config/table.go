package config

// This file holds the keys. It is constant data, laid out by the compiler:
// nothing here runs when the program starts.

import "time"

const (
	kib = 1 << 10
	mib = 1 << 20
	gib = 1 << 30
	tib = 1 << 40

	second = int64(time.Second)
	hour   = int64(time.Hour)
)

const (
	runnerSection  = "runner"
	serviceSection = "service"
	serveSection   = "serve"
)

var table = [...]Key{
	{Name: "service.console_log_level", Kind: Enum, Default: "INFO", Values: []string{"DEBUG", "INFO", "WARNING", "WARN", "ERROR", "CRITICAL"}, Safe: "*", Doc: "Least level of what is logged to stderr", field: func(c *Config) any { return &c.Service.ConsoleLogLevel }},
	{Name: "service.log_format", Kind: Enum, Default: "text", Values: []string{"text", "json"}, Safe: "*", Doc: "Form of the log lines", field: func(c *Config) any { return &c.Service.LogFormat }},
	{Name: "service.host", Kind: Text, Default: "127.0.0.1", Safe: "*", Doc: "Address to listen on; another than loopback needs token_file, jwks_url or insecure_no_auth", check: checkHost, field: func(c *Config) any { return &c.Service.Host }},
	{Name: "service.port", Kind: Int, Default: "8000", Min: 1, Max: 65535, Safe: "*", Doc: "TCP port to listen on", field: func(c *Config) any { return &c.Service.Port }},
	{Name: "service.path", Kind: Text, Default: "/mcp", Safe: "*", Doc: "Path of the MCP endpoint", check: checkURLPath, field: func(c *Config) any { return &c.Service.Path }},
	{Name: "service.metrics_host", Kind: Text, Empty: "service.host", Like: "service.host", Safe: "*", Doc: "Address that metrics are served on", check: checkHost, field: func(c *Config) any { return &c.Service.MetricsHost }},
	{Name: "service.metrics_port", Kind: Int, Default: "9999", Min: 1, Max: 65535, ZeroOK: true, Empty: "off", Safe: "*", Doc: "TCP port of metrics and health", field: func(c *Config) any { return &c.Service.MetricsPort }},
	{Name: "service.max_workers", Kind: Int, Default: "0", Min: 1, Max: 4096, ZeroOK: true, Empty: "number of CPUs", Runner: "RUNNER_MAX_CONCURRENT", Safe: "*", Doc: "Runs at once", field: func(c *Config) any { return &c.Service.MaxWorkers }},
	{Name: "service.max_queue", Kind: Int, Default: "64", Min: 0, Max: 65536, Safe: "*", Doc: "Runs that may wait; the next caller is told that pyrun is busy", field: func(c *Config) any { return &c.Service.MaxQueue }},
	{Name: "service.hpa_max_workers", Kind: Int, Default: "2", Min: 1, Max: 65536, Safe: "*", Doc: "Runs per replica that the autoscaling metric is divided by", field: func(c *Config) any { return &c.Service.HPAMaxWorkers }},
	{Name: "service.token_file", Kind: Path, Empty: "no tokens", Doc: "Bearer tokens, one name:sha256 a line", field: func(c *Config) any { return &c.Service.TokenFile }},
	{Name: "service.insecure_no_auth", Kind: Bool, Default: "false", Safe: "false", Doc: "Serve other addresses than loopback to anyone who can reach them", field: func(c *Config) any { return &c.Service.InsecureNoAuth }},
	{Name: "service.jwks_url", Kind: Text, Empty: "no JSON web tokens", Doc: "Where the keys are that JSON web tokens are checked with", check: checkURL, field: func(c *Config) any { return &c.Service.JWKSURL }},
	{Name: "service.jwt_issuer", Kind: Text, Doc: "Issuer that a JSON web token must name", field: func(c *Config) any { return &c.Service.JWTIssuer }},
	{Name: "service.jwt_audience", Kind: Text, Doc: "Audience that a JSON web token must name", field: func(c *Config) any { return &c.Service.JWTAudience }},
	{Name: "service.tls_cert", Kind: Path, Empty: "no TLS", Doc: "Certificate chain, PEM", field: func(c *Config) any { return &c.Service.TLSCert }},
	{Name: "service.tls_key", Kind: Path, Empty: "no TLS", Doc: "Key of the certificate, PEM", field: func(c *Config) any { return &c.Service.TLSKey }},
	{Name: "service.allowed_hosts", Kind: List, Empty: "loopback names and service.host", Doc: "Host headers that are answered", field: func(c *Config) any { return &c.Service.AllowedHosts }},
	{Name: "service.allowed_origins", Kind: List, Empty: "loopback origins", Doc: "Origin headers that are answered", field: func(c *Config) any { return &c.Service.AllowedOrigins }},
	{Name: "service.cors_origins", Kind: List, Empty: "no CORS", Doc: "Origins whose pages may call from a browser", field: func(c *Config) any { return &c.Service.CORSOrigins }},
	{Name: "service.max_body_bytes", Kind: Size, Default: "0", Min: 64 * kib, Max: 4 * gib, ZeroOK: true, Empty: "what the input limits need", Safe: "*", Doc: "Largest request body", field: func(c *Config) any { return &c.Service.MaxBodyBytes }},
	{Name: "service.rate_per_minute", Kind: Int, Default: "0", Min: 1, Max: 1e6, ZeroOK: true, Empty: "no limit", Safe: "*", Doc: "Calls of one caller in a minute", field: func(c *Config) any { return &c.Service.RatePerMinute }},
	{Name: "service.max_per_caller", Kind: Int, Default: "0", Min: 1, Max: 4096, ZeroOK: true, Empty: "no limit", Safe: "*", Doc: "Runs of one caller at once", field: func(c *Config) any { return &c.Service.MaxPerCaller }},

	{Name: "runner.sandbox_backend", Kind: Enum, Default: "auto", Values: []string{"auto", "native", "restricted", "none"}, Aliases: []string{"sandbox"}, Safe: "auto,native", Doc: "The walls around a script; auto is native or a refusal", field: func(c *Config) any { return &c.Runner.SandboxBackend }},
	{Name: "runner.allow_restricted", Kind: Bool, Default: "false", Safe: "false", Doc: "auto may take restricted where native cannot be had", field: func(c *Config) any { return &c.Runner.AllowRestricted }},
	{Name: "runner.network", Kind: Enum, Default: "loopback", Values: []string{"loopback", "none"}, Safe: "*", Doc: "An own loopback and nothing else, or no sockets at all", field: func(c *Config) any { return &c.Runner.Network }},
	{Name: "runner.python_version", Kind: Text, Empty: "any version", Safe: "*", Doc: "Version the interpreter must have, such as 3.13", check: checkVersion, field: func(c *Config) any { return &c.Runner.PythonVersion }},
	{Name: "runner.runtime_python", Kind: Program, Empty: "CODE_TOOLS_PYTHON, /opt/code-tools-env/bin/python, the installed environment, the embedded interpreter", Aliases: []string{"python"}, Doc: "The interpreter", field: func(c *Config) any { return &c.Runner.RuntimePython }},
	{Name: "runner.packages_file", Kind: Path, Empty: "packages.txt beside the environment, the built-in list", Safe: "*", Doc: "The allowed packages", field: func(c *Config) any { return &c.Runner.PackagesFile }},
	{Name: "runner.cache_dir", Kind: Path, Empty: "pyrun in the user's cache folder", Doc: "Where the embedded interpreter is unpacked and run folders are kept", field: func(c *Config) any { return &c.Runner.CacheDir }},
	{Name: "runner.figures", Kind: Bool, Default: "true", Safe: "*", Doc: "Open matplotlib figures become artifacts", field: func(c *Config) any { return &c.Runner.Figures }},
	{Name: "runner.default_timeout", Kind: Duration, Default: "30s", Min: second, Max: 24 * hour, Aliases: []string{"timeout"}, Safe: "*", Doc: "Wall clock of a run that asks for none; at most max_timeout", field: func(c *Config) any { return &c.Runner.DefaultTimeout }},
	{Name: "runner.max_timeout", Kind: Duration, Default: "5m", Min: second, Max: 24 * hour, Safe: "*", Doc: "Most wall clock that a run may ask for", field: func(c *Config) any { return &c.Runner.MaxTimeout }},
	{Name: "runner.cpu_seconds", Kind: Duration, Default: "0s", Min: second, Max: 10000 * hour, ZeroOK: true, Empty: "timeout x CPUs + 1 s", Aliases: []string{"cpu-time"}, Runner: "RUNNER_MAX_CPU_SECONDS", Safe: "*", Doc: "Processor time of one process, whole seconds", check: checkWholeSeconds, field: func(c *Config) any { return &c.Runner.CPU }},
	{Name: "runner.memory", Kind: Size, Default: "512 MiB", Min: 16 * mib, Max: 64 * tib, Runner: "RUNNER_MAX_MEMORY_MB", Unit: "M", Safe: "*", Doc: "Memory of a run, all its processes together", field: func(c *Config) any { return &c.Runner.Memory }},
	{Name: "runner.processes", Kind: Int, Default: "64", Min: 1, Max: 32768, Runner: "RUNNER_MAX_PROCESSES", Safe: "*", Doc: "Processes and threads of a run at once", field: func(c *Config) any { return &c.Runner.Processes }},
	{Name: "runner.file_size", Kind: Size, Default: "64 MiB", Min: kib, Max: tib, Runner: "RUNNER_MAX_FILE_SIZE_MB", Unit: "M", Safe: "*", Doc: "Largest file a script may write", field: func(c *Config) any { return &c.Runner.FileSize }},
	{Name: "runner.disk", Kind: Size, Default: "256 MiB", Min: mib, Max: tib, Safe: "*", Doc: "All that a script may write, together", field: func(c *Config) any { return &c.Runner.Disk }},
	{Name: "runner.open_files", Kind: Int, Default: "256", Min: 16, Max: mib, Safe: "*", Doc: "Open descriptors of one process", field: func(c *Config) any { return &c.Runner.OpenFiles }},
	{Name: "runner.max_output_bytes", Kind: Size, Default: "1 MiB", Min: kib, Max: gib, Aliases: []string{"max-output"}, Runner: "RUNNER_MAX_OUTPUT_CHARS", Safe: "*", Doc: "Kept of stdout and of stderr, head and tail", field: func(c *Config) any { return &c.Runner.MaxOutputBytes }},
	{Name: "runner.max_output_total", Kind: Size, Default: "64 MiB", Min: kib, Max: tib, Safe: "*", Doc: "Output of both streams after which a run is ended", field: func(c *Config) any { return &c.Runner.MaxOutputTotal }},
	{Name: "runner.max_artifact_bytes", Kind: Size, Default: "5 MiB", Min: kib, Max: tib, Safe: "*", Doc: "Largest artifact", field: func(c *Config) any { return &c.Runner.MaxArtifactBytes }},
	{Name: "runner.max_artifacts_total_bytes", Kind: Size, Default: "10 MiB", Min: kib, Max: tib, Safe: "*", Doc: "All artifacts of a run; at least max_artifact_bytes", field: func(c *Config) any { return &c.Runner.MaxArtifactsTotal }},
	{Name: "runner.max_artifacts", Kind: Int, Default: "64", Min: 1, Max: 10000, Safe: "*", Doc: "Number of artifacts of a run", field: func(c *Config) any { return &c.Runner.MaxArtifacts }},
	{Name: "runner.max_input_file_bytes", Kind: Size, Default: "5 MiB", Min: kib, Max: tib, Like: "runner.max_artifact_bytes", Safe: "*", Doc: "Largest input file", field: func(c *Config) any { return &c.Runner.MaxInputFileBytes }},
	{Name: "runner.max_inputs_total_bytes", Kind: Size, Default: "10 MiB", Min: kib, Max: tib, Like: "runner.max_artifacts_total_bytes", Safe: "*", Doc: "All input files of a run; at least max_input_file_bytes", field: func(c *Config) any { return &c.Runner.MaxInputsTotal }},
	{Name: "runner.max_input_files", Kind: Int, Default: "16", Min: 1, Max: 10000, Safe: "*", Doc: "Number of input files of a run", field: func(c *Config) any { return &c.Runner.MaxInputFiles }},
	{Name: "runner.max_code_bytes", Kind: Size, Default: "1 MiB", Min: kib, Max: gib, Safe: "*", Doc: "Largest script", field: func(c *Config) any { return &c.Runner.MaxCodeBytes }},
	{Name: "runner.warm", Kind: Enum, Default: "auto", Values: []string{"auto", "on", "off"}, Safe: "*", Doc: "Keep copies of a started interpreter ready in serve; auto does without where there can be none, on does not start there", field: func(c *Config) any { return &c.Runner.Warm }},
	{Name: "runner.preload", Kind: List, Empty: "packages.txt", Safe: "*", Doc: "Modules that warm copies have imported already; packages.txt is what scripts use most of the standard library and every installed package, none is none", field: func(c *Config) any { return &c.Runner.Preload }},
	{Name: "runner.json_response", Kind: Bool, Default: "true", Safe: "*", Doc: "Answer HTTP calls with JSON; with an event stream only where progress is asked for", field: func(c *Config) any { return &c.Runner.JSONResponse }},
	{Name: "runner.stateless_http", Kind: Bool, Default: "true", Safe: "*", Doc: "HTTP calls need no session", field: func(c *Config) any { return &c.Runner.StatelessHTTP }},
	{Name: "runner.warm_cache", Kind: Unused, Safe: "*", Doc: "Accepted for old files; does nothing"},
	{Name: "runner.uv_path", Kind: Unused, Safe: "*", Doc: "Accepted for old files; does nothing"},

	{Name: "serve.tools", Kind: List, Default: "execute_python, validate_code, check_environment", Values: []string{"execute_python", "validate_code", "check_environment", "run_python"}, Safe: "*", Doc: "Tools that are offered", field: func(c *Config) any { return &c.Serve.Tools }},
	{Name: "serve.artifacts", Kind: Enum, Values: []string{"inline", "auto"}, Empty: "http: inline, stdio: auto", Safe: "*", Doc: "How artifacts travel: all inside the answer, or by what a model can use", field: func(c *Config) any { return &c.Serve.Artifacts }},
}
