package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

// fake is an Executor that answers what a test wants.
type fake struct {
	execute  func(context.Context, exec.Request) (*exec.Result, error)
	validate func(context.Context, exec.Validation) (*exec.Report, error)
	check    func(context.Context, exec.Inspection) (*exec.Environment, error)

	mu   sync.Mutex
	last exec.Request
	runs int
}

func (f *fake) Execute(ctx context.Context, r exec.Request) (*exec.Result, error) {
	f.mu.Lock()
	f.last = r
	f.runs++
	f.mu.Unlock()
	if f.execute != nil {
		return f.execute(ctx, r)
	}
	return result(), nil
}

func (f *fake) Validate(ctx context.Context, v exec.Validation) (*exec.Report, error) {
	if f.validate != nil {
		return f.validate(ctx, v)
	}
	return &exec.Report{Python: "3.14.6", Files: 1, Diagnostics: []exec.Diagnostic{}}, nil
}

func (f *fake) Check(ctx context.Context, i exec.Inspection) (*exec.Environment, error) {
	if f.check != nil {
		return f.check(ctx, i)
	}
	return environment(), nil
}

func (f *fake) asked() exec.Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.last
}

// result is that of a run that printed 45.
func result() *exec.Result {
	return &exec.Result{
		Stdout: "45\n", DurationMS: 41, Artifacts: []exec.Artifact{}, Verdict: exec.VerdictOK, RequestID: "a1b2c3d4",
		Sandbox: exec.SandboxInfo{Backend: "native", Layers: []string{"user"}, Memory: "cgroup2", Network: "loopback"},
	}
}

func environment() *exec.Environment {
	return &exec.Environment{
		System:      exec.System{OS: "linux", Kernel: "6.18.0", Arch: "amd64"},
		Interpreter: &exec.InterpreterInfo{Version: "3.14.6", Path: "/opt/python/bin/python3", Embedded: true},
		Sandbox:     exec.SandboxInfo{Backend: "native", Layers: []string{"user"}, Memory: "cgroup2", Network: "loopback"},
		Walls:       []exec.Wall{{Name: "namespaces", Held: true}, {Name: "seccomp", Held: true}},
		Limits: exec.LimitsInfo{
			TimeoutSeconds: 30, MaxTimeoutSeconds: 300, MemoryBytes: 512 << 20, Memory: "cgroup2", DiskBytes: 256 << 20, FileBytes: 64 << 20,
			Processes: 64, OpenFiles: 256, OutputBytes: 1 << 20, ArtifactBytes: 5 << 20, InputFileBytes: 5 << 20, InputFiles: 16,
		},
		Packages: []exec.PackageInfo{
			{Name: "numpy", Wanted: "*", Version: "2.3.1", Imports: []string{"numpy"}, Satisfied: true},
			{Name: "polars", Wanted: "*"},
			{Name: "scikit-learn", Wanted: ">=1", Version: "1.8.0", Imports: []string{"sklearn"}, Satisfied: true},
			{Name: "six", Version: "1.17.0", Imports: []string{"six"}},
		},
		Findings: []exec.Finding{{Area: "packages", Severity: exec.SeverityProblem, Message: "polars is not installed", Remedy: "pyrun packages install", Package: "polars"}},
	}
}

// real is the Executor itself, where these walls can be had.
func real(t testing.TB) *exec.Executor {
	t.Helper()
	if runtime.GOOS != "linux" {
		cannot(t, "native walls need Linux")
	}
	x, err := exec.New(exec.Options{Python: os.Getenv("PYRUN_TEST_PYTHON")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	if _, err := x.Execute(t.Context(), exec.Request{Code: []byte("pass")}); err != nil {
		cannot(t, "no run is possible here: %v", err)
	}
	return x
}

// cannot skips; with PYRUN_REQUIRE=all a skip is a failure.
func cannot(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("PYRUN_REQUIRE") == "all" {
		t.Fatalf("PYRUN_REQUIRE=all: "+format, args...)
	}
	t.Skipf(format, args...)
}

// core is the real Executor with all three verbs.
func core(t testing.TB) Executor {
	t.Helper()
	x, ok := any(real(t)).(Executor)
	if !ok {
		cannot(t, "this Executor cannot validate or check")
	}
	return x
}

func newServer(t testing.TB, x Executor, o Options) *Server {
	t.Helper()
	s, err := New(x, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// listen serves a Server's endpoint and gives its URL.
func listen(t testing.TB, s *Server) string {
	t.Helper()
	h := httptest.NewServer(s.Handler())
	t.Cleanup(h.Close)
	return h.URL
}

// connect is a client of the SDK's over HTTP; no version is its newest.
func connect(t testing.TB, url, version string) *mcp.ClientSession {
	t.Helper()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).
		Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url, DisableStandaloneSSE: true}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// pipe is a client over stdio: what it writes goes to the server, what the
// server writes is read line by line.
type pipe struct {
	t     testing.TB
	in    *io.PipeWriter
	lines chan string
	ended chan error
}

func talk(t testing.TB, s *Server) *pipe {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	p := &pipe{t: t, in: inW, lines: make(chan string, 100), ended: make(chan error, 1)}
	go func() {
		p.ended <- s.Stdio(t.Context(), inR, outW)
		outW.Close()
	}()
	go func() {
		defer close(p.lines)
		var buf bytes.Buffer
		chunk := make([]byte, 64<<10)
		for {
			n, err := outR.Read(chunk)
			buf.Write(chunk[:n])
			for {
				line, rest, ok := strings.Cut(buf.String(), "\n")
				if !ok {
					break
				}
				p.lines <- line
				buf.Reset()
				buf.WriteString(rest)
			}
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() { inW.Close() })
	return p
}

func (p *pipe) send(format string, args ...any) {
	p.t.Helper()
	if _, err := fmt.Fprintf(p.in, format+"\n", args...); err != nil {
		p.t.Fatal(err)
	}
}

// next is the next line as an object; nil when none comes within d.
func (p *pipe) next(d time.Duration) map[string]any {
	p.t.Helper()
	select {
	case line, ok := <-p.lines:
		if !ok {
			return nil
		}
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			p.t.Fatalf("stdout has something else than JSON-RPC: %q", line)
		}
		return m
	case <-time.After(d):
		return nil
	}
}

func (p *pipe) hello(version string) {
	p.t.Helper()
	p.send(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, version)
	if m := p.next(late); m == nil || m["result"] == nil {
		p.t.Fatalf("initialize: %v", m)
	}
	p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// post sends one message and gives the status, the type and the body.
func post(t testing.TB, url, body string, header ...string) (int, string, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, res.Header.Get("Content-Type"), string(data)
}

// callBody is a tools/call message.
func callBody(tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, arguments)
}

// answer is a tool's answer as it came over HTTP.
type answer struct {
	Result struct {
		Content []struct {
			Type, Text, Data, MIMEType string
		}
		StructuredContent json.RawMessage
		IsError           bool
	}
	Error *struct {
		Code    int
		Message string
	}
}

func call(t testing.TB, url, tool, arguments string) answer {
	t.Helper()
	status, _, body := post(t, url, callBody(tool, arguments))
	var a answer
	if err := json.Unmarshal([]byte(body), &a); err != nil || status != http.StatusOK {
		t.Fatalf("%s %s: status %d, body %.300q (%v)", tool, arguments, status, body, err)
	}
	return a
}

// text is content[0].
func (a answer) text(t testing.TB) string {
	t.Helper()
	if len(a.Result.Content) == 0 || a.Result.Content[0].Type != "text" {
		t.Fatalf("no text: %+v", a)
	}
	return a.Result.Content[0].Text
}

func listenHandler(t testing.TB, h http.Handler) string {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv.URL
}

// connectAs is connect with a name that the test's own exposure reads.
func connectAs(t testing.TB, url, who string) *mcp.ClientSession {
	t.Helper()
	named := &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		r = r.Clone(r.Context())
		r.Header.Set("X-Who", who)
		return http.DefaultTransport.RoundTrip(r)
	})}
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).
		Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: named, DisableStandaloneSSE: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// watcher is an Observer that remembers.
type watcher struct {
	mu           sync.Mutex
	began, ended []Call
	rejected     []string
}

func (w *watcher) Started(_ context.Context, c Call) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.began = append(w.began, c)
}

func (w *watcher) Ended(_ context.Context, c Call, _ *exec.Result, _ error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = append(w.ended, c)
}

func (w *watcher) Rejected(_ context.Context, _ Call, reason string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rejected = append(w.rejected, reason)
}
