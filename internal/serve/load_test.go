package serve

import (
	"context"
	"io"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

func census(t testing.TB) count {
	t.Helper()
	return count{runtime.NumGoroutine(), descriptors()}
}

// sound is the Executor itself, with walls that need no look.
type sound struct{ *exec.Executor }

func (s sound) Validate(context.Context, exec.Validation) (*exec.Report, error) {
	return &exec.Report{Diagnostics: []exec.Diagnostic{}}, nil
}

func (s sound) Check(context.Context, exec.Inspection) (*exec.Environment, error) {
	return environment(), nil
}

// soak is how long a load lasts: a moment at a desk, PYRUN_SOAK elsewhere.
func soak(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv("PYRUN_SOAK")
	if text == "" {
		return 2 * time.Second
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("PYRUN_SOAK: %v", err)
	}
	return d
}

// fate counts what clients were told.
type fate struct {
	ok, busy, stopping, lost atomic.Int64

	mu   sync.Mutex
	took []time.Duration // of those that were run
	odd  []string
}

func (f *fate) strange(text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.odd) < 5 {
		f.odd = append(f.odd, text)
	}
}

// ask is one call; false when the server is gone.
func (f *fate) ask(c *http.Client, url, caller, body string) bool {
	start := time.Now()
	req, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	req.Header.Set("Content-Type", jsonType)
	req.Header.Set("Authorization", "Bearer "+caller)
	res, err := c.Do(req)
	if err != nil {
		f.lost.Add(1) // who was not accepted cannot have been told
		return false
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	text := string(data)
	switch {
	case err != nil:
		f.strange("an answer ended early: " + err.Error())
	case res.StatusCode == 503 && res.Header.Get("Retry-After") == "":
		f.strange("503 without Retry-After: " + text)
	case res.StatusCode == 503 && strings.Contains(text, "stopping"):
		f.stopping.Add(1)
	case res.StatusCode == 503 && strings.Contains(text, "busy"), strings.Contains(text, `"isError":true`) && strings.Contains(text, "busy: "):
		f.busy.Add(1)
		time.Sleep(10 * time.Millisecond)
	case res.StatusCode == 200 && strings.Contains(text, "fine"):
		f.ok.Add(1)
		f.mu.Lock()
		f.took = append(f.took, time.Since(start))
		f.mu.Unlock()
	default:
		f.strange(res.Status + ": " + text[:min(len(text), 400)])
	}
	return true
}

// Sixty-four clients want ten times what there is: each call gets its result or
// is told that the server is busy, nothing grows, and the end loses nothing that
// was accepted.
func TestLoad(t *testing.T) {
	if testing.Short() {
		t.Skip("a load")
	}
	duration := soak(t)
	x, err := exec.New(exec.Options{Python: os.Getenv("PYRUN_TEST_PYTHON"), MaxWorkers: 2, MaxQueue: 5})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if _, err := x.Execute(t.Context(), exec.Request{Code: []byte("pass")}); err != nil {
		cannot(t, "no run is possible here: %v", err)
	}
	load(t, sound{x}, duration)
	if l := x.Load(); l.Running != 0 || l.Waiting != 0 || l.Held != 0 {
		t.Errorf("the queue is not empty: %+v", l)
	}
}

// The same without interpreters, so that there are many more calls.
func TestLoadOfTheDoor(t *testing.T) {
	if testing.Short() {
		t.Skip("a load")
	}
	slots := make(chan struct{}, 7)
	x := &fake{execute: func(ctx context.Context, _ exec.Request) (*exec.Result, error) {
		select {
		case slots <- struct{}{}:
			defer func() { <-slots }()
		default:
			return nil, &exec.BusyError{RetryAfter: time.Second}
		}
		select {
		case <-time.After(5 * time.Millisecond):
			res := result()
			res.Stdout = "fine"
			return res, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}}
	load(t, x, duration(t))
}

func duration(t *testing.T) time.Duration { return min(soak(t), 10*time.Second) }

func load(t *testing.T, x Executor, lasts time.Duration) {
	tokenFile := t.TempDir() + "/tokens"
	names := []string{"ada", "bob", "cleo", "dan"}
	lines := ""
	for _, n := range names {
		lines += tokenLine(n, n)
	}
	writeFile(t, tokenFile, lines)
	before := census(t)
	r := up(t, x, Options{Exposure: Exposure{TokenFile: tokenFile}}, Addresses{})
	transport := &http.Transport{MaxIdleConnsPerHost: 64}
	client := &http.Client{Transport: transport}
	var f fate
	var clients sync.WaitGroup
	stop := make(chan struct{})
	body := callBody(toolExecute, `{"code":"print('fine')"}`)
	for i := range 64 {
		clients.Go(func() {
			caller := names[i%len(names)]
			for {
				select {
				case <-stop:
					return
				default:
				}
				if !f.ask(client, r.url, caller, body) {
					return
				}
			}
		})
	}
	time.Sleep(lasts / 2)
	debug.FreeOSMemory()
	half, memory := census(t), heap()
	time.Sleep(lasts / 2)
	debug.FreeOSMemory()
	end, after := census(t), heap()
	if !end.within(half, 200) { // connections come and go
		t.Errorf("it grows: %+v, then %+v", half, end)
	}
	if after > memory+32<<20 {
		t.Errorf("the heap grows: %d MiB, then %d MiB", memory>>20, after>>20)
	}
	lost := f.lost.Load()
	if err := r.stop(); err != nil { // in mid-load
		t.Error(err)
	}
	close(stop)
	clients.Wait()
	transport.CloseIdleConnections()
	if lost != 0 {
		t.Errorf("%d calls got no answer while the server was up", lost)
	}
	for _, odd := range f.odd {
		t.Error(odd)
	}
	if f.ok.Load() == 0 || f.busy.Load() == 0 {
		t.Errorf("%d were run, %d found it busy: that is no load", f.ok.Load(), f.busy.Load())
	}
	slices.Sort(f.took)
	if n := len(f.took); n > 0 {
		t.Logf("%d run (p50 %s, p99 %s), %d busy, %d found it stopping", n, f.took[n/2].Round(time.Millisecond), f.took[n*99/100].Round(time.Millisecond), f.busy.Load(), f.stopping.Load())
	}
	eventually(t, "goroutines and descriptors are as before", func() bool {
		http.DefaultClient.CloseIdleConnections()
		return census(t).within(before, 2)
	})
}

func heap() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
