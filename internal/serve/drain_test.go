package serve

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

// What was accepted is finished, what comes then is refused, and the end is no error.
func TestDrain(t *testing.T) {
	began, release := make(chan struct{}, 1), make(chan struct{})
	x := &fake{execute: func(ctx context.Context, _ exec.Request) (*exec.Result, error) {
		began <- struct{}{}
		select {
		case <-release:
			return result(), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}}
	r := up(t, x, Options{Sessions: true}, Addresses{})
	// A stream that only listens does not hold the end up.
	c, err := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, nil).
		Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: r.url}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	body, modernHeader := modern("tools/call", toolExecute, `"name":"execute_python","arguments":{"code":"x"}`)
	accepted := make(chan string, 1)
	go func() {
		status, _, text := r.asks(t, body, modernHeader...)
		accepted <- fmt.Sprint(status, " ", text)
	}()
	wait(t, began, "the call begins")
	r.begin()
	eventually(t, "it is stopping", func() bool {
		status, _, _ := get(t, http.MethodGet, r.base()+"/readyz")
		return status == 503
	})
	if status, _, _ := get(t, http.MethodGet, r.base()+"/healthz"); status != 200 {
		t.Errorf("it is up until it is down: %d", status)
	}
	status, header, text := r.asks(t, printing())
	if status != 503 || header.Get("Retry-After") == "" || !strings.Contains(text, "stopping") {
		t.Errorf("what is new: %d %v %s", status, header, text)
	}
	if r.counts(t, `pyrun_rejected_total{reason="draining"}`) == "" {
		t.Error("it is not counted")
	}
	select {
	case err := <-r.ended:
		t.Fatalf("it ended with a run: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	close(release)
	if got := <-accepted; !strings.HasPrefix(got, "200 ") || !strings.Contains(got, "45") {
		t.Errorf("what was accepted: %s", got)
	}
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	c.Close()
	if _, err := net.Dial("tcp", strings.TrimPrefix(r.metrics, "http://")); err == nil {
		t.Error("the metrics are still there")
	}
}

// A run that outlasts what a run may last is ended.
func TestDrainHasAnEnd(t *testing.T) {
	began, ended := make(chan struct{}, 1), make(chan struct{})
	x := &fake{execute: func(ctx context.Context, _ exec.Request) (*exec.Result, error) {
		began <- struct{}{}
		<-ctx.Done()
		close(ended)
		return nil, ctx.Err()
	}}
	r := up(t, x, Options{Bounds: Bounds{MaxTimeout: 100 * time.Millisecond}}, Addresses{}, func(p *patience) { p.run = 100 * time.Millisecond })
	r.wire(t).post(printing())
	wait(t, began, "the call begins")
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	select {
	case <-ended:
	case <-time.After(late):
		t.Error("the run goes on")
	}
	if !strings.Contains(r.log.String(), "longer than a run may") {
		t.Errorf("the log:\n%s", r.log.String())
	}
}

// Nothing of a server stays when it has ended.
func TestHTTPLeavesNothing(t *testing.T) {
	tokenFile := filepath.Join(t.TempDir(), "tokens")
	writeFile(t, tokenFile, tokenLine("ada", "one"))
	before := census(t)
	for range 3 {
		r := up(t, &fake{}, Options{Exposure: Exposure{TokenFile: tokenFile}}, Addresses{})
		r.asks(t, printing(), "Authorization", "Bearer one")
		if err := r.stop(); err != nil {
			t.Fatal(err)
		}
	}
	http.DefaultClient.CloseIdleConnections()
	eventually(t, "goroutines and descriptors are as before", func() bool { return census(t).within(before, 0) })
}

// A service manager is told, where it listens.
func TestNotify(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notify")
	c, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Skip(err)
	}
	defer c.Close()
	t.Setenv("NOTIFY_SOCKET", path)
	r := up(t, &fake{}, Options{}, Addresses{})
	next := func() string {
		b := make([]byte, 100)
		_ = c.SetReadDeadline(time.Now().Add(late))
		n, err := c.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		return string(b[:n])
	}
	if got := next(); got != "READY=1" {
		t.Error(got)
	}
	r.begin()
	if got := next(); got != "STOPPING=1" {
		t.Error(got)
	}
}

// A Unix socket of systemd's is guarded by its mode: no token is asked for.
func TestUnixSocketIsLocal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pyrun.sock")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Skip(err)
	}
	s := newServer(t, &fake{}, Options{Log: (&logged{}).logger()})
	ctx, cancel := context.WithCancel(t.Context())
	var done sync.WaitGroup
	done.Go(func() {
		if err := s.HTTP(ctx, Listeners{MCP: l}); err != nil {
			t.Error(err)
		}
	})
	defer done.Wait()
	defer cancel()
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", path)
	}}}
	defer client.CloseIdleConnections()
	res, err := client.Post("http://localhost/mcp", jsonType, strings.NewReader(printing()))
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != 200 {
		t.Error(res.Status)
	}
}

// count is how much of this process there is.
type count struct{ goroutines, descriptors int }

func (c count) within(before count, more int) bool {
	return c.goroutines <= before.goroutines+more && c.descriptors <= before.descriptors+more
}

func descriptors() int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(entries)
}
