package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"
	"go.yaml.in/yaml/v3"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

var update = flag.Bool("update", false, "write what the clients need into docs/tools.md")

// understood is a client's entry as that client reads it.
type understood struct {
	Command string
	Args    []string
	URL     string
	Token   string // of the Authorization header, or the variable that holds it
	Extra   string // what else the client has to be told
}

// read is how each client reads its settings.
func read(t *testing.T, name, text string) understood {
	t.Helper()
	parse := map[string]struct {
		unmarshal func([]byte, any) error
		key       string
	}{
		"claude-desktop": {json.Unmarshal, "mcpServers"},
		"cursor":         {json.Unmarshal, "mcpServers"},
		"vscode":         {json.Unmarshal, "servers"},
		"zed":            {json.Unmarshal, "context_servers"},
		"codex":          {toml.Unmarshal, "mcp_servers"},
		"goose":          {yaml.Unmarshal, "extensions"},
	}
	if name == "claude-code" {
		return readLine(t, text)
	}
	p, ok := parse[name]
	if !ok {
		t.Fatalf("nobody knows how %s reads its settings", name)
	}
	var file map[string]map[string]map[string]any
	if err := p.unmarshal([]byte(text), &file); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if len(file) != 1 || len(file[p.key]) != 1 || file[p.key]["pyrun"] == nil {
		t.Fatalf("not %s.pyrun alone:\n%s", p.key, text)
	}
	var u understood
	var extra []string
	for key, value := range file[p.key]["pyrun"] {
		switch key {
		case "command", "cmd":
			u.Command = value.(string)
		case "args":
			for _, a := range value.([]any) {
				u.Args = append(u.Args, a.(string))
			}
		case "url", "uri":
			u.URL = value.(string)
		case "headers":
			u.Token = value.(map[string]any)["Authorization"].(string)
		case "bearer_token_env_var":
			u.Token = value.(string)
		default:
			extra = append(extra, fmt.Sprintf("%s=%v", key, value))
		}
	}
	slices.Sort(extra)
	u.Extra = strings.Join(extra, " ")
	return u
}

// readLine has a shell read the command line of Claude Code.
func readLine(t *testing.T, line string) understood {
	t.Helper()
	sh, err := osexec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell to read it")
	}
	out, err := osexec.CommandContext(t.Context(), sh, "-c", `claude() { printf '%s\0' "$@"; }; `+line).Output()
	if err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	words := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	add, words := words[:2], words[2:]
	if !slices.Equal(add, []string{"mcp", "add"}) {
		t.Fatalf("claude %q", add)
	}
	if words[0] == "pyrun" && words[1] == "--" {
		return understood{Command: words[2], Args: words[3:]}
	}
	u := understood{Extra: strings.Join(words[:3], " "), URL: words[3]}
	if len(words) > 4 {
		u.Token = strings.TrimPrefix(strings.Join(words[4:], " "), "--header Authorization: ")
	}
	return u
}

// What each client reads starts this very pyrun with the settings that were given,
// from wherever it is started, or leads it to where the server listens.
func TestEveryClientUnderstands(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), `o'dd "né" $HOME`)
	if runtime.GOOS == "windows" {
		dir = filepath.Join(t.TempDir(), `o'dd né $HOME`)
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	settings := filepath.Join(dir, "my settings.yaml")
	for _, file := range []string{settings, filepath.Join(dir, "tokens")} {
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	extra := map[string][2]string{ // stdio, http
		"vscode":      {"type=stdio", "type=http"},
		"codex":       {"tool_timeout_sec=330", "tool_timeout_sec=330"},
		"goose":       {"enabled=true name=pyrun timeout=330 type=stdio", "enabled=true name=pyrun timeout=330 type=streamable_http"},
		"claude-code": {"", "--transport http pyrun"},
	}
	for _, c := range clients() {
		t.Run(c.name, func(t *testing.T) {
			text := prints(t, dir, "serve", "--print-config", c.name, "--config", "my settings.yaml", "--memory", "1G")
			got := read(t, c.name, text)
			want := understood{Command: self, Args: []string{"serve", "--transport", "stdio", "--config", settings, "--memory", "1G"}, Extra: extra[c.name][0]}
			if d := cmp.Diff(want, got); d != "" {
				t.Fatal(d)
			}
			if !filepath.IsAbs(got.Command) {
				t.Errorf("%s depends on where the client is started", got.Command)
			}
			prints(t, t.TempDir(), got.Args...) // from elsewhere; without a client it ends

			if c.http == nil {
				return
			}
			for token, line := range map[string][]string{"": nil, "Bearer YOUR_TOKEN": {"--token-file", "tokens"}} {
				if token != "" && c.name == "codex" {
					token = "PYRUN_TOKEN"
				}
				text := prints(t, dir, append([]string{"serve", "--transport", "http", "--print-config", c.name, "--port", "8443", "--path", "/tools/mcp"}, line...)...)
				want := understood{URL: "http://127.0.0.1:8443/tools/mcp", Token: token, Extra: extra[c.name][1]}
				if d := cmp.Diff(want, read(t, c.name, text)); d != "" {
					t.Error(d)
				}
			}
		})
	}
}

// prints is what pyrun prints on standard output; it must succeed.
func prints(t *testing.T, dir string, args ...string) string {
	t.Helper()
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	file := func(name string) *os.File {
		f, err := os.Create(filepath.Join(t.TempDir(), name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	out, errs := file("out"), file("err")
	w := world{stdin: null, stdout: out, stderr: errs, environ: []string{"HOME=" + dir}, dir: dir, open: func(exec.Options) (executor, error) { return quiet{}, nil }}
	code := w.main(context.Background(), append([]string{"pyrun"}, args...))
	text := func(f *os.File) string {
		data, err := os.ReadFile(f.Name()) // over stdio the server closed it
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	if code != 0 {
		t.Fatalf("%q: exit code %d\n%s", args, code, text(errs))
	}
	return text(out)
}

// quiet is an Executor that nobody asks for anything.
type quiet struct{ executor }

func (quiet) Check(context.Context, exec.Inspection) (*exec.Environment, error) {
	return &exec.Environment{Interpreter: &exec.InterpreterInfo{Version: "3.14.6"}, Walls: []exec.Wall{{Name: "seccomp", Held: true}}}, nil
}

func (quiet) Close() error { return nil }

// docs/tools.md shows what every client needs, as it is printed.
func TestClientsDocumented(t *testing.T) {
	const page, begin, end = "../../docs/tools.md", "<!-- clients: written by `go test ./cmd/pyrun -run ClientsDocumented -update` -->\n", "<!-- end of clients -->\n"
	var b strings.Builder
	for _, c := range clients() {
		kind := map[string]string{"codex": "toml", "goose": "yaml", "claude-code": "sh"}[c.name]
		if kind == "" {
			kind = "json"
		}
		where := "A command:"
		if c.where != "" {
			where = "Into " + c.where + ":"
		}
		fmt.Fprintf(&b, "\n### %s\n\n%s\n\n```%s\n%s```\n", c.name, where, kind, c.stdio("/usr/local/bin/pyrun", []string{"serve", "--transport", "stdio"}))
		if c.http != nil {
			fmt.Fprintf(&b, "\nand over HTTP, with a token:\n\n```%s\n%s```\n", kind, c.http("https://py.example.org/mcp", true))
		}
	}
	b.WriteString("\n")
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(data), begin)
	shown, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no place for the clients", page)
	}
	if *update {
		if err := os.WriteFile(page, []byte(before+begin+b.String()+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(b.String(), shown); d != "" {
		t.Errorf("%s shows something else (go test ./cmd/pyrun -run ClientsDocumented -update):\n%s", page, d)
	}
}
