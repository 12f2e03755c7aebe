//go:build unix

package main

import (
	"bufio"
	"context"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pyrun-dev/pyrun/internal/config"
	"github.com/pyrun-dev/pyrun/internal/exec"
)

// served is an Executor that answers at once, but for a run of "wait".
type served struct{ began, release chan struct{} }

func (s served) Execute(_ context.Context, r exec.Request) (*exec.Result, error) {
	if string(r.Code) == "wait" {
		close(s.began)
		<-s.release
	}
	return &exec.Result{Stdout: "fine\n", Artifacts: []exec.Artifact{}, Verdict: exec.VerdictOK}, nil
}

func (served) Validate(context.Context, exec.Validation) (*exec.Report, error) {
	return &exec.Report{Diagnostics: []exec.Diagnostic{}}, nil
}

func (served) Check(context.Context, exec.Inspection) (*exec.Environment, error) {
	return &exec.Environment{Interpreter: &exec.InterpreterInfo{Version: "3.14.6"}, Walls: []exec.Wall{{Name: "seccomp", Held: true}}}, nil
}

func (served) Close() error { return nil }

// From the first line of the log to the end by SIGTERM, as an operator sees it.
func TestServeHTTP(t *testing.T) {
	dir := t.TempDir()
	settings := filepath.Join(dir, "pyrun.yaml")
	write := func(text string) {
		if err := os.WriteFile(settings, []byte("service:\n  log_format: json\n  console_log_level: "+text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("INFO")
	logR, logW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer logR.Close()
	x := served{make(chan struct{}), make(chan struct{})}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	w := world{
		stdin: null, stdout: null, stderr: logW, environ: []string{"HOME=" + dir}, dir: dir,
		open: func(exec.Options) (executor, error) { return x, nil },
	}
	port := free(t)
	code := make(chan int, 1)
	go func() {
		code <- w.main(context.Background(), []string{"pyrun", "serve", "--transport", "http", "--port", port, "--metrics-port", "0", "--config", "pyrun.yaml"})
		logW.Close()
	}()
	lines := bufio.NewScanner(logR)
	until := func(what string) {
		t.Helper()
		logR.SetReadDeadline(time.Now().Add(time.Minute))
		for lines.Scan() {
			if strings.Contains(lines.Text(), what) {
				return
			}
		}
		t.Fatalf("the log never says %s: %v", what, lines.Err())
	}
	ask := func(code string) (string, error) {
		res, err := http.Post("http://localhost:"+port+"/mcp", "application/json",
			strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute_python","arguments":{"code":"`+code+`"}}}`))
		if err != nil {
			return "", err
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		return string(body), err
	}

	until(`"url":"http://127.0.0.1:` + port + `/mcp"`)
	until(`"msg":"ready"`)
	write("LOUD")
	until("is not one of DEBUG")
	write("DEBUG")
	until(`"msg":"reloaded"`)
	if text, err := ask("1"); err != nil || !strings.Contains(text, "fine") {
		t.Fatalf("%s, %v", text, err)
	}
	until(`"level":"DEBUG"`)

	accepted := make(chan string, 1)
	go func() {
		text, err := ask("wait")
		if err != nil {
			text = err.Error()
		}
		accepted <- text
	}()
	<-x.began
	if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	until("stopping")
	if text, err := ask("2"); err != nil || !strings.Contains(text, "stopping") {
		t.Errorf("what is new: %s, %v", text, err)
	}
	logR.Close() // whoever read the log is gone
	close(x.release)
	if text := <-accepted; !strings.Contains(text, "fine") {
		t.Errorf("what was accepted: %s", text)
	}
	select {
	case got := <-code:
		if got != 0 {
			t.Errorf("exit code %d", got)
		}
	case <-time.After(time.Minute):
		t.Error("it does not end")
	}
}

// free is a port that the system gives to nobody before the server is up.
func free(t *testing.T) string {
	t.Helper()
	for range 100 {
		port := strconv.Itoa(10_000 + rand.IntN(20_000))
		if l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", port)); err == nil {
			l.Close()
			return port
		}
	}
	t.Fatal("no port is free")
	return ""
}

// max_queue: 0 is nobody, where the Executor's own zero is its default.
func TestNobodyWaits(t *testing.T) {
	for value, want := range map[string]int{"0": -1, "": 64, "7": 7} {
		s, err := config.Load(config.Sources{Environ: []string{"PYRUN_SERVICE_MAX_QUEUE=" + value}, Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		if got := options(s).MaxQueue; got != want {
			t.Errorf("max_queue %q: %d may wait, want %d", value, got, want)
		}
	}
}
