//go:build unix

package serve

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

// BenchmarkCall is what the protocol costs around a tool that returns at once, as
// processor time of client and server together, beside a plain net/http handler
// that reads and writes JSON of the same size. The garbage collector is set as
// pyrun serve sets it.
func BenchmarkCall(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(800))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(256 << 20))
	res := result()
	x := &fake{execute: func(context.Context, exec.Request) (*exec.Result, error) { return res, nil }}
	body := callBody(toolExecute, `{"code":"`+strings.Repeat("x", 160)+`"}`)
	newest, header := modern("tools/call", toolExecute, `"name":"execute_python","arguments":{"code":"`+strings.Repeat("x", 160)+`"}`)

	b.Run("plain", func(b *testing.B) {
		var text strings.Builder
		if err := res.Encode(&text, "  "); err != nil {
			b.Fatal(err)
		}
		url := listenHandler(b, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var in map[string]any
			if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
				http.Error(w, err.Error(), 400)
			}
			_ = json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": in["id"], "result": map[string]any{"content": []any{map[string]any{"type": "text", "text": text.String()}}, "structuredContent": res}})
		}))
		perCall(b, func() { send(b, url, body) })
	})
	server := newServer(b, x, Options{})
	srv := httptest.NewServer(server.Handler())
	defer srv.Close()
	b.Run("http", func(b *testing.B) { perCall(b, func() { send(b, srv.URL, body) }) })
	b.Run("http-2026-07-28", func(b *testing.B) { perCall(b, func() { send(b, srv.URL, newest, header...) }) })
	b.Run("stdio", func(b *testing.B) {
		p := talk(b, newServer(b, x, Options{}))
		p.hello("2025-11-25")
		perCall(b, func() {
			p.send("%s", body)
			if _, ok := <-p.lines; !ok {
				b.Fatal("no answer")
			}
		})
		p.in.Close()
		<-p.ended
	})
}

func send(b *testing.B, url, body string, header ...string) {
	r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		b.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != 200 {
		b.Fatal(res.StatusCode, err)
	}
}

// perCall reports processor time, which a busy machine does not stretch.
func perCall(b *testing.B, call func()) {
	call()
	before := cpuTime()
	b.ResetTimer()
	for range b.N {
		call()
	}
	b.ReportMetric(float64((cpuTime()-before).Microseconds())/float64(b.N), "cpu-us/op")
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
