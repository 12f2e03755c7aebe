package config

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// Every mistake ends in one line that says where, what and what would be right.
func TestMistakesInTheFile(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"unknown key":         {"runner:\n  memroy: 1G\n", `c.yaml:2: unknown key "memroy" in runner; did you mean memory?`},
		"flag name as key":    {"runner:\n  timeout: 10\n", `c.yaml:2: unknown key "timeout" in runner; write default_timeout`},
		"dashes":              {"runner:\n  max-timeout: 10\n", `c.yaml:2: unknown key "max-timeout" in runner; write max_timeout`},
		"upper case":          {"runner:\n  Memory: 1G\n", `c.yaml:2: unknown key "Memory" in runner; write memory`},
		"wrong section":       {"service:\n  memory: 1G\n", `c.yaml:2: unknown key "memory" in service; it belongs to runner`},
		"alias elsewhere":     {"service:\n  sandbox: none\n", `c.yaml:2: unknown key "sandbox" in service; write sandbox_backend in runner`},
		"nothing near":        {"runner:\n  xyzzy: 1\n", "c.yaml:2: unknown key \"xyzzy\" in runner; `pyrun config` lists the keys"},
		"unknown section":     {"\nruner:\n  memory: 1\n", `c.yaml:2: unknown section "runer"; did you mean runner?`},
		"strange section":     {"database:\n  x: 1\n", `c.yaml:1: unknown section "database"; the sections are service, runner and serve`},
		"no section":          {"memory: 1G\n", `c.yaml:1: unknown section "memory"; memory belongs below runner:`},
		"dotted":              {"runner.memory: 1G\n", `c.yaml:1: unknown section "runner.memory"; memory belongs below runner:`},
		"twice":               {"runner:\n  disk: 1G\n  disk: 1G\n", `c.yaml:3: runner.disk: stands here a second time; it was set on line 2`},
		"twice by two names":  {"runner:\n  disk: 1G\nMcpPythonRunner:\n  disk: 2G\n", `c.yaml:4: runner.disk: stands here a second time; it was set on line 2`},
		"section twice":       {"runner:\n  disk: 1G\nrunner:\n  memory: 2G\n", `c.yaml:3: section runner stands here a second time; it began on line 1`},
		"list at the top":     {"- a\n", `c.yaml:1: wants sections (service:, runner:, serve:), not a list`},
		"word at the top":     {"hello\n", `c.yaml:1: wants sections (service:, runner:, serve:), not the single value "hello"`},
		"section is a word":   {"runner: fast\n", `c.yaml:1: section runner wants keys with values, not the single value "fast"`},
		"section is a list":   {"runner: [a]\n", `c.yaml:1: section runner wants keys with values, not a list`},
		"mapping for a value": {"runner:\n  memory:\n    max: 1G\n", `c.yaml:3: runner.memory: wants one value, not keys with values`},
		"list for a value":    {"runner:\n  memory: [1G]\n", `c.yaml:2: runner.memory: wants one value, not a list`},
		"mapping in a list":   {"runner:\n  preload:\n    - a: b\n", `c.yaml:3: runner.preload: wants one value, not keys with values`},
		"comma in an item":    {"runner:\n  preload: ['a,b']\n", `c.yaml:2: runner.preload: "a,b" is not an item; it wants one word`},
		"nothing as an item":  {"runner:\n  preload: [~]\n", `c.yaml:2: runner.preload: "~" is not an item; it wants one word`},
		"key that is a list":  {"[a]: 1\n", `c.yaml:1: wants one value, not a list`},
		"anchor":              {"runner:\n  memory: &m 1G\n", `c.yaml:2: anchors and aliases (& and *) are not understood here; write the value out, in quotes if it is text`},
		"alias":               {"runner: &r\n  memory: 1G\nservice: *r\n", `c.yaml:1: anchors and aliases (& and *) are not understood here; write the value out, in quotes if it is text`},
		"alias of nothing":    {"runner:\n  memory: *m\n", `c.yaml:2: anchors and aliases (& and *) are not understood here; write the value out, in quotes if it is text`},
		"bare star":           {"service:\n  allowed_hosts: *.example.com\n", `c.yaml:2: is not YAML: did not find expected alphabetic or numeric character; text that begins with * or & stands in quotes`},
		"merge":               {"runner:\n  <<: {memory: 1G}\n", `c.yaml:2: << is not understood here; write the keys out`},
		"tag":                 {"runner:\n  memory: !size 1G\n", `c.yaml:2: runner.memory: the tag "!size" is not understood here; write a plain value`},
		"binary tag":          {"runner:\n  network: !!binary bm9uZQ==\n", `c.yaml:2: runner.network: the tag "!!binary" is not understood here; write a plain value`},
		"tab":                 {"runner:\n\tmemory: 1G\n", `c.yaml:2: a tab cannot indent; use spaces`},
		"tab after blanks":    {"runner:\n  disk: 1G\n  \tmemory: 1G\n", `c.yaml:3: a tab cannot indent; use spaces`},
		"second document":     {"runner:\n  memory: 1G\n---\nrunner:\n", `c.yaml:3: a second document begins; a configuration file holds one`},
		"open bracket":        {"runner:\n  preload: [a\n", `c.yaml:2: is not YAML: did not find expected ',' or ']'`},
		"open quote":          {"runner:\n  memory: \"1G\n", `c.yaml:2: is not YAML: found unexpected end of stream`},
		"colon in a value":    {"runner:\n  memory: 1: 2\n", `c.yaml:2: is not YAML: mapping values are not allowed in this context`},
		"missing colon":       {"service:\n  port: 1\n  host\n  path: /x\n", `c.yaml:3: is not YAML: could not find expected ':'`},
		"less indented":       {"runner:\n    memory: 1G\n  disk: 1G\n", `c.yaml:3: is not YAML: did not find expected key`},
		"first line":          {"runner: [\n", `c.yaml:1: is not YAML: did not find expected node content`},
		"zero byte":           {"runner:\n  memory: 1\x00G\n", `c.yaml:2: holds a control character (U+0000); this is not a text file`},
		"an ELF file":         {"\x7fELF\x02\x01\x01\x00", `c.yaml:1: holds a control character (U+007F); this is not a text file`},
		"latin-1":             {"# caf\xe9\n", `c.yaml:1: holds bytes that are not UTF-8; save it as UTF-8`},
		"control character":   {"service:\n  token_file: \"a\\eb\"\n", `c.yaml:2: service.token_file: "a\x1bb" holds a control character`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Load(named(tt.text))
			if err == nil || err.Error() != tt.want {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
			if !errors.Is(err, ErrInvalid) {
				t.Errorf("%v is not an ErrInvalid", err)
			}
		})
	}
}

func TestFilesThatSetNothing(t *testing.T) {
	for _, text := range []string{"", "\n\n", "# all is commented out\n", "---\n", "--- ~\n", "\xef\xbb\xbf", "runner:\n", "runner: {}\n", "{}", "runner:\n  memory:\n  disk: ~\n"} {
		c, err := Load(named(text))
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		for _, s := range c.Settings() {
			if s.Source != "default" {
				t.Errorf("%q sets %s", text, s.Key)
			}
		}
		if empty := !strings.ContainsAny(text, "r{"); empty != (len(c.Notes()) == 1) && text != "# all is commented out\n" {
			t.Errorf("%q: notes %q", text, c.Notes())
		}
	}
}

func TestForms(t *testing.T) {
	for _, text := range []string{
		"runner:\r\n  memory: 1G\r\n", "\xef\xbb\xbfrunner:\n  memory: 1G\n", "runner: {memory: 1073741824}\n", "RUNNER:\n  memory: '1 GiB'\n",
		"{\"runner\": {\"memory\": \"1G\"}}", "mcppythonrunner:\n  memory: 1024M # much\n", "---\nrunner:\n  memory: >-\n    1G\n...\n",
	} {
		if c, err := Load(named(text)); err != nil || c.Runner.Memory != 1<<30 {
			t.Errorf("%q: %v", text, err)
		}
	}
	for text, want := range map[string]string{"[json, re]": "json, re", "json, re": "json, re", "\n    - json\n    - re": "json, re", "[]": "", "none": "none"} {
		c, err := Load(named("runner:\n  preload: " + text + "\n"))
		if err != nil || strings.Join(c.Runner.Preload, ", ") != want {
			t.Errorf("%q: %v", text, err)
		}
	}
	for text, want := range map[string]string{"on": "on", "true": "on", "no": "off", "0": "off", "AUTO": "auto"} {
		if c, err := Load(named("runner:\n  warm: " + text + "\n")); err != nil || c.Runner.Warm != want {
			t.Errorf("%q: %v", text, err)
		}
	}
	s := none()
	s.Flags = map[string]string{"no-figures": "true", "no-warm-cache": "true", "uv-path": "uv"}
	c := mustLoad(t, s)
	if got := setting(t, c, "runner.figures"); got.Value != "false" || got.Source != "flag --no-figures" || len(c.Notes()) != 2 {
		t.Errorf("%+v, notes %q", got, c.Notes())
	}
}

func TestMistakesInValues(t *testing.T) {
	for _, tt := range []struct{ pair, want string }{
		{"PYRUN_MEMORY=12Q", `PYRUN_MEMORY: runner.memory: "12Q" is not a size; write 512M, 1G or a number of bytes`},
		{"PYRUN_MEMORY=-1", `PYRUN_MEMORY: runner.memory: "-1" is not a size; write 512M, 1G or a number of bytes`},
		{"PYRUN_MEMORY=1K", `PYRUN_MEMORY: runner.memory: "1K" is out of range; allowed is 16 MiB to 64 TiB`},
		{"PYRUN_MEMORY=99999999T", `PYRUN_MEMORY: runner.memory: "99999999T" is more than any machine has; write 512M, 1G or a number of bytes`},
		{"RUNNER_MAX_MEMORY_MB=512M", `RUNNER_MAX_MEMORY_MB: runner.memory: "512M" is not a whole number of MiB`},
		{"RUNNER_MAX_MEMORY_MB=-1", `RUNNER_MAX_MEMORY_MB: runner.memory: "-1" is not a whole number of MiB`},
		{"RUNNER_MAX_OUTPUT_CHARS=100", `RUNNER_MAX_OUTPUT_CHARS: runner.max_output_bytes: "100" is out of range; allowed is 1 KiB to 1 GiB`},
		{"RUNNER_MAX_CPU_SECONDS=1.5", `RUNNER_MAX_CPU_SECONDS: runner.cpu_seconds: "1.5s" is not a whole number of seconds`},
		{"PYRUN_TIMEOUT=0", `PYRUN_TIMEOUT: runner.default_timeout: "0" is out of range; allowed is 1s to 24h`},
		{"PYRUN_TIMEOUT=1e9", `PYRUN_TIMEOUT: runner.default_timeout: "1e9" is not a time; write 10s, 2m or a number of seconds`},
		{"PYRUN_TIMEOUT=1000000000", `PYRUN_TIMEOUT: runner.default_timeout: "1000000000" is out of range; allowed is 1s to 24h`},
		{"PYRUN_MAX_TIMEOUT=0", `PYRUN_MAX_TIMEOUT: runner.max_timeout: "0" is out of range; allowed is 1s to 24h`},
		{"PYRUN_MAX_OUTPUT_BYTES=1023", `PYRUN_MAX_OUTPUT_BYTES: runner.max_output_bytes: "1023" is out of range; allowed is 1 KiB to 1 GiB`},
		{"PYRUN_MAX_ARTIFACT_BYTES=1023", `PYRUN_MAX_ARTIFACT_BYTES: runner.max_artifact_bytes: "1023" is out of range; allowed is 1 KiB to 1 TiB`},
		{"PYRUN_MAX_INPUT_FILE_BYTES=1023", `PYRUN_MAX_INPUT_FILE_BYTES: runner.max_input_file_bytes: "1023" is out of range; allowed is 1 KiB to 1 TiB`},
		{"PYRUN_MAX_INPUT_FILES=0", `PYRUN_MAX_INPUT_FILES: runner.max_input_files: "0" is out of range; allowed is 1 to 10000`},
		{"PYRUN_PROCESSES=x", `PYRUN_PROCESSES: runner.processes: "x" is not a whole number`},
		{"PYRUN_PROCESSES=1e6", `PYRUN_PROCESSES: runner.processes: "1e6" is not a whole number`},
		{"PYRUN_PROCESSES=99999999999999999999", `PYRUN_PROCESSES: runner.processes: "99999999999999999999" is too large a number`},
		{"PYRUN_FIGURES=maybe", `PYRUN_FIGURES: runner.figures: "maybe" is neither true nor false; write true or false`},
		{"PYRUN_NETWORK=host", `PYRUN_NETWORK: runner.network: "host" is not one of loopback, none`},
		{"PYRUN_SANDBOX=docker", `PYRUN_SANDBOX: runner.sandbox_backend: "docker" is not one of auto, native, restricted, none`},
		{"PYRUN_WARM=maybe", `PYRUN_WARM: runner.warm: "maybe" is not one of auto, on, off`},
		{"PYRUN_NETWORK=off", `PYRUN_NETWORK: runner.network: "off" is not one of loopback, none`},
		{"PYRUN_PYTHON_VERSION=three", `PYRUN_PYTHON_VERSION: runner.python_version: "three" is not a Python version; write 3.13 or 3.13.2`},
		{"service___port=0", `service___port: service.port: "0" is out of range; allowed is 1 to 65535`},
		{"service___port=65536", `service___port: service.port: "65536" is out of range; allowed is 1 to 65535`},
		{"service___metrics_port=-1", `service___metrics_port: service.metrics_port: "-1" is out of range; allowed is 0 or 1 to 65535`},
		{"service___path=mcp", `service___path: service.path: "mcp" is not a path; it starts with / and holds none of ? # { } or blanks`},
		{"service___host=localhost:80", `service___host: service.host: "localhost:80" is not an address; the port has a key of its own`},
		{"service___host=a b", `service___host: service.host: "a b" is not an address; write a name or an IP without port`},
		{"service___jwks_url=ftp://x", `service___jwks_url: service.jwks_url: "ftp://x" is not a web address; it starts with https://`},
		{"service___console_log_level=loud", `service___console_log_level: service.console_log_level: "loud" is not one of DEBUG, INFO, WARNING, WARN, ERROR, CRITICAL`},
		{"serve___tools=,", `serve___tools: serve.tools: names nothing; it wants at least one of execute_python, validate_code, check_environment, run_python`},
		{"serve___tools=run_python,run_python", `serve___tools: serve.tools: "run_python" is named twice`},
		{"serve___tools=run", `serve___tools: serve.tools: "run" is not one of execute_python, validate_code, check_environment, run_python`},
		{"PYRUN_PRELOAD=a b", `PYRUN_PRELOAD: runner.preload: "a b" is not an item; put commas between items`},
		{"runner___memroy=1G", `runner___memroy: unknown key "memroy" in runner; did you mean memory?`},
		{"McpPythonRunner___max_files=1", "McpPythonRunner___max_files: unknown key \"max_files\" in runner; `pyrun config` lists the keys"},
		{"PYRUN_TIMEOUT=10m", `PYRUN_TIMEOUT: runner.default_timeout: 10m is more than runner.max_timeout, 5m (default); lower the one or raise the other`},
		{"PYRUN_MAX_TIMEOUT=10", `PYRUN_MAX_TIMEOUT: runner.max_timeout: 10s is less than runner.default_timeout, 30s (default); raise the one or lower the other`},
		{"PYRUN_MAX_ARTIFACT_BYTES=11M", `PYRUN_MAX_ARTIFACT_BYTES: runner.max_artifact_bytes: 11 MiB is more than runner.max_artifacts_total_bytes, 10 MiB (default); lower the one or raise the other`},
		{"PYRUN_MAX_INPUTS_TOTAL_BYTES=1M", `PYRUN_MAX_INPUTS_TOTAL_BYTES: runner.max_inputs_total_bytes: 1 MiB is less than runner.max_input_file_bytes, 5 MiB (default); raise the one or lower the other`},
		{"PYRUN_MAX_OUTPUT_TOTAL=2K", `PYRUN_MAX_OUTPUT_TOTAL: runner.max_output_total: 2 KiB is less than runner.max_output_bytes, 1 MiB (default); raise the one or lower the other`},
		{"service___tls_cert=/c", `service___tls_cert: service.tls_cert: needs service.tls_key too, which is not set`},
		{"service___tls_key=/c", `service___tls_key: service.tls_key: needs service.tls_cert too, which is not set`},
		{"service___jwks_url=https://x/k", `service___jwks_url: service.jwks_url: needs service.jwt_issuer too, which is not set`},
		{"service___jwt_audience=x", `service___jwt_audience: service.jwt_audience: needs service.jwks_url too, which is not set`},
	} {
		_, err := Load(none(tt.pair))
		if err == nil || err.Error() != tt.want {
			t.Errorf("%s\ngot  %v\nwant %s", tt.pair, err, tt.want)
		}
	}
}

func TestMistakesInFlags(t *testing.T) {
	for flag, tt := range map[string][2]string{
		"memory":     {"", `--memory: "" is not a size; write 512M, 1G or a number of bytes`},
		"timeout":    {"0", `--timeout: "0" is out of range; allowed is 1s to 24h`},
		"no-figures": {"maybe", `--no-figures: "maybe" is neither true nor false; write true or false`},
		"no-memory":  {"true", `--no-memory: is not the flag of a setting`},
		"cpu-time":   {"NaN", `--cpu-time: "NaN" is not a time; write 10s, 2m or a number of seconds`},
	} {
		s := none()
		s.Flags = map[string]string{flag: tt[0]}
		if _, err := Load(s); err == nil || err.Error() != tt[1] {
			t.Errorf("got  %v\nwant %s", err, tt[1])
		}
	}
}

func TestTwoNamesOfOneKeyMustAgree(t *testing.T) {
	_, err := Load(none("PYRUN_MEMORY=1G", "PYRUN_RUNNER_MEMORY=2G"))
	if want := `PYRUN_RUNNER_MEMORY: runner.memory: "2G", but PYRUN_MEMORY says "1G"; set one of them`; err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
	if _, err := Load(none("PYRUN_MEMORY=1G", "PYRUN_RUNNER_MEMORY=1G", "runner___memory=2G")); err != nil {
		t.Error(err)
	}
	// The same name twice: the first counts.
	if c := mustLoad(t, none("PYRUN_MEMORY=1G", "PYRUN_MEMORY=2G")); c.Runner.Memory != 1<<30 {
		t.Error(c.Runner.Memory)
	}
	// An empty variable says nothing.
	if c := mustLoad(t, none("PYRUN_MEMORY=", "RUNNER_MAX_PROCESSES=", "service___port=")); c.Runner.Memory != 512<<20 {
		t.Error(c.Runner.Memory)
	}
}

// Sixty doublings fit in a kilobyte; nothing may follow them.
func TestBomb(t *testing.T) {
	var b strings.Builder
	b.WriteString("MonitorServer:\n  a0: &a0 [x]\n")
	for i := range 60 {
		fmt.Fprintf(&b, "  a%d: &a%d [*a%d, *a%d]\n", i+1, i+1, i, i)
	}
	c, err := Load(named(b.String() + "runner:\n  memory: 1G\n"))
	if err != nil || c.Runner.Memory != 1<<30 {
		t.Error("a bomb in what is ignored does no harm", err)
	}
	if _, err := Load(named(b.String() + "runner:\n  preload: *a60\n")); err == nil || !strings.Contains(err.Error(), "anchors and aliases") {
		t.Error(err)
	}
	deep := "runner: " + strings.Repeat("[", 200000) + "\n"
	if _, err := Load(named(deep)); err == nil {
		t.Error("accepted")
	}
}
