package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"runtime"
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

// soak is how long a load lasts: a moment, or PYRUN_LOAD.
func soak(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv("PYRUN_LOAD")
	if text == "" {
		return 2 * time.Second
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("PYRUN_LOAD: %v", err)
	}
	return d
}

// ledger knows what came of the calls that reached the Executor, until their
// callers have been told.
type ledger struct {
	mu   sync.Mutex
	open map[string]string // by code
}

const (
	wasRun  = "it was run"
	wasBusy = "it found the queue full"
)

func newLedger() *ledger { return &ledger{open: map[string]string{}} }

func (l *ledger) note(r exec.Request, res *exec.Result, err error) (*exec.Result, error) {
	came := wasRun
	if errors.Is(err, exec.ErrBusy) {
		came = wasBusy
	} else if res == nil {
		came = err.Error()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open[string(r.Code)] = came
	return res, err
}

// settle takes out what came of a call; nothing of one that never got there.
func (l *ledger) settle(code string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer delete(l.open, code)
	return l.open[code]
}

// noted is the Executor itself with a ledger.
type noted struct {
	sound
	*ledger
}

func (n noted) Execute(ctx context.Context, r exec.Request) (*exec.Result, error) {
	res, err := n.sound.Execute(ctx, r)
	return n.note(r, res, err)
}

// throng are the clients, and what they were told.
type throng struct {
	client *http.Client
	url    string
	ledger *ledger
	next   atomic.Int64
	ending atomic.Bool // the server was told to stop

	ok, late, busy, stopping atomic.Int64 // late: of the ok ones, when it was ending

	mu   sync.Mutex
	took []time.Duration // of those that were run
	odd  []string
}

func (f *throng) strange(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.odd) < 5 {
		f.odd = append(f.odd, fmt.Sprintf(format, args...))
	}
}

// ask is one call, like no other; false when the server is gone.
func (f *throng) ask(caller string) bool {
	id := f.next.Add(1)
	code := fmt.Sprintf("print('fine %d')", id)
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"execute_python","arguments":{"code":%q}}}`, id, code)
	start := time.Now()
	req, err := http.NewRequest(http.MethodPost, f.url, strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	req.Header.Set("Content-Type", jsonType)
	req.Header.Set("Authorization", "Bearer "+caller)
	res, err := f.client.Do(req)
	if err != nil {
		if !f.ending.Load() {
			f.strange("no answer while the server was up: %v", err)
		}
		return false // what it was for is left in the ledger, if it was accepted
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		f.strange("an answer ended early: %v", err)
		return false
	}
	took := time.Since(start)
	switch told, came := f.read(res, data, id), f.ledger.settle(code); {
	case told == "stopping" && came == "":
		f.stopping.Add(1)
	case told == "busy" && (came == "" || came == wasBusy):
		f.busy.Add(1)
		time.Sleep(2 * time.Millisecond)
	case told == "ok" && came == wasRun:
		f.ok.Add(1)
		if f.ending.Load() {
			f.late.Add(1)
		}
		f.mu.Lock()
		f.took = append(f.took, took)
		f.mu.Unlock()
	default:
		f.strange("%s, and the answer was %q: %s %.400s", came, told, res.Status, data)
	}
	return true
}

// read is what an answer says: ok, busy or stopping, and "" when it says none of
// these as it should.
func (f *throng) read(res *http.Response, data []byte, id int64) string {
	text := string(data)
	if res.StatusCode == 503 {
		switch {
		case res.Header.Get("Retry-After") == "":
			return ""
		case strings.Contains(text, "stopping"):
			return "stopping"
		case strings.Contains(text, "busy"):
			return "busy"
		}
		return ""
	}
	var a struct {
		ID     int64
		Result struct {
			Content           []struct{ Text string }
			IsError           bool
			StructuredContent struct{ Stdout string }
		}
	}
	if err := json.Unmarshal(data, &a); err != nil || res.StatusCode != 200 || a.ID != id || len(a.Result.Content) == 0 {
		return ""
	}
	switch {
	case a.Result.IsError && strings.HasPrefix(a.Result.Content[0].Text, "busy: "):
		return "busy"
	case !a.Result.IsError && a.Result.StructuredContent.Stdout == fmt.Sprintf("fine %d\n", id):
		return "ok"
	}
	return ""
}

// Ten clients for each place that there is, at a worker or in the queue, none of
// them with a pause but for 2 ms after a refusal: each call gets its own result or is told that the server is busy, nothing grows, and
// the end in mid-load loses nothing that was accepted.
func TestLoad(t *testing.T) {
	if testing.Short() {
		t.Skip("a load")
	}
	for name, copies := range map[string]int{"cold": 0, "warm": 4} {
		t.Run(name, func(t *testing.T) {
			x, err := exec.New(exec.Options{Python: os.Getenv("PYRUN_TEST_PYTHON"), MaxWorkers: 2, MaxQueue: 5, Warm: copies})
			if err != nil {
				t.Fatal(err)
			}
			defer x.Close()
			if _, err := x.Execute(t.Context(), exec.Request{Code: []byte("pass")}); err != nil {
				cannot(t, "no run is possible here: %v", err)
			}
			if copies > 0 {
				if err := x.Warmed(t.Context()); err != nil {
					cannot(t, "no copies are possible here: %v", err)
				}
				eventually(t, "the pool is full", func() bool { s := x.Pool(); return s.Ready == s.Size && s.Making == 0 })
			}
			l := newLedger()
			f := load(t, noted{sound{x}, l}, l, 70, soak(t))
			if f.busy.Load() < f.ok.Load() {
				t.Errorf("%d were run, %d found it busy: that is too little", f.ok.Load(), f.busy.Load())
			}
			if f.late.Load() == 0 {
				t.Error("nothing ran when the end began")
			}
			if l := x.Load(); l.Running != 0 || l.Waiting != 0 || l.Held != 0 {
				t.Errorf("the queue is not empty: %+v", l)
			}
			if s := x.Pool(); copies > 0 {
				if t.Logf("%+v", s); s.Warm == 0 || s.Running != 0 {
					t.Errorf("the pool: %+v", s)
				}
			}
		})
	}
}

// The same without interpreters, so that there are many more calls.
func TestLoadOfTheDoor(t *testing.T) {
	if testing.Short() {
		t.Skip("a load")
	}
	slots, l := make(chan struct{}, 7), newLedger()
	x := &fake{execute: func(ctx context.Context, r exec.Request) (*exec.Result, error) {
		select {
		case slots <- struct{}{}:
			defer func() { <-slots }()
		default:
			return l.note(r, nil, &exec.BusyError{RetryAfter: time.Second})
		}
		select {
		case <-time.After(5 * time.Millisecond):
			res := result()
			res.Stdout = strings.TrimSuffix(strings.TrimPrefix(string(r.Code), "print('"), "')") + "\n"
			return l.note(r, res, nil)
		case <-ctx.Done():
			return l.note(r, nil, ctx.Err())
		}
	}}
	load(t, x, l, 70, min(soak(t), 10*time.Second))
}

func load(t *testing.T, x Executor, l *ledger, clients int, lasts time.Duration) *throng {
	t.Helper()
	tokenFile := t.TempDir() + "/tokens"
	names := []string{"ada", "bob", "cleo", "dan"}
	lines := ""
	for _, n := range names {
		lines += tokenLine(n, n)
	}
	writeFile(t, tokenFile, lines)
	before := census(t)
	r := up(t, x, Options{Exposure: Exposure{TokenFile: tokenFile}}, Addresses{})
	transport := &http.Transport{MaxIdleConnsPerHost: clients}
	f := &throng{client: &http.Client{Transport: transport}, url: r.url, ledger: l}
	var all sync.WaitGroup
	stop := make(chan struct{})
	for i := range clients {
		all.Go(func() {
			for f.ask(names[i%len(names)]) {
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	time.Sleep(lasts / 2)
	r.log.forget() // which keeps a line of each call
	half, memory := census(t), heap()
	time.Sleep(lasts / 2)
	r.log.forget()
	end, after := census(t), heap()
	if !end.within(half, 200) { // connections come and go
		t.Errorf("it grows: %+v, then %+v", half, end)
	}
	t.Logf("the heap: %d MiB, then %d MiB", memory>>20, after>>20)
	if after > memory+32<<20 {
		t.Errorf("the heap grows: %d MiB, then %d MiB", memory>>20, after>>20)
	}
	f.ending.Store(true)
	if err := r.stop(); err != nil { // in mid-load
		t.Error(err)
	}
	close(stop)
	all.Wait()
	transport.CloseIdleConnections()
	for _, odd := range f.odd {
		t.Error(odd)
	}
	for code, came := range l.open {
		if came != wasBusy {
			t.Errorf("%s: %s, and its caller had no answer", code, came)
		}
	}
	if f.ok.Load() == 0 || f.busy.Load() == 0 {
		t.Errorf("%d were run, %d found it busy: that is no load", f.ok.Load(), f.busy.Load())
	}
	slices.Sort(f.took)
	if n := len(f.took); n > 0 {
		t.Logf("%d run (p50 %s, p99 %s), %d of them when it was ending; %d busy, %d found it stopping",
			n, f.took[n/2].Round(time.Millisecond), f.took[n*99/100].Round(time.Millisecond), f.late.Load(), f.busy.Load(), f.stopping.Load())
	}
	eventually(t, "goroutines and descriptors are as before", func() bool {
		http.DefaultClient.CloseIdleConnections()
		return census(t).within(before, 2)
	})
	return f
}

// heap is the least of some looks, each right after a collection: thousands of calls a
// second go on meanwhile, and what they have dropped already is no growth.
func heap() int64 {
	least := int64(math.MaxInt64)
	for range 5 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		least = min(least, int64(m.HeapAlloc))
	}
	return least
}
