package serve

// Connections: so many at once of one listener, and of those a part for one
// address, so that nobody takes them all by opening them and saying nothing. They
// bound connections and not requests, of which HTTP/2 sends many over one: calls
// are bounded behind, by caller and by the queue.

import (
	"net"
	"net/netip"
	"sync"

	"golang.org/x/net/netutil"
)

const (
	maxConnections = 1024 // of a listener at once; more wait to be accepted
	oneConnections = 256  // of one address; more are closed
)

// crowd closes what one address has too many of. Programs of this machine are not
// counted: a proxy that brings everybody in may be one.
type crowd struct {
	net.Listener
	most   int
	reject func(reason string)

	mu   sync.Mutex
	open map[string]int // by address
}

func (s *Server) bounded(l net.Listener) net.Listener {
	c := &crowd{Listener: l, most: oneConnections, reject: s.op.meters.reject, open: map[string]int{}}
	return netutil.LimitListener(c, maxConnections)
}

func (c *crowd) Accept() (net.Conn, error) {
	for {
		conn, err := c.Listener.Accept()
		if err != nil || isLocal(conn.RemoteAddr()) {
			return conn, err
		}
		address := networkOf(conn.RemoteAddr().String())
		if c.enter(address) {
			return &counted{Conn: conn, leave: sync.OnceFunc(func() { c.leave(address) })}, nil
		}
		c.reject(ReasonConnections)
		_ = conn.Close()
	}
}

func (c *crowd) enter(address string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open[address] >= c.most {
		return false
	}
	c.open[address]++
	return true
}

func (c *crowd) leave(address string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open[address]--; c.open[address] == 0 {
		delete(c.open, address)
	}
}

// counted is a connection that gives its place back.
type counted struct {
	net.Conn
	leave func()
}

func (c *counted) Close() error {
	defer c.leave()
	return c.Conn.Close()
}

// networkOf names who is behind host:port. An IPv6 network is one: whoever has one
// address of it has them all.
func networkOf(at string) string {
	host, _, err := net.SplitHostPort(at)
	if err != nil {
		return "local"
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return "local"
	}
	if ip = ip.Unmap(); ip.Is6() && !ip.IsLoopback() {
		if p, err := ip.WithZone("").Prefix(64); err == nil {
			return p.String()
		}
	}
	return ip.String()
}
