package main

// What each client wants to read in its settings to start pyrun.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/pyrun-dev/pyrun/internal/config"
)

// client is one program that speaks the protocol.
type client struct {
	name  string
	where string // the file that the snippet belongs in; empty where it is a command
	stdio func(command string, args []string) string
	http  func(url string, token bool) string // nil: it cannot
}

// entry is one server in a client's JSON.
type entry struct {
	Type    string            `json:"type,omitempty"`
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
}

func clientNames() []string {
	var names []string
	for _, c := range clients() {
		names = append(names, c.name)
	}
	return names
}

func clients() []client {
	servers := func(key string, e entry) string {
		return asJSON(map[string]any{key: map[string]any{"pyrun": e}})
	}
	bearer := func(token bool) map[string]string {
		if token {
			return map[string]string{"Authorization": "Bearer YOUR_TOKEN"}
		}
		return nil
	}
	return []client{
		{
			name:  "claude-desktop",
			where: "claude_desktop_config.json (Settings, Developer, Edit Config)",
			stdio: func(command string, args []string) string {
				return servers("mcpServers", entry{Command: command, Args: args})
			},
		},
		{
			name: "claude-code",
			stdio: func(command string, args []string) string {
				return "claude mcp add pyrun -- " + shellWords(append([]string{command}, args...)) + "\n"
			},
			http: func(url string, token bool) string {
				line := "claude mcp add --transport http pyrun " + shellWord(url)
				if token {
					line += ` --header "Authorization: Bearer YOUR_TOKEN"`
				}
				return line + "\n"
			},
		},
		{
			name: "cursor", where: "~/.cursor/mcp.json, or .cursor/mcp.json in a project",
			stdio: func(command string, args []string) string {
				return servers("mcpServers", entry{Command: command, Args: args})
			},
			http: func(url string, token bool) string {
				return servers("mcpServers", entry{URL: url, Headers: bearer(token)})
			},
		},
		{
			name: "vscode", where: ".vscode/mcp.json in a project",
			stdio: func(command string, args []string) string {
				return servers("servers", entry{Type: "stdio", Command: command, Args: args})
			},
			http: func(url string, token bool) string {
				return servers("servers", entry{Type: "http", URL: url, Headers: bearer(token)})
			},
		},
		{
			name: "zed", where: "~/.config/zed/settings.json",
			stdio: func(command string, args []string) string {
				return servers("context_servers", entry{Command: command, Args: args})
			},
			http: func(url string, token bool) string {
				return servers("context_servers", entry{URL: url, Headers: bearer(token)})
			},
		},
		{
			name: "codex", where: "~/.codex/config.toml",
			stdio: func(command string, args []string) string {
				return "[mcp_servers.pyrun]\ncommand = " + quoteTOML(command) + "\nargs = " + listTOML(args) + "\ntool_timeout_sec = 330\n"
			},
			http: func(url string, token bool) string {
				text := "[mcp_servers.pyrun]\nurl = " + quoteTOML(url) + "\ntool_timeout_sec = 330\n"
				if token {
					text += "bearer_token_env_var = \"PYRUN_TOKEN\"\n"
				}
				return text
			},
		},
		{
			name: "goose", where: "~/.config/goose/config.yaml",
			stdio: func(command string, args []string) string {
				return "extensions:\n  pyrun:\n    name: pyrun\n    type: stdio\n    enabled: true\n    timeout: 330\n    cmd: " + asYAML(command) + "\n    args: " + asYAML(args) + "\n"
			},
			http: func(url string, token bool) string {
				text := "extensions:\n  pyrun:\n    name: pyrun\n    type: streamable_http\n    enabled: true\n    timeout: 330\n    uri: " + asYAML(url) + "\n"
				if token {
					text += "    headers:\n      Authorization: Bearer YOUR_TOKEN\n"
				}
				return text
			},
		},
	}
}

// printConfig is `pyrun serve --print-config`. The snippet alone goes to stdout;
// where it belongs is said on stderr.
func (d *door) printConfig(name, transport string, s *config.Config) error {
	for _, c := range clients() {
		if c.name != name {
			continue
		}
		text := ""
		if transport == "http" {
			if c.http == nil {
				return usage("%s starts its servers itself: print its configuration without --transport http", name)
			}
			text = c.http(endpoint(s), s.Service.TokenFile != "" || s.Service.JWKSURL != "")
		} else {
			command, err := os.Executable()
			if err != nil {
				return fmt.Errorf("find out where pyrun lies: %w", err)
			}
			text = c.stdio(command, d.serveAgain())
		}
		if c.where != "" {
			d.ui.Note("into " + c.where + ":")
		}
		_, err := fmt.Fprint(d.ui.Out(), text)
		return wrote(err)
	}
	if near := nearest(name, clientNames()); near != "" {
		return usage("--print-config %s: did you mean %s?", name, near)
	}
	return usage("--print-config %s: is none of %s", name, strings.Join(clientNames(), ", "))
}

// serveAgain is this command line for a client to repeat, with absolute paths
// and without what is only about printing.
func (d *door) serveAgain() []string {
	args := []string{"serve", "--transport", "stdio"}
	for _, f := range d.line.flags {
		name, value, joined := strings.Cut(f, "=")
		switch name {
		case "--print-config", "--transport", "--color", "--quiet", "--json":
			continue
		case "--config", "--python", "--runtime-python", "--packages-file":
			if strings.ContainsRune(value, filepath.Separator) || name == "--config" || name == "--packages-file" {
				value = d.abs(value)
			}
		}
		if args = append(args, name); joined {
			args = append(args, value)
		}
	}
	return args
}

// endpoint is the address that a client of this machine would use.
func endpoint(s *config.Config) string {
	scheme, host := "http", s.Service.Host
	if s.Service.TLSCert != "" {
		scheme = "https"
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() || host == "" {
		host = "127.0.0.1"
	}
	return scheme + "://" + net.JoinHostPort(host, strconv.Itoa(s.Service.Port)) + s.Service.Path
}

func asJSON(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	_ = enc.Encode(v) // strings, lists and maps of them
	return b.String()
}

// asYAML is JSON on one line, which YAML is a superset of.
func asYAML(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // strings and lists of them
	return strings.TrimSpace(b.String())
}

// quoteTOML is a basic string: JSON's escapes are among TOML's.
func quoteTOML(s string) string { return asYAML(s) }

func listTOML(list []string) string { return asYAML(list) }

func shellWords(list []string) string {
	words := make([]string, 0, len(list))
	for _, w := range list {
		words = append(words, shellWord(w))
	}
	return strings.Join(words, " ")
}
