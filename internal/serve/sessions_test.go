package serve

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// hello opens a session, with a name as long as is asked for.
func hello(name string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":%q,"version":"1"}}}`, name)
}

func kept(t *testing.T, o Exposure, change ...func(*patience)) *running {
	t.Helper()
	o.TokenFile = filepath.Join(t.TempDir(), "tokens")
	writeFile(t, o.TokenFile, tokenLine("ada", "one")+tokenLine("bob", "two"))
	return up(t, &fake{}, Options{Sessions: true, Exposure: o}, Addresses{}, change...)
}

// One caller may have so many sessions and no more, also when it opens them all
// at once; those that end make room.
func TestSessionsAreBounded(t *testing.T) {
	r := kept(t, Exposure{})
	ada, bob := []string{"Authorization", "Bearer one"}, []string{"Authorization", "Bearer two"}
	var (
		all sync.WaitGroup
		mu  sync.Mutex
		ids []string
		got = map[int]int{}
	)
	for range 16 {
		all.Go(func() {
			for range 2 * oneSessions / 16 {
				status, h, _ := r.asks(t, hello("t"), ada...)
				mu.Lock()
				if got[status]++; status == http.StatusOK {
					ids = append(ids, h.Get(sessionHeader))
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if got[http.StatusOK] > oneSessions || got[http.StatusOK] < oneSessions-16 || got[http.StatusOK]+got[http.StatusTooManyRequests] != 2*oneSessions {
		t.Errorf("statuses %v, want %d of 200", got, oneSessions)
	}
	for range oneSessions - len(ids) {
		if status, _, text := r.asks(t, hello("t"), ada...); status != http.StatusOK {
			t.Fatalf("%d %s", status, text)
		}
	}
	if status, h, text := r.asks(t, hello("t"), ada...); status != http.StatusTooManyRequests || h.Get("Retry-After") == "" || !strings.Contains(text, "sessions") {
		t.Errorf("one more: %d %s", status, text)
	}
	if got := r.counts(t, `pyrun_rejected_total{reason="sessions"}`); got == "" || got == "0" {
		t.Errorf("counted %q", got)
	}
	if status, _, text := r.asks(t, hello("t"), bob...); status != http.StatusOK {
		t.Errorf("another caller: %d %s", status, text)
	}
	if status, _, _ := get(t, http.MethodDelete, r.url, append(ada, sessionHeader, ids[0])...); status != http.StatusNoContent {
		t.Errorf("DELETE: %d", status)
	}
	if status, _, text := r.asks(t, hello("t"), ada...); status != http.StatusOK {
		t.Errorf("after one has ended: %d %s", status, text)
	}
}

func TestSessionsAreBoundedInAll(t *testing.T) {
	s := newServer(t, &fake{}, Options{})
	opened := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	all := newSessions(s, opened)
	all.asked["others"] = maxSessions
	if status, _, _ := post(t, listenHandler(t, all), hello("t")); status != http.StatusServiceUnavailable {
		t.Errorf("%d", status)
	}
	all.asked["others"]--
	if status, _, _ := post(t, listenHandler(t, all), hello("t")); status != http.StatusOK {
		t.Errorf("%d", status)
	}
}

// What opens a session is kept with it.
func TestInitializeIsSmall(t *testing.T) {
	r := kept(t, Exposure{})
	for _, body := range []string{hello(strings.Repeat("x", maxInitial)), "[" + hello(strings.Repeat("x", maxInitial)) + "]"} {
		if status, _, text := r.asks(t, body, "Authorization", "Bearer one"); status != http.StatusRequestEntityTooLarge {
			t.Errorf("%d %s", status, text)
		}
	}
}

// Opening one costs what a call costs.
func TestInitializeIsCounted(t *testing.T) {
	r := kept(t, Exposure{RatePerMinute: 3})
	for i := range 4 {
		want := 200
		if i == 3 {
			want = http.StatusTooManyRequests
		}
		if status, _, text := r.asks(t, hello("t"), "Authorization", "Bearer one"); status != want {
			t.Errorf("number %d: %d %s", i, status, text)
		}
	}
}

// One that says nothing ends, whatever it listens to.
func TestIdleSessionsEnd(t *testing.T) {
	r := kept(t, Exposure{}, func(p *patience) { p.session = 300 * time.Millisecond })
	_, h, _ := r.asks(t, hello("t"), "Authorization", "Bearer one")
	id := h.Get(sessionHeader)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		get(t, http.MethodGet, r.url, "Authorization", "Bearer one", sessionHeader, id, "Accept", streamType)
	}()
	select {
	case <-ended:
	case <-time.After(late):
		t.Error("its stream stays open")
	}
	list := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	eventually(t, "it is not known any more", func() bool {
		status, _, _ := r.asks(t, list, "Authorization", "Bearer one", sessionHeader, id)
		return status == http.StatusNotFound
	})
}
