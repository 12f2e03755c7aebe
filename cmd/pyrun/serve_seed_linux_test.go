package main

import (
	"bytes"
	"errors"
	"net/http"
	"os"
	osexec "os/exec"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const seedFile = "../../internal/config/testdata/seed.yaml"

// The file of the first Python runner, byte for byte, makes a server that runs
// code: its python_version named an interpreter that nobody had to have.
func TestSeedFileServes(t *testing.T) {
	cache := testCache(t)
	if err := tryOnce("sandbox", func() error { return trySandbox(cache) }); err != nil {
		if os.Getenv("PYRUN_REQUIRE") == "all" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	url, _ := startHTTP(t, cache, "--config", seedFile, "--host", "127.0.0.1")
	c := dial(t, &mcp.StreamableClientTransport{Endpoint: url, DisableStandaloneSSE: true})
	a, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "execute_python", Arguments: map[string]any{"code": "print(6 * 7)"}})
	if err != nil || a.IsError || !strings.Contains(a.Content[0].(*mcp.TextContent).Text, `"stdout": "42\n"`) {
		t.Fatalf("%+v %v", a, err)
	}
	base := strings.TrimSuffix(url, "/mcp")
	eventually(t, "it is never ready", func() bool {
		res, err := http.Get(base + "/readyz")
		if err != nil {
			return false
		}
		res.Body.Close()
		return res.StatusCode == http.StatusOK
	})
}

// What can never run anything does not stay up to say so: it ends with one clear
// message and pyrun's own exit code.
func TestServerThatCannotRunEnds(t *testing.T) {
	cache := testCache(t)
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"another version": {[]string{"--python-version", "3.2", "--host", "127.0.0.1"}, "and 3.2 was asked for"},
		"no such program": {[]string{"--python", "/nowhere/python3", "--host", "127.0.0.1"}, "/nowhere/python3"},
		"open to all":     {nil, "whoever can reach it could run code"},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := command(t.Context(), cache, append([]string{"serve", "--transport", "http", "--quiet", "--port", free(t), "--metrics-port", "0", "--config", seedFile}, c.args...)...)
			var out, errs bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &errs
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			select {
			case err := <-ended:
				if exit := (*osexec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != 125 {
					t.Errorf("%v", err)
				}
			case <-time.After(time.Minute):
				_ = cmd.Process.Kill()
				<-ended
				t.Error("it goes on")
			}
			said := 0
			for line := range strings.Lines(errs.String()) {
				if strings.HasPrefix(line, "pyrun: ") && strings.Contains(line, c.want) {
					said++
				}
			}
			if said != 1 || out.Len() > 0 {
				t.Errorf("said %d times in\n%s", said, &errs)
			}
		})
	}
}
