package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// files answers ReadFile from a map.
func files(m map[string]string) func(string) ([]byte, error) {
	return func(path string) ([]byte, error) {
		if text, ok := m[path]; ok {
			return []byte(text), nil
		}
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
}

// named is a configuration that is given by name, in /w.
func named(text string, environ ...string) Sources {
	return Sources{File: "c.yaml", Dir: "/w", Environ: environ, ReadFile: files(map[string]string{"/w/c.yaml": text})}
}

func none(environ ...string) Sources {
	return Sources{Dir: "/w", Environ: environ, ReadFile: files(nil)}
}

func mustLoad(t *testing.T, s Sources) *Config {
	t.Helper()
	c, err := Load(s)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func setting(t *testing.T, c *Config, key string) Setting {
	t.Helper()
	for _, s := range c.Settings() {
		if s.Key == key {
			return s
		}
	}
	t.Fatalf("no setting %s", key)
	return Setting{}
}

func TestDefaults(t *testing.T) {
	c := mustLoad(t, none())
	want := &Config{
		Service: Service{
			ConsoleLogLevel: "INFO", LogFormat: "text", Host: "127.0.0.1", Port: 8000, Path: "/mcp",
			MetricsHost: "127.0.0.1", MetricsPort: 9999, MaxQueue: 64, HPAMaxWorkers: 2,
		},
		Runner: Runner{
			SandboxBackend: "auto", Network: "loopback", Figures: true,
			DefaultTimeout: 30 * time.Second, MaxTimeout: 300 * time.Second,
			Memory: 512 << 20, Processes: 64, FileSize: 64 << 20, Disk: 256 << 20, OpenFiles: 256,
			MaxOutputBytes: 1048576, MaxOutputTotal: 64 << 20,
			MaxArtifactBytes: 5 << 20, MaxArtifactsTotal: 10 << 20, MaxArtifacts: 64,
			MaxInputFileBytes: 5 << 20, MaxInputsTotal: 10 << 20, MaxInputFiles: 16, MaxCodeBytes: 1048576,
			Warm: "auto", JSONResponse: true, StatelessHTTP: true,
		},
		Serve: Serve{Tools: []string{"execute_python", "validate_code", "check_environment"}},
	}
	if d := cmp.Diff(want.Service, c.Service) + cmp.Diff(want.Runner, c.Runner) + cmp.Diff(want.Serve, c.Serve); d != "" {
		t.Error(d)
	}
	for _, s := range c.Settings() {
		if s.Source != "default" {
			t.Errorf("%s comes from %q", s.Key, s.Source)
		}
		if s.Value != s.Default && s.Key != "service.metrics_host" {
			t.Errorf("%s: value %q is not written like the default %q", s.Key, s.Value, s.Default)
		}
	}
	if c.File() != "" || c.Notes() != nil || c.Warnings() != nil {
		t.Errorf("file %q, notes %q, warnings %q", c.File(), c.Notes(), c.Warnings())
	}
}

// Each source outweighs those below it.
func TestPrecedence(t *testing.T) {
	const file = "service:\n  port: 1\nrunner:\n  memory: 101M\n"
	steps := []struct {
		add    func(*Sources)
		value  string
		source string
	}{
		{func(*Sources) {}, "512 MiB", "default"},
		{func(s *Sources) { s.File, s.ReadFile = "c.yaml", named(file).ReadFile }, "101 MiB", "file c.yaml:4"},
		{func(s *Sources) { s.Environ = append(s.Environ, "RUNNER_MAX_MEMORY_MB=102") }, "102 MiB", "RUNNER_MAX_MEMORY_MB"},
		{func(s *Sources) { s.Environ = append(s.Environ, "McpPythonRunner___memory=103M") }, "103 MiB", "McpPythonRunner___memory"},
		{func(s *Sources) { s.Environ = append(s.Environ, "PYRUN_MEMORY=104M") }, "104 MiB", "PYRUN_MEMORY"},
		{func(s *Sources) { s.Flags = map[string]string{"memory": "105M"} }, "105 MiB", "flag --memory"},
	}
	s := none()
	for _, step := range steps {
		step.add(&s)
		// The order of the environment must not matter.
		for range 2 {
			got := setting(t, mustLoad(t, s), "runner.memory")
			if got.Value != step.value || got.Source != step.source {
				t.Errorf("got %s from %s, want %s from %s", got.Value, got.Source, step.value, step.source)
			}
			for i, j := 0, len(s.Environ)-1; i < j; i, j = i+1, j-1 {
				s.Environ[i], s.Environ[j] = s.Environ[j], s.Environ[i]
			}
		}
	}
}

// company is a file with what a lone setting would clash with or lack, but
// without the setting itself; first stands on line 2, in the key's section.
func company(k Key, first string) string {
	lines := map[string][]string{
		"runner":  {"max_timeout: 2m", "max_output_total: 1G", "max_artifacts_total_bytes: 1G"},
		"service": {"tls_cert: /c", "tls_key: /k", "jwks_url: https://y/k", "jwt_issuer: i", "jwt_audience: a"},
	}
	switch k.Name {
	case "runner.max_timeout", "runner.max_output_total", "runner.max_artifacts_total_bytes", "runner.max_inputs_total_bytes":
		lines["runner"] = []string{"default_timeout: 5s", "max_output_bytes: 1K", "max_artifact_bytes: 1K"}
	}
	var b strings.Builder
	write := func(sec string, lines []string) {
		b.WriteString(sec + ":\n")
		for _, l := range lines {
			if !strings.HasPrefix(l, k.Bare()+":") || l == first {
				b.WriteString("  " + l + "\n")
			}
		}
	}
	write(k.Section(), append([]string{first}, lines[k.Section()]...))
	for _, sec := range []string{"runner", "service"} {
		if sec != k.Section() {
			write(sec, lines[sec])
		}
	}
	return b.String()
}

func TestEveryKeyByEveryName(t *testing.T) {
	samples := map[Kind]string{Bool: "true", Int: "77", Size: "77 MiB", Duration: "1m17s", Path: "/p", Program: "/p", Text: "x"}
	odd := map[string]string{"service.path": "/x", "service.jwks_url": "https://x/k", "runner.python_version": "3.13"}
	for _, k := range table {
		if k.Kind == Unused {
			continue
		}
		text := samples[k.Kind]
		switch {
		case k.Kind == Bool && k.Default == "true":
			text = "false"
		case len(k.Values) > 0:
			text = k.Values[len(k.Values)-1]
		case k.Kind == List:
			text = "a, b"
		case odd[k.Name] != "":
			text = odd[k.Name]
		}
		check := func(s Sources, source string) {
			t.Helper()
			c, err := Load(s)
			if err != nil {
				t.Errorf("%s by %s: %v", k.Name, source, err)
				return
			}
			if got := setting(t, c, k.Name); got.Value != text || got.Source != source {
				t.Errorf("%s: got %q from %q, want %q from %q", k.Name, got.Value, got.Source, text, source)
			}
			if c.Warnings() != nil {
				t.Errorf("%s by %s: warnings %q", k.Name, source, c.Warnings())
			}
		}
		sec, bare := k.Section(), k.Bare()
		file := company(k, "# here")
		names := []string{k.Env(), k.LongEnv(), sec + "___" + bare, strings.ToUpper(sec) + "___" + bare}
		if sec == "runner" {
			names = append(names, "PYRUN_"+strings.ToUpper(bare))
		}
		if sec == "runner" && bare != "python_version" { // a label there
			names = append(names, "McpPythonRunner___"+bare)
		}
		for _, a := range k.Aliases {
			names = append(names, "PYRUN_"+strings.ToUpper(strings.ReplaceAll(a, "-", "_")))
		}
		for _, name := range names {
			check(named(file, name+"="+text), name)
		}
		for _, name := range append([]string{k.Name, bare, strings.ReplaceAll(bare, "_", "-")}, k.Aliases...) {
			s := named(file)
			s.Flags = map[string]string{name: text}
			check(s, "flag --"+name)
		}
		check(named(company(k, bare+": "+text)), "file c.yaml:2")
		check(named(company(k, bare+": '"+text+"'")), "file c.yaml:2")
	}
}

func TestNamesAreOnePerKey(t *testing.T) {
	flags, vars := map[string]string{}, map[string]string{}
	claim := func(m map[string]string, name, key string) {
		t.Helper()
		if old, ok := m[name]; ok && old != key {
			t.Errorf("%s is both %s and %s", name, old, key)
		}
		m[name] = key
	}
	for _, k := range table {
		claim(flags, strings.ReplaceAll(k.Bare(), "_", "-"), k.Name)
		claim(vars, k.Env(), k.Name)
		claim(vars, k.LongEnv(), k.Name)
		for _, a := range k.Aliases {
			claim(flags, a, k.Name)
			claim(vars, "PYRUN_"+strings.ToUpper(strings.ReplaceAll(a, "-", "_")), k.Name)
		}
		if k.Runner != "" {
			claim(vars, k.Runner, k.Name)
		}
		if k.Doc == "" || strings.HasSuffix(k.Doc, ".") {
			t.Errorf("%s: doc %q", k.Name, k.Doc)
		}
		if k.Kind != Unused && k.field == nil {
			t.Errorf("%s has no place", k.Name)
		}
		if k.Like != "" && find(k.Like) == nil {
			t.Errorf("%s follows %s, which is not there", k.Name, k.Like)
		}
	}
	c := &Config{}
	places := map[any]string{}
	for _, k := range table {
		if k.Kind == Unused {
			continue
		}
		place := k.field(c)
		if other, taken := places[place]; taken {
			t.Errorf("%s and %s share a place", k.Name, other)
		}
		places[place] = k.Name
		var want bool
		switch place.(type) {
		case *bool:
			want = k.Kind == Bool
		case *int:
			want = k.Kind == Int
		case *int64:
			want = k.Kind == Size
		case *time.Duration:
			want = k.Kind == Duration
		case *string:
			want = k.Kind == Text || k.Kind == Enum || k.Kind == Path || k.Kind == Program
		case *[]string:
			want = k.Kind == List
		}
		if !want {
			t.Errorf("%s: kind %s does not fit a %T", k.Name, wordFor(k.Kind), place)
		}
	}
}

func TestRunnerVariables(t *testing.T) {
	c := mustLoad(t, none("RUNNER_MAX_CPU_SECONDS=5", "RUNNER_MAX_MEMORY_MB=256", "RUNNER_MAX_PROCESSES=32",
		"RUNNER_MAX_FILE_SIZE_MB=10", "RUNNER_MAX_OUTPUT_CHARS=20000", "RUNNER_MAX_CONCURRENT=3", "RUNNER_OS=Linux", "RUNNER_TEMP=/tmp"))
	r := c.Runner
	if r.CPU != 5*time.Second || r.Memory != 256<<20 || r.Processes != 32 || r.FileSize != 10<<20 || r.MaxOutputBytes != 20000 || c.Service.MaxWorkers != 3 {
		t.Errorf("%+v, %d workers", r, c.Service.MaxWorkers)
	}
	if c.Warnings() != nil {
		t.Errorf("warnings %q", c.Warnings())
	}
}

func TestSeedFile(t *testing.T) {
	c, err := Load(Sources{File: "testdata/seed.yaml"})
	if err != nil {
		t.Fatal(err)
	}
	if c.Service.Host != "0.0.0.0" || c.Service.MaxWorkers != 4 || c.Runner.SandboxBackend != "native" || c.Runner.PythonVersion != "" ||
		c.Runner.DefaultTimeout != 30*time.Second || c.Runner.MaxArtifactBytes != 5242880 || c.Runner.RuntimePython != "" || c.Runner.PackagesFile != "" {
		t.Errorf("%+v", c)
	}
	want := []string{
		"testdata/seed.yaml:12: python_version in McpPythonRunner is only a label there, as it always was; runner.python_version demands a version",
		"testdata/seed.yaml:23: warm_cache does nothing",
		"testdata/seed.yaml:24: uv_path does nothing",
		"testdata/seed.yaml:28: MonitorServer does nothing; metrics are set with service.metrics_host and service.metrics_port",
	}
	if d := cmp.Diff(want, c.Notes()); d != "" {
		t.Error(d)
	}
	if c.File() != "testdata/seed.yaml" {
		t.Errorf("file %q", c.File())
	}
	// And as people override it.
	c, err = Load(Sources{File: "testdata/seed.yaml", Environ: []string{
		"McpPythonRunner___sandbox_backend=none", "service___port=8001", "MonitorServer___port=1", "McpPythonRunner___uv_path=/x", "McpPythonRunner___python_version=3.13", "other___thing=1",
	}})
	if err != nil {
		t.Fatal(err)
	}
	if c.Runner.SandboxBackend != "none" || c.Service.Port != 8001 || c.Runner.PythonVersion != "" || len(c.Notes()) != 7 {
		t.Errorf("%+v", c)
	}
}

// TestPlacesOnWindows: no file counts there that any other user could have made.
func TestPlacesOnWindows(t *testing.T) {
	vars := &environment{vars: []string{"APPDATA=/AppData", "HOME=/h"}}
	var got []string
	for _, c := range (&Sources{Dir: "/w"}).candidates("windows", vars) {
		got = append(got, filepath.ToSlash(c.path))
	}
	if d := cmp.Diff([]string{"/w/pyrun.yaml", "/AppData/pyrun/config.yaml"}, got); d != "" {
		t.Error(d)
	}
}

func TestPlaces(t *testing.T) {
	all := map[string]string{
		"/w/pyrun.yaml": "runner:\n  memory: 101M\n", "/x/pyrun/config.yaml": "runner:\n  memory: 102M\n",
		"/h/.config/pyrun/config.yaml": "runner:\n  memory: 103M\n", "/etc/pyrun/config.yaml": "runner:\n  memory: 104M\n",
		"/w/a.yaml": "runner:\n  memory: 105M\n", "/b.yaml": "runner:\n  memory: 106M\n",
	}
	for _, tt := range []struct {
		name, file string
		environ    []string
		without    []string
		want       string
		source     string
	}{
		{name: "flag", file: "a.yaml", environ: []string{"PYRUN_CONFIG=/b.yaml"}, want: "105 MiB", source: "file a.yaml:2"},
		{name: "variable", environ: []string{"PYRUN_CONFIG=/b.yaml", "HOME=/h"}, want: "106 MiB", source: "file /b.yaml:2"},
		{name: "empty variable", environ: []string{"PYRUN_CONFIG=", "HOME=/h"}, want: "101 MiB", source: "file ./pyrun.yaml:2"},
		{name: "here", environ: []string{"XDG_CONFIG_HOME=/x", "HOME=/h"}, want: "101 MiB", source: "file ./pyrun.yaml:2"},
		{name: "xdg", environ: []string{"XDG_CONFIG_HOME=/x", "HOME=/h"}, without: []string{"/w/pyrun.yaml"}, want: "102 MiB", source: "file /x/pyrun/config.yaml:2"},
		{name: "home", environ: []string{"HOME=/h"}, without: []string{"/w/pyrun.yaml"}, want: "103 MiB", source: "file /h/.config/pyrun/config.yaml:2"},
		{name: "relative xdg does not count", environ: []string{"XDG_CONFIG_HOME=x", "HOME=/h"}, without: []string{"/w/pyrun.yaml"}, want: "103 MiB", source: "file /h/.config/pyrun/config.yaml:2"},
		{name: "no home", without: []string{"/w/pyrun.yaml"}, want: "104 MiB", source: "file /etc/pyrun/config.yaml:2"},
		{name: "none", environ: []string{"HOME=/nobody"}, without: []string{"/w/pyrun.yaml", "/etc/pyrun/config.yaml"}, want: "512 MiB", source: "default"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := map[string]string{}
			for k, v := range all {
				m[k] = v
			}
			for _, k := range tt.without {
				delete(m, k)
			}
			got := setting(t, mustLoad(t, Sources{File: tt.file, Environ: tt.environ, Dir: "/w", ReadFile: files(m)}), "runner.memory")
			if got.Value != tt.want || got.Source != tt.source {
				t.Errorf("got %s from %s", got.Value, got.Source)
			}
		})
	}
}

func TestPaths(t *testing.T) {
	text := "runner:\n  runtime_python: venv/bin/python\n  packages_file: ../p.txt\n  cache_dir: ~/c\nservice:\n  token_file: /t\n"
	s := Sources{File: "conf/c.yaml", Dir: "/w", ReadFile: files(map[string]string{"/w/conf/c.yaml": text}), Environ: []string{"HOME=/h"}}
	c := mustLoad(t, s)
	got := []string{c.Runner.RuntimePython, c.Runner.PackagesFile, c.Runner.CacheDir, c.Service.TokenFile}
	if d := cmp.Diff([]string{"/w/conf/venv/bin/python", "/w/p.txt", "/h/c", "/t"}, got); d != "" {
		t.Error(d)
	}
	s.Environ = append(s.Environ, "PYRUN_PYTHON=python3.12", "PYRUN_PACKAGES_FILE=p.txt")
	s.Flags = map[string]string{"cache-dir": "c"}
	c = mustLoad(t, s)
	got = []string{c.Runner.RuntimePython, c.Runner.PackagesFile, c.Runner.CacheDir}
	if d := cmp.Diff([]string{"python3.12", "/w/p.txt", "/w/c"}, got); d != "" {
		t.Error(d)
	}
	if _, err := Load(none("PYRUN_CACHE_DIR=~/c")); err == nil || !strings.Contains(err.Error(), "needs HOME") {
		t.Error(err)
	}
}

func TestDefaultsThatFollow(t *testing.T) {
	c := mustLoad(t, named("service:\n  host: 0.0.0.0\nrunner:\n  max_artifact_bytes: 20M\n  max_artifacts_total_bytes: 40M\n"))
	if c.Service.MetricsHost != "0.0.0.0" || c.Runner.MaxInputFileBytes != 20<<20 || c.Runner.MaxInputsTotal != 40<<20 {
		t.Errorf("%+v", c)
	}
	if got := setting(t, c, "runner.max_inputs_total_bytes").Source; got != "default, as runner.max_artifacts_total_bytes" {
		t.Error(got)
	}
}

func TestKubernetesServiceLinks(t *testing.T) {
	links := []string{
		"PYRUN_SERVICE_HOST=10.0.0.7", "PYRUN_SERVICE_PORT=80", "PYRUN_SERVICE_PORT_HTTP=80", "PYRUN_PORT=tcp://10.0.0.7:80",
		"PYRUN_PORT_80_TCP=tcp://10.0.0.7:80", "PYRUN_PORT_80_TCP_PROTO=tcp", "PYRUN_PORT_80_TCP_PORT=80", "PYRUN_PORT_80_TCP_ADDR=10.0.0.7",
	}
	c := mustLoad(t, none(links...))
	if c.Service.Host != "127.0.0.1" || c.Service.Port != 8000 || len(c.Notes()) != 2 || c.Warnings() != nil {
		t.Errorf("%+v", c)
	}
	c = mustLoad(t, none(append([]string{"PYRUN_SERVICE_HOST=0.0.0.0", "service___port=8080"}, links...)...))
	if c.Service.Host != "0.0.0.0" || c.Service.Port != 8080 {
		t.Errorf("%+v", c)
	}
	// IPv6 brackets the address in one of them only.
	c = mustLoad(t, none("PYRUN_SERVICE_HOST=fd00::7", "PYRUN_SERVICE_PORT=80", "PYRUN_PORT=tcp://[fd00::7]:80"))
	if c.Service.Host != "127.0.0.1" || c.Service.Port != 8000 {
		t.Errorf("%+v", c)
	}
}

func TestWarnings(t *testing.T) {
	for name, want := range map[string]string{
		"PYRUN_MEMORRY":        "PYRUN_MEMORRY is not a setting and does nothing; did you mean PYRUN_MEMORY?",
		"PYRUN_PORT":           "PYRUN_PORT is not a setting and does nothing; did you mean PYRUN_SERVICE_PORT?",
		"PYRUN_NO_FIGURES":     "PYRUN_NO_FIGURES is not a setting and does nothing; did you mean PYRUN_FIGURES?",
		"RUNNER_MAX_MEMORY_GB": "RUNNER_MAX_MEMORY_GB is not a setting and does nothing; did you mean RUNNER_MAX_MEMORY_MB?",
		"RUNNER_MAX_SOMETHING": "RUNNER_MAX_SOMETHING is not a setting and does nothing",
		"PYRUN_CONFIG_X":       "", "PYRUN_REQUIRE_LAYERS": "", "PYRUN_TEST_X": "", "PYRUN_": "", "PYRUN": "", "RUNNER_DEBUG": "", "pyrun_memory": "",
	} {
		c := mustLoad(t, none(name+"=9"))
		if got := strings.Join(c.Warnings(), "|"); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestTrustOfTheWorkingFolder(t *testing.T) {
	here := func(text string) Sources {
		return Sources{Dir: "/w", ReadFile: files(map[string]string{"/w/pyrun.yaml": text})}
	}
	for _, line := range []string{
		"runner: {sandbox_backend: none}", "runner: {sandbox_backend: RESTRICTED}", "runner: {allow_restricted: yes}", "runner: {runtime_python: bin/python}",
		"runner: {cache_dir: c}", "service: {insecure_no_auth: true}", "service: {token_file: t}", "service: {jwks_url: https://e/k}",
		"service: {allowed_hosts: [e.example]}", "service: {allowed_origins: 'https://e'}", "service: {cors_origins: [\"*\"]}",
	} {
		_, err := Load(here(line))
		if err == nil || !strings.HasPrefix(err.Error(), "./pyrun.yaml:1: ") || !strings.Contains(err.Error(), "name it: --config ./pyrun.yaml") {
			t.Errorf("%s: %v", line, err)
		}
	}
	for _, line := range []string{
		"runner: {sandbox_backend: native}", "runner: {sandbox_backend: Auto}", "runner: {allow_restricted: no}", "runner: {runtime_python: ''}",
		"runner: {memory: 1G, network: none, figures: off}", "service: {insecure_no_auth: false, allowed_hosts: []}",
	} {
		if _, err := Load(here(line)); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	// Named, the same file may say what it likes.
	s := here("runner: {sandbox_backend: none}")
	s.File = "pyrun.yaml"
	if c := mustLoad(t, s); c.Runner.SandboxBackend != "none" {
		t.Errorf("%+v", c.Runner)
	}
	s = here("runner: {sandbox_backend: none}")
	s.Environ = []string{"PYRUN_CONFIG=./pyrun.yaml"}
	if c := mustLoad(t, s); c.Runner.SandboxBackend != "none" {
		t.Errorf("%+v", c.Runner)
	}
}

func TestRealFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	load := func(file string) (*Config, error) {
		return Load(Sources{File: file, Dir: dir, Environ: []string{"HOME=" + filepath.Join(dir, "home")}})
	}
	write("ok.yaml", "runner:\n  memory: 1G\n")
	if c, err := load("ok.yaml"); err != nil || c.Runner.Memory != 1<<30 || c.File() != "ok.yaml" {
		t.Error(c, err)
	}
	if _, err := load("missing.yaml"); !errors.Is(err, fs.ErrNotExist) || !errors.Is(err, ErrInvalid) || err.Error() != "missing.yaml: there is no such configuration file" {
		t.Error(err)
	}
	if _, err := load("."); err == nil || err.Error() != ".: is a folder, not a configuration file" {
		t.Error(err)
	}
	write("huge.yaml", strings.Repeat("# much\n", MaxFileSize/7+1))
	if _, err := load("huge.yaml"); err == nil || !strings.Contains(err.Error(), "larger than 1 MiB") {
		t.Error(err)
	}
	// A name that is looked for, and is not what it should be.
	if err := os.Mkdir(filepath.Join(dir, "pyrun.yaml"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := load(""); err == nil || err.Error() != "./pyrun.yaml: is a folder, not a configuration file" {
		t.Error(err)
	}
	if err := os.Remove(filepath.Join(dir, "pyrun.yaml")); err != nil {
		t.Fatal(err)
	}
	// Below a file there can be no file.
	write("home", "")
	if _, err := load(""); err != nil {
		t.Error(err)
	}
	var e *Error
	if _, err := load("ok.yaml/x"); !errors.As(err, &e) {
		t.Error(err)
	}
}

func TestFoldersAndFilesThatAreClosed(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("nothing is closed to root")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "pyrun.yaml"), []byte("runner:\n"), 0); err != nil {
		t.Fatal(err)
	}
	_, err := Load(Sources{Dir: dir})
	if err == nil || err.Error() != "./pyrun.yaml: the configuration file cannot be read: permission denied" || !errors.Is(err, fs.ErrPermission) {
		t.Error(err)
	}
	home := filepath.Join(t.TempDir(), "home")
	if err := os.Mkdir(home, 0); err != nil {
		t.Fatal(err)
	}
	s := Sources{Dir: t.TempDir(), Environ: []string{"HOME=" + home}}
	c, err := Load(s)
	if err != nil || len(c.Warnings()) != 1 || !strings.Contains(c.Warnings()[0], "its folder is closed to this user") {
		t.Error(c, err)
	}
	s.File = filepath.Join(home, "c.yaml")
	if _, err := Load(s); !errors.Is(err, fs.ErrPermission) {
		t.Error(err)
	}
}
