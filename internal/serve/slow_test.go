package serve

import (
	"context"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

// The only worker is free as soon as its run is over, however slowly the answer
// is fetched, and the memory that the answer holds is given back with it.
func TestSlowReaderHoldsNoWorker(t *testing.T) {
	x, err := exec.New(exec.Options{Sandbox: "none", Python: os.Getenv("PYRUN_TEST_PYTHON"), MaxWorkers: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	if _, err := x.Execute(t.Context(), exec.Request{Code: []byte("pass")}); err != nil {
		cannot(t, "no run is possible here: %v", err)
	}
	r := up(t, sound{x}, Options{}, Addresses{})
	w := r.wire(t)
	_ = w.Conn.(*net.TCPConn).SetReadBuffer(8 << 10)
	w.post(callBody(toolExecute, `{"code":"import os\nfor n in 'ab': open(os.environ['ARTIFACTS_DIR'] + '/' + n, 'wb').write(os.urandom(5 << 20))"}`))
	eventually(t, "the run is over and its answer waits", func() bool {
		l := x.Load()
		return l.Running == 0 && l.Held >= 10<<20
	})
	if status, _, text := r.asks(t, printing()); status != 200 {
		t.Errorf("the next: %d %s", status, text)
	}
	if l := x.Load(); l.Held < 10<<20 {
		t.Errorf("%d bytes are held while the answer waits", l.Held)
	}
	w.Close()
	end := time.Now().Add(late)
	for x.Load().Held != 0 {
		if time.Now().After(end) {
			t.Fatalf("%d bytes are still held", x.Load().Held)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// Who takes each piece in time and the whole never is cut off: a reader of a few
// bytes now and then would hold the memory of its answer for hours.
func TestSlowReaderIsCutOff(t *testing.T) {
	delivered := make(chan (<-chan struct{}), 1)
	x := &fake{execute: func(_ context.Context, r exec.Request) (*exec.Result, error) {
		if string(r.Code) != "much" {
			return result(), nil
		}
		delivered <- r.Delivered
		res := result()
		res.Stdout = strings.Repeat("x", 8<<20) // more than the kernel holds for a connection
		return res, nil
	}}
	r := up(t, x, Options{}, Addresses{}, func(p *patience) { p.piece, p.answer = 20*time.Second, 300*time.Millisecond })
	w := r.wire(t)
	_ = w.Conn.(*net.TCPConn).SetReadBuffer(8 << 10)
	w.post(callBody(toolExecute, `{"code":"much"}`))
	over := <-delivered
	buf := make([]byte, 8<<10)
	for end := time.Now().Add(late); ; time.Sleep(10 * time.Millisecond) {
		select {
		case <-over:
			r.serves(t)
			return
		default:
		}
		if _, err := w.Read(buf); err != nil || time.Now().After(end) {
			t.Fatalf("its answer is still held (%v)", err)
		}
	}
}
