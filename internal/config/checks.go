package config

// This file holds what must be true of a text, and of two settings together.

import (
	"fmt"
	"strings"
	"time"
)

func checkHost(text string) string {
	if text == "" || strings.ContainsAny(text, " /,@") {
		return fmt.Sprintf("%q is not an address; write a name or an IP without port", text)
	}
	if strings.Count(text, ":") == 1 {
		return fmt.Sprintf("%q is not an address; the port has a key of its own", text)
	}
	return ""
}

func checkURLPath(text string) string {
	if !strings.HasPrefix(text, "/") || strings.ContainsAny(text, " ?#{}") {
		return fmt.Sprintf("%q is not a path; it starts with / and holds none of ? # { } or blanks", text)
	}
	return ""
}

func checkURL(text string) string {
	rest, ok := strings.CutPrefix(text, "https://")
	if !ok {
		rest, ok = strings.CutPrefix(text, "http://")
	}
	if text != "" && (!ok || rest == "" || strings.ContainsAny(text, " \"<>")) {
		return fmt.Sprintf("%q is not a web address; it starts with https://", text)
	}
	return ""
}

func checkVersion(text string) string {
	if text == "" {
		return ""
	}
	parts := strings.Split(text, ".")
	ok := len(parts) == 2 || len(parts) == 3
	for _, p := range parts {
		ok = ok && digits(p) && len(p) <= 3
	}
	if !ok {
		return fmt.Sprintf("%q is not a Python version; write 3.13 or 3.13.2", text)
	}
	return ""
}

func checkWholeSeconds(text string) string {
	if d, err := ParseDuration(text); err != nil || d%time.Second != 0 {
		return fmt.Sprintf("%q is not a whole number of seconds", text)
	}
	return ""
}

// cross checks the settings that bound each other.
func (c *Config) cross() error {
	for _, p := range []struct {
		low, high string
		ok        bool
	}{
		{"runner.default_timeout", "runner.max_timeout", c.Runner.DefaultTimeout <= c.Runner.MaxTimeout},
		{"runner.max_output_bytes", "runner.max_output_total", c.Runner.MaxOutputBytes <= c.Runner.MaxOutputTotal},
		{"runner.max_artifact_bytes", "runner.max_artifacts_total_bytes", c.Runner.MaxArtifactBytes <= c.Runner.MaxArtifactsTotal},
		{"runner.max_input_file_bytes", "runner.max_inputs_total_bytes", c.Runner.MaxInputFileBytes <= c.Runner.MaxInputsTotal},
	} {
		if !p.ok {
			return c.clash(p.low, p.high)
		}
	}
	for _, p := range [][2]string{
		{"service.tls_cert", "service.tls_key"},
		{"service.tls_key", "service.tls_cert"},
		{"service.jwks_url", "service.jwt_issuer"},
		{"service.jwks_url", "service.jwt_audience"},
		{"service.jwt_issuer", "service.jwks_url"},
		{"service.jwt_audience", "service.jwks_url"},
	} {
		if has, source := c.value(p[0]); has != "" {
			if needs, _ := c.value(p[1]); needs == "" {
				return &Error{Source: source, Key: p[0], Msg: "needs " + p[1] + " too, which is not set"}
			}
		}
	}
	return nil
}

// clash blames the setting that somebody made, the lower one if both are.
func (c *Config) clash(low, high string) error {
	a, from := c.value(low)
	b, limit := c.value(high)
	if from == "default" && limit != "default" {
		return &Error{Source: limit, Key: high, Msg: fmt.Sprintf("%s is less than %s, %s (%s); raise the one or lower the other", b, low, a, from)}
	}
	return &Error{Source: from, Key: low, Msg: fmt.Sprintf("%s is more than %s, %s (%s); lower the one or raise the other", a, high, b, limit)}
}

// value gives a setting's text and its source.
func (c *Config) value(name string) (text, source string) {
	for i := range table {
		if table[i].Name == name {
			return table[i].render(c), c.sources[i]
		}
	}
	return "", ""
}
