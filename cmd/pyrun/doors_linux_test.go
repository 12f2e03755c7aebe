package main

// Both doors give the same: each program of testdata/doors goes through
// `pyrun run --json` and through the server over both transports. Only ids, times
// and the words that name a door's own flags may differ.

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestDoorsAgree(t *testing.T) {
	cache := testCache(t)
	if err := tryOnce("sandbox", func() error { return trySandbox(cache) }); err != nil {
		if os.Getenv("PYRUN_REQUIRE") == "all" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	overHTTP, overStdio := dialHTTP(t, cache), dialStdio(t, cache)
	programs, err := filepath.Glob("testdata/doors/*.py")
	if err != nil || len(programs) < 10 {
		t.Fatalf("%d programs (%v)", len(programs), err)
	}
	for _, file := range programs {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".py"), func(t *testing.T) {
			code, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			args, timeout := header(string(code), "args"), header(string(code), "timeout")
			line := []string{"run", "-", "--json", "--value"}
			call := map[string]any{"code": string(code), "artifacts": "inline"}
			if timeout != "" {
				line = append(line, "--timeout", timeout)
				n, err := strconv.Atoi(timeout)
				if err != nil {
					t.Fatal(err)
				}
				call["timeout"] = n
			}
			if args != "" {
				words := strings.Split(args, " ")
				line = append(append(line, "--"), words...)
				call["args"] = words
			}
			cmd := command(t.Context(), cache, line...)
			cmd.Stdin = bytes.NewReader(code)
			out, _ := cmd.Output() // its code is the script's
			want := plainly(t, out)
			for over, c := range map[string]*mcp.ClientSession{"http": overHTTP, "stdio": overStdio} {
				a, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "execute_python", Arguments: call})
				if err != nil || a.IsError {
					t.Fatalf("%s: %+v %v", over, a, err)
				}
				want, got := maps.Clone(want), plainly(t, []byte(a.Content[0].(*mcp.TextContent).Text))
				if over == "stdio" && len(want["stdout"].(string)) > 40_000 { // an answer over stdio is short
					delete(want, "stdout")
					delete(got, "stdout")
				}
				if d := cmp.Diff(want, got); d != "" {
					t.Errorf("%s and the terminal differ: %s", over, d)
				}
			}
		})
	}
}

// header is the value of a line `# name: value` on top of a program.
func header(code, name string) string {
	for line := range strings.Lines(code) {
		if value, ok := strings.CutPrefix(line, "# "+name+": "); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// plainly is a Result without what may differ, keys in their order checked before.
func plainly(t *testing.T, data []byte) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatalf("%v in %.300q", err, data)
	}
	if !bytes.HasPrefix(data, []byte("{\n  \"stdout\": ")) {
		t.Errorf("begins with %.60q", data)
	}
	for _, key := range []string{"request_id", "duration_ms", "usage"} {
		if m[key] == nil {
			t.Errorf("%s is missing", key)
		}
		delete(m, key)
	}
	if _, ok := m["hint"]; ok {
		m["hint"] = "there is one"
	}
	return m
}

func command(ctx context.Context, cache string, args ...string) *osexec.Cmd {
	cmd := osexec.CommandContext(ctx, "pyrun", args...) // the test binary: see TestMain
	cmd.Env = append(os.Environ(), "PYRUN_CACHE_DIR="+cache)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

func dial(t *testing.T, transport mcp.Transport) *mcp.ClientSession {
	t.Helper()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "doors", Version: "1"}, nil).Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func dialStdio(t *testing.T, cache string) *mcp.ClientSession {
	t.Helper()
	cmd := command(context.Background(), cache, "serve")
	cmd.Stderr = t.Output()
	return dial(t, &mcp.CommandTransport{Command: cmd})
}

func dialHTTP(t *testing.T, cache string) *mcp.ClientSession {
	t.Helper()
	url, _ := startHTTP(t, cache)
	return dial(t, &mcp.StreamableClientTransport{Endpoint: url, DisableStandaloneSSE: true})
}

// startHTTP serves on a free port until the test ends.
func startHTTP(t *testing.T, cache string, args ...string) (url string, cmd *osexec.Cmd) {
	t.Helper()
	port := free(t)
	address := net.JoinHostPort("127.0.0.1", port)
	cmd = command(context.Background(), cache, append([]string{"serve", "--transport", "http", "--port", port, "--metrics-port", "0"}, args...)...)
	cmd.Stderr = t.Output()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if err := <-ended; err != nil && cmd.ProcessState.ExitCode() != -1 {
			t.Errorf("pyrun serve: %v", err)
		}
	})
	for range 1200 {
		if res, err := http.Get(fmt.Sprintf("http://%s/healthz", address)); err == nil {
			res.Body.Close()
			return "http://" + address + "/mcp", cmd
		}
		select {
		case err := <-ended:
			t.Fatalf("pyrun serve ended: %v", err)
		case <-time.After(50 * time.Millisecond):
		}
	}
	t.Fatal("pyrun serve does not answer")
	return "", nil
}

// However a server ends, nothing of its runs lives on.
func TestServerEndsItsRuns(t *testing.T) {
	cache := testCache(t)
	if err := tryOnce("sandbox", func() error { return trySandbox(cache) }); err != nil {
		if os.Getenv("PYRUN_REQUIRE") == "all" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	for name, c := range map[string]struct {
		http bool
		end  func(cmd *osexec.Cmd, in interface{ Close() error })
	}{
		"http, killed":      {true, func(cmd *osexec.Cmd, _ interface{ Close() error }) { _ = cmd.Process.Kill() }},
		"stdio, killed":     {false, func(cmd *osexec.Cmd, _ interface{ Close() error }) { _ = cmd.Process.Kill() }},
		"stdio, terminated": {false, func(cmd *osexec.Cmd, _ interface{ Close() error }) { _ = cmd.Process.Signal(syscall.SIGTERM) }},
		"stdio, stdin ends": {false, func(_ *osexec.Cmd, in interface{ Close() error }) { _ = in.Close() }},
	} {
		t.Run(name, func(t *testing.T) {
			// A program that the script starts: a warm copy shows no arguments of its own outside.
			mark := fmt.Sprintf("mark-%d-%d", os.Getpid(), time.Now().UnixNano())
			call := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute_python","arguments":{"code":"import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'import time; time.sleep(60)', sys.argv[1]])","args":[%q],"timeout":60}}}`, mark)
			var (
				cmd *osexec.Cmd
				in  interface{ Close() error }
			)
			if c.http {
				var url string
				url, cmd = startHTTP(t, cache)
				go func() {
					if res, err := http.Post(url, "application/json", strings.NewReader(call)); err == nil {
						res.Body.Close()
					}
				}()
			} else {
				cmd = command(context.Background(), cache, "serve")
				cmd.Stderr = t.Output()
				w, err := cmd.StdinPipe()
				if err != nil {
					t.Fatal(err)
				}
				in = w
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				fmt.Fprintln(w, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
				fmt.Fprintln(w, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
				fmt.Fprintln(w, call)
			}
			eventually(t, "the run was never seen", func() bool { return marked(mark) })
			c.end(cmd, in)
			eventually(t, "the run lives on", func() bool { return !marked(mark) })
			if !c.http {
				if err := cmd.Wait(); err != nil && !strings.Contains(name, "killed") && cmd.ProcessState.ExitCode() != 0 {
					t.Errorf("pyrun serve: %v", err)
				}
			}
		})
	}
}

func eventually(t *testing.T, why string, done func() bool) {
	t.Helper()
	for range 1200 { // a minute: only what never happens takes so long
		if done() {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal(why)
}

// marked finds a process with an argument of its own, other than a server's.
func marked(mark string) bool {
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range lines {
		if data, err := os.ReadFile(file); err == nil && bytes.Contains(data, []byte(mark)) {
			return true
		}
	}
	return false
}
