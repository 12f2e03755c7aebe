package serve

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

// wire is a connection without any manners.
type wire struct {
	net.Conn
	t testing.TB
	r *bufio.Reader
}

func (r *running) wire(t testing.TB) *wire {
	t.Helper()
	_, port, err := net.SplitHostPort(strings.TrimPrefix(r.base(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("tcp", "127.0.0.1:"+port)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return &wire{c, t, bufio.NewReader(c)}
}

func (w *wire) send(format string, args ...any) {
	w.t.Helper()
	if _, err := fmt.Fprintf(w, format, args...); err != nil {
		w.t.Fatal(err)
	}
}

// post sends a whole call, and does not wait for the answer.
func (w *wire) post(body string) {
	w.t.Helper()
	w.send("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
}

// answer is the next answer's status and body.
func (w *wire) answer() (int, string) {
	w.t.Helper()
	_ = w.SetReadDeadline(time.Now().Add(late))
	res, err := http.ReadResponse(w.r, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return res.StatusCode, string(body)
}

// closed says whether the server closes the connection.
func (w *wire) closed() bool {
	_ = w.SetReadDeadline(time.Now().Add(late))
	_, err := io.Copy(io.Discard, w.r)
	var late net.Error
	return !errors.As(err, &late) || !late.Timeout()
}

// serves makes sure that others are answered.
func (r *running) serves(t testing.TB) {
	t.Helper()
	http.DefaultClient.CloseIdleConnections() // the server may be closing one just now
	if status, _, text := r.asks(t, printing()); status != 200 || !strings.Contains(text, "45") {
		t.Errorf("another caller: %d %s", status, text)
	}
}

func TestFaultClientGone(t *testing.T) {
	began, ended := make(chan struct{}, 1), make(chan error, 1)
	x := &fake{execute: func(ctx context.Context, r exec.Request) (*exec.Result, error) {
		if string(r.Code) != "wait" {
			return result(), nil
		}
		began <- struct{}{}
		<-ctx.Done()
		ended <- ctx.Err()
		<-r.Delivered // whoever is gone takes no answer
		return nil, ctx.Err()
	}}
	r := up(t, x, Options{}, Addresses{})
	w := r.wire(t)
	w.post(callBody(toolExecute, `{"code":"wait"}`))
	wait(t, began, "the call begins")
	r.serves(t)
	w.Close()
	select {
	case <-ended:
	case <-time.After(late):
		t.Error("the run of a client that went away goes on")
	}
	r.serves(t)
	eventually(t, "it is counted", func() bool { return r.counts(t, `pyrun_rejected_total{reason="cancelled"}`) == "1" })
}

func TestFaultHalfARequest(t *testing.T) {
	r := up(t, &fake{}, Options{}, Addresses{})
	for _, half := range []string{
		"POST /mcp HTTP/1.1\r\nHost: loc",
		"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"jsonrpc\":",
		"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n{\"js",
		"\x16\x03\x01\x02\x00\x01\x00\x01\xfc", // the beginning of TLS
		"GET / HTTP/9.9\r\n\r\n",
	} {
		w := r.wire(t)
		w.send("%s", half)
		if c, ok := w.Conn.(*net.TCPConn); ok {
			_ = c.CloseWrite()
		}
		if !w.closed() {
			t.Errorf("%.40q: the connection stays", half)
		}
		r.serves(t)
	}
}

// Who sends a byte now and then holds a connection, and not for long.
func TestFaultSlowloris(t *testing.T) {
	r := up(t, &fake{}, Options{}, Addresses{}, func(p *patience) {
		p.header, p.body, p.idle = time.Second, 1500*time.Millisecond, time.Second // enough for who has manners
	})
	for name, begin := range map[string]string{
		"headers":                  "POST /mcp HTTP/1.1\r\nHost: localhost\r\nX: ",
		"body":                     "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n",
		"a body that nobody reads": "POST /elsewhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: 200000\r\n\r\n",
		"nothing":                  "",
		"no next":                  "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			w := r.wire(t)
			w.send("%s", begin)
			drip, stop := make(chan struct{}), make(chan struct{})
			go func() {
				defer close(drip)
				for {
					select {
					case <-stop:
						return
					case <-time.After(50 * time.Millisecond):
						if begin != "" && !strings.HasPrefix(name, "no") {
							_, _ = w.Write([]byte("a"))
						}
					}
				}
			}()
			if !w.closed() {
				t.Error("the connection stays")
			}
			close(stop)
			<-drip
			r.serves(t)
		})
	}
}

// A run may take longer than a request may take to arrive.
func TestRunOutlastsTheBody(t *testing.T) {
	x := &fake{execute: func(ctx context.Context, r exec.Request) (*exec.Result, error) {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(2 * time.Second):
			return result(), nil
		}
	}}
	r := up(t, x, Options{}, Addresses{}, func(p *patience) { p.header, p.body = time.Second, time.Second })
	r.serves(t)
}

func TestFault100MiB(t *testing.T) {
	r := up(t, &fake{}, Options{}, Addresses{})
	most := r.server.options.Bounds.bodyBytes()
	w := r.wire(t)
	w.send("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", 100<<20)
	if status, text := w.answer(); status != 413 || !strings.Contains(text, fmt.Sprint(most)) {
		t.Errorf("announced: %d %s", status, text)
	}
	w = r.wire(t)
	w.send("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
	go func() {
		chunk := strings.Repeat("a", 1<<20)
		for range 100 {
			if _, err := fmt.Fprintf(w, "%x\r\n%s\r\n", len(chunk), chunk); err != nil {
				return
			}
		}
	}()
	if status, text := w.answer(); status != 413 || !strings.Contains(text, fmt.Sprint(most)) {
		t.Errorf("not announced: %d %s", status, text)
	}
	r.serves(t)
}

// A reader who does not read holds neither a worker nor, for long, the answer.
func TestFaultSlowReader(t *testing.T) {
	delivered := make(chan struct{})
	x := &fake{execute: func(_ context.Context, r exec.Request) (*exec.Result, error) {
		res := result()
		if string(r.Code) == "much" {
			res.Stdout = strings.Repeat("x", 6<<20)
			go func() {
				<-r.Delivered
				close(delivered)
			}()
		}
		return res, nil
	}}
	r := up(t, x, Options{}, Addresses{}, func(p *patience) { p.piece = 500 * time.Millisecond })
	w := r.wire(t)
	_ = w.Conn.(*net.TCPConn).SetReadBuffer(8 << 10)
	w.post(callBody(toolExecute, `{"code":"much"}`))
	time.Sleep(100 * time.Millisecond) // the run is over, the answer on its way
	r.serves(t)
	select {
	case <-delivered:
	case <-time.After(time.Minute):
		t.Error("the answer waits for ever")
	}
	// Who reads slowly, but reads, gets all of it.
	w = r.wire(t)
	w.post(callBody(toolExecute, `{"code":"slowly"}`))
	time.Sleep(time.Second)
	if status, text := w.answer(); status != 200 || !strings.Contains(text, "45") {
		t.Errorf("a slow reader: %d %.100s", status, text)
	}
}

func TestFaultDiskFull(t *testing.T) {
	full := &exec.CacheError{Err: fmt.Errorf("unpack: %w", syscall.ENOSPC), Remedy: "free some"}
	x := &fake{execute: func(context.Context, exec.Request) (*exec.Result, error) { return nil, full }}
	r := up(t, x, Options{}, Addresses{})
	status, _, text := r.asks(t, printing())
	if status != 200 || !strings.Contains(text, `"isError":true`) || !strings.Contains(text, "no space left") {
		t.Errorf("%d %s", status, text)
	}
	if log := r.log.String(); !strings.Contains(log, "no space left") || !strings.Contains(log, "level=ERROR") || r.counts(t, `pyrun_rejected_total{reason="failed"}`) != "1" {
		t.Errorf("the log:\n%s", log)
	}
}

// The certificate can be replaced, by garbage too.
func TestFaultCertificate(t *testing.T) {
	dir := t.TempDir()
	certPath, keyPath := filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	cert, key := pair(t, "first", time.Now().Add(time.Hour))
	writeFile(t, certPath, cert)
	writeFile(t, keyPath, key)
	r := up(t, &fake{}, Options{Exposure: Exposure{TLSCert: certPath, TLSKey: keyPath}}, Addresses{})
	shown := func() string {
		pool := x509.NewCertPool()
		c, err := tls.Dial("tcp", strings.TrimPrefix(r.base(), "https://"), &tls.Config{RootCAs: pool, InsecureSkipVerify: true})
		if err != nil {
			return err.Error()
		}
		defer c.Close()
		return c.ConnectionState().PeerCertificates[0].Subject.CommonName
	}
	if got := shown(); got != "first" {
		t.Fatal(got)
	}
	writeFile(t, certPath, "garbage")
	eventually(t, "garbage is told of", func() bool { return strings.Contains(r.log.String(), "reload "+certPath) })
	if got := shown(); got != "first" {
		t.Error(got)
	}
	cert, key = pair(t, "second", time.Now().Add(time.Hour))
	writeFile(t, certPath, cert)
	writeFile(t, keyPath, key)
	eventually(t, "the new certificate", func() bool { return shown() == "second" })

	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM([]byte(cert))
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true}}
	defer client.CloseIdleConnections()
	for range 2 {
		res, err := client.Post(r.url, jsonType, strings.NewReader(printing()))
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.ProtoMajor != 2 || res.StatusCode != 200 || !strings.Contains(string(text), "45") {
			t.Errorf("%s %s %s", res.Proto, res.Status, text)
		}
	}
	old, err := tls.Dial("tcp", strings.TrimPrefix(r.base(), "https://"), &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS11})
	if err == nil {
		old.Close()
		t.Error("TLS 1.1 is spoken")
	}
}

// A fault in one request is told of, without what was sent, and ends only that one.
func TestFaultPanic(t *testing.T) {
	var l logged
	o := newOperation(l.logger(), newMeters("x", 1, loadOf(nil)), nobody{})
	url := listenHandler(t, o.watch(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/late" {
			_, _ = io.WriteString(w, "half")
			_ = http.NewResponseController(w).Flush()
		}
		panic("secret")
	})))
	if status, _, text := get(t, http.MethodGet, url); status != 500 || strings.Contains(text, "secret") {
		t.Errorf("%d %s", status, text)
	}
	res, err := http.Get(url + "/late")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if text, err := io.ReadAll(res.Body); err == nil {
		t.Errorf("half an answer looks whole: %s", text)
	}
	if log := l.String(); strings.Contains(log, "secret") || !strings.Contains(log, "a fault in pyrun") || !strings.Contains(log, "TestFaultPanic") {
		t.Errorf("the log:\n%s", log)
	}
}

// Limits per caller are HTTP's own answers, with the time to try again.
func TestTooMuch(t *testing.T) {
	hold := make(chan struct{})
	began := make(chan struct{}, 10)
	x := &fake{execute: func(_ context.Context, r exec.Request) (*exec.Result, error) {
		if string(r.Code) == "hold" {
			began <- struct{}{}
			<-hold
		}
		return result(), nil
	}}
	r := up(t, x, Options{Exposure: Exposure{RatePerMinute: 4, MaxPerCaller: 2}}, Addresses{})
	for range 2 {
		w := r.wire(t)
		w.post(callBody(toolExecute, `{"code":"hold"}`))
		wait(t, began, "the call begins")
	}
	status, header, text := r.asks(t, printing())
	if status != 429 || header.Get("Retry-After") != "1" || !strings.Contains(text, "going on") {
		t.Errorf("a third at once: %d %v %s", status, header, text)
	}
	if c := connect(t, r.url, ""); c == nil { // what is no call is not counted
		t.Error("no client gets in")
	}
	close(hold)
	eventually(t, "the two are over", func() bool { return r.counts(t, `pyrun_runs_total{tool="execute_python",verdict="ok"}`) == "2" })
	for range 2 {
		r.serves(t)
	}
	status, header, _ = r.asks(t, printing())
	if status != 429 || header.Get("Retry-After") == "" {
		t.Errorf("a fifth in a minute: %d %v", status, header)
	}
	if r.counts(t, `pyrun_rejected_total{reason="rate"}`) != "1" || r.counts(t, `pyrun_rejected_total{reason="concurrency"}`) != "1" {
		t.Error("they are not counted")
	}
}

// full is an Executor whose queue is.
type full struct{ *fake }

func (full) Busy(string) error { return &exec.BusyError{RetryAfter: 7 * time.Second} }

func TestBusyIsToldBeforeTheCall(t *testing.T) {
	x := &fake{}
	r := up(t, full{x}, Options{}, Addresses{})
	status, header, text := r.asks(t, printing())
	if status != 503 || header.Get("Retry-After") != "7" || !strings.Contains(text, "try again in 7 s") || x.runs != 0 {
		t.Errorf("%d %v %s, %d runs", status, header, text, x.runs)
	}
	if status, _, _ := r.asks(t, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`); status != 200 {
		t.Errorf("what needs no worker: %d", status)
	}
	// In a race the queue fills up after the gate: then it is the tool's answer.
	x.execute = func(context.Context, exec.Request) (*exec.Result, error) {
		return nil, &exec.BusyError{RetryAfter: 7 * time.Second}
	}
	r = up(t, x, Options{}, Addresses{})
	if status, _, text := r.asks(t, printing()); status != 200 || !strings.Contains(text, `"isError":true`) || !strings.Contains(text, "try again in 7 s") {
		t.Errorf("%d %s", status, text)
	}
}

// The SDK learns who opened a session, and keeps others out of it.
func TestSessionsBelongToTheirCaller(t *testing.T) {
	tokenFile := filepath.Join(t.TempDir(), "tokens")
	writeFile(t, tokenFile, tokenLine("ada", "one")+tokenLine("bob", "two"))
	r := up(t, &fake{}, Options{Sessions: true, Exposure: Exposure{TokenFile: tokenFile}}, Addresses{})
	as := func(token string) *http.Client {
		return &http.Client{Transport: roundTripper(func(q *http.Request) (*http.Response, error) {
			q = q.Clone(q.Context())
			q.Header.Set("Authorization", "Bearer "+token)
			return http.DefaultTransport.RoundTrip(q)
		})}
	}
	c, err := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, nil).
		Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: r.url, HTTPClient: as("one"), DisableStandaloneSSE: true}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if c.ID() == "" {
		t.Fatal("there is no session")
	}
	list := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	for token, want := range map[string]int{"one": 200, "two": 403} {
		status, _, text := r.asks(t, list, "Authorization", "Bearer "+token, "Mcp-Session-Id", c.ID())
		if status != want {
			t.Errorf("%s: %d %s, want %d", token, status, text, want)
		}
	}
}
