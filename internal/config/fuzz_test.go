package config

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// render writes a configuration as a file that says all of it.
func render(c *Config) string {
	var b strings.Builder
	last := ""
	for _, s := range c.Settings() {
		sec, bare, _ := strings.Cut(s.Key, ".")
		if sec != last {
			b.WriteString(sec + ":\n")
			last = sec
		}
		b.WriteString("  " + bare + ": " + strconv.QuoteToASCII(s.Value) + "\n")
	}
	return b.String()
}

// Whatever the bytes: one error of ours, or a configuration that means the
// same when it is written out and read again.
func FuzzFile(f *testing.F) {
	seed, err := os.ReadFile("testdata/seed.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed, "PYRUN_MEMORY=1G")
	for _, s := range []string{
		"", "# nothing\n", "runner: {memory: 1.5G, preload: [json, re], figures: off}\n", "service:\n  host: 0.0.0.0\n  allowed_hosts: a, b\n",
		"runner:\n  packages_file: ~/p\n  cache_dir: ../c\n", "runner: &a\n  x: *a\n", "runner:\n\tmemory: 1G\n", "a: [\n", "--- \n--- \n",
		"runner:\n  memory: !!binary AA==\n", "MonitorServer: [1, {2: 3}]\n", "runner:\n  <<: {}\n", "? [a]\n: b\n", "runner:\n  python_version: 3.10\n",
		"serve:\n  tools: [run_python]\n  artifacts: ''\n", "\xef\xbb\xbfrunner:\r\n  disk: 1G\r\n", "runner:\n  runtime_python: \"\\u202e\\uFEFF\"\n",
	} {
		f.Add([]byte(s), "McpPythonRunner___disk=2M")
	}
	f.Fuzz(func(t *testing.T, data []byte, variable string) {
		environ := []string{"HOME=/h", variable}
		c, err := Load(named(string(data), environ...))
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || !errors.Is(err, ErrInvalid) || e.Source == "" || e.Msg == "" {
				t.Fatalf("not an error of ours: %#v", err)
			}
			if strings.ContainsAny(e.Msg, "\n\r\x1b\x00") {
				t.Fatalf("not one line: %q", e.Msg)
			}
			return
		}
		text := render(c)
		again, err := Load(named(text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if d := cmp.Diff(c.Service, again.Service) + cmp.Diff(c.Runner, again.Runner) + cmp.Diff(c.Serve, again.Serve); d != "" {
			t.Fatalf("%s\n%s", d, text)
		}
	})
}

func FuzzParseSize(f *testing.F) {
	for _, s := range []string{"512M", "1.5G", "12Q", "-1", "", "1e3x", "NaN", "8388607.999T", "99999999999999999999"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, err := ParseSize(s)
		if err != nil {
			return
		}
		if back, err := ParseSize(FormatSize(n)); n < 0 || err != nil || back != n {
			t.Fatalf("%q is %d, written %q, read as %d, %v", s, n, FormatSize(n), back, err)
		}
	})
}

func FuzzParseDuration(f *testing.F) {
	for _, s := range []string{"10s", "2m", "30", "1.5", "1e9", "", "-1s", "99999999999s", "1h30m"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, err := ParseDuration(s)
		if err != nil {
			return
		}
		if back, err := ParseDuration(FormatDuration(d)); d < 0 || err != nil || back != d {
			t.Fatalf("%q is %v, written %q, read as %v, %v", s, d, FormatDuration(d), back, err)
		}
	})
}
