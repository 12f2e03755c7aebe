package serve

import (
	"net"
	"testing"
)

// from is a listener whose connections come from where a test wants.
type from struct {
	net.Listener
	next chan net.Addr
}

func (f *from) Accept() (net.Conn, error) {
	at, ok := <-f.next
	if !ok {
		return nil, net.ErrClosed
	}
	here, _ := net.Pipe()
	return &stranger{here, at}, nil
}

type stranger struct {
	net.Conn
	at net.Addr
}

func (s *stranger) RemoteAddr() net.Addr { return s.at }

// One address has its part of the connections, and gives a place back once,
// however often it is closed; programs of this machine are not counted.
func TestConnectionsAreShared(t *testing.T) {
	f := &from{next: make(chan net.Addr, 100)}
	rejected := 0
	c := &crowd{Listener: f, most: 2, open: map[string]int{}, reject: func(string) { rejected++ }}
	comes := func(addresses ...string) (all []net.Conn) {
		t.Helper()
		for _, a := range addresses {
			ip := net.ParseIP(a)
			f.next <- &net.TCPAddr{IP: ip, Port: 7}
		}
		f.next <- &net.TCPAddr{IP: net.ParseIP("127.0.0.1"), Port: 9}
		for {
			conn, err := c.Accept()
			if err != nil {
				t.Fatal(err)
			}
			if conn.RemoteAddr().(*net.TCPAddr).Port == 9 {
				return all
			}
			all = append(all, conn)
		}
	}
	first := comes("10.0.0.7", "10.0.0.7", "10.0.0.7", "10.0.0.8", "2001:db8::1", "2001:db8::2", "2001:db8::3", "127.0.0.1", "127.0.0.1", "127.0.0.1")
	if len(first) != 8 || rejected != 2 {
		t.Fatalf("%d came in and %d were rejected", len(first), rejected)
	}
	for range 3 {
		first[0].Close()
	}
	if again := comes("10.0.0.7", "10.0.0.7"); len(again) != 1 || rejected != 3 {
		t.Errorf("%d came in and %d were rejected", len(again), rejected)
	}
	for _, conn := range first {
		conn.Close()
	}
	if c.open["10.0.0.8"] != 0 || len(c.open) != 1 {
		t.Errorf("still counted: %v", c.open)
	}
}
