package serve

import (
	"errors"
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// A body that is announced and does not come takes nothing from anybody.
func TestSilentBodiesTakeNoRoom(t *testing.T) {
	s := newServer(t, &fake{}, Options{})
	g, err := s.newGate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r := &running{server: s, url: listenHandler(t, g.around(s.Handler(), newReadiness(s, g.drain))) + "/mcp"}
	silent := 0
	for _, length := range []int{20_000_000, 1 << 20, 1 << 16, 1 << 12, 100} { // to the last byte of what is left
		for range 15 {
			r.wire(t).send("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n{", length)
			r.wire(t).send("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n")
			silent += 2
		}
	}
	eventually(t, "all of them are being read", func() bool {
		g.bodies.mu.Lock()
		defer g.bodies.mu.Unlock()
		return g.bodies.held == int64(silent)*firstRoom
	})
	r.serves(t)
}

// What one caller really sends is at most a third of the room, and given back.
func TestBodiesAreShared(t *testing.T) {
	tokens := filepath.Join(t.TempDir(), "tokens")
	writeFile(t, tokens, tokenLine("ada", "one")+"\n"+tokenLine("bob", "two"))
	r := up(t, &fake{}, Options{Exposure: Exposure{TokenFile: tokens}}, Addresses{})
	const head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer one\r\nContent-Length: 20000000\r\n\r\n"
	most := strings.Repeat(" ", 19_000_000)
	var held []*wire
	for range 4 {
		w := r.wire(t)
		w.send("%s%s", head, most)
		held = append(held, w)
	}
	eventually(t, "ada is refused", func() bool {
		w := r.wire(t)
		_ = w.SetWriteDeadline(time.Now().Add(10 * time.Second))
		_, _ = io.WriteString(w, head+most) // it may be cut short
		status, _ := w.answer()
		return status == 429
	})
	if status, _, text := r.asks(t, printing(), "Authorization", "Bearer two"); status != 200 {
		t.Errorf("bob: %d %s", status, text)
	}
	for _, w := range held {
		w.Close()
	}
	eventually(t, "ada is answered again", func() bool {
		status, _, _ := r.asks(t, printing(), "Authorization", "Bearer one")
		return status == 200
	})
}

func TestBodiesRead(t *testing.T) {
	b := newBodies(100)
	b.room, b.share = 250, 150
	read := func(caller string, size int) (int, func(), error) {
		all, release, err := b.read(caller, iotest.HalfReader(strings.NewReader(strings.Repeat("x", size))))
		return len(all), release, err
	}
	var give []func()
	for _, c := range []struct {
		caller string
		size   int
		want   error
	}{{"a", 100, nil}, {"a", 100, errShare}, {"b", 99, nil}, {"c", 0, errNoRoom}} {
		n, release, err := read(c.caller, c.size)
		if !errors.Is(err, c.want) || err == nil && n != c.size {
			t.Errorf("%+v: %d bytes, %v", c, n, err)
		}
		give = append(give, release)
	}
	for _, g := range give {
		g()
	}
	if _, release, err := b.read("a", iotest.ErrReader(net.ErrClosed)); !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	} else {
		release()
	}
	if b.held != 0 || len(b.by) != 0 {
		t.Errorf("not empty: %+v", b)
	}
}
