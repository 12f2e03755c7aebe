package serve

// The sockets: handed over by systemd, or opened here.

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"syscall"

	"github.com/coreos/go-systemd/v22/activation"
)

// Addresses are what HTTP listens on.
type Addresses struct {
	Host        string
	Port        int    // 0 is any free one
	MetricsHost string // empty is Host
	MetricsPort int    // 0: no metrics

	// Profile adds /debug/pprof to the metrics, which then must be on loopback: a
	// profile shows what is in memory.
	Profile bool
}

// Listeners are open sockets. Metrics may be nil.
type Listeners struct {
	MCP     net.Listener
	Metrics net.Listener
	profile bool
}

// Close closes them; HTTP does so by itself.
func (l Listeners) Close() {
	for _, one := range []net.Listener{l.MCP, l.Metrics} {
		if one != nil {
			_ = one.Close()
		}
	}
}

// Listen opens the sockets, or takes those that systemd opened: the one named
// metrics, and the first of the others. It refuses, with ErrExposed, an address
// that strangers can reach while nobody is asked for a token.
func (s *Server) Listen(ctx context.Context, a Addresses) (Listeners, error) {
	l := Listeners{profile: a.Profile}
	for _, f := range activation.Files(true) { // in the order of their units
		one, err := net.FileListener(f)
		_ = f.Close()
		switch {
		case err != nil:
			l.Close()
			return Listeners{}, fmt.Errorf("take the socket %s of systemd: %w", f.Name(), err)
		case f.Name() == "metrics" && l.Metrics == nil:
			l.Metrics = one
		case f.Name() != "metrics" && l.MCP == nil:
			l.MCP = one
		default:
			_ = one.Close()
		}
	}
	var err error
	if l.MCP == nil {
		if l.MCP, err = s.open(ctx, a.Host, a.Port, "port"); err != nil {
			l.Close()
			return Listeners{}, err
		}
	}
	if err := s.options.Exposure.admits(l.MCP.Addr()); err != nil {
		l.Close()
		return Listeners{}, err
	}
	if l.Metrics == nil && a.MetricsPort > 0 {
		host := a.MetricsHost
		if host == "" {
			host = a.Host
		}
		if l.Metrics, err = s.open(ctx, host, a.MetricsPort, "metrics-port"); err != nil {
			l.Close()
			return Listeners{}, err
		}
	}
	if a.Profile && (l.Metrics == nil || !isLocal(l.Metrics.Addr())) {
		l.Close()
		return Listeners{}, errors.New("profiles are shown beside the metrics and on loopback only: set service.metrics_host: 127.0.0.1")
	}
	return l, nil
}

func (s *Server) open(ctx context.Context, host string, port int, flag string) (net.Listener, error) {
	at := net.JoinHostPort(host, strconv.Itoa(port))
	network := "tcp"
	if ip, err := netip.ParseAddr(host); err == nil && ip.Is4() {
		network = "tcp4" // or 0.0.0.0 would be every IPv6 address too
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, network, at)
	if err == nil {
		return l, nil
	}
	var sys *net.OpError
	if errors.As(err, &sys) {
		err = sys.Err // the address is said already
	}
	e := &ListenError{Address: at, Err: err}
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		e.why, e.remedy = "another program listens there already", fmt.Sprintf("--%s %d", flag, port+1)
	case errors.Is(err, syscall.EACCES):
		e.why, e.remedy = "ports below 1024 are for root", fmt.Sprintf("--%s %d", flag, port+8000)
	}
	return nil, e
}

// ListenError says why there is no listening on an address. Nothing was started.
type ListenError struct {
	Address     string
	Err         error
	why, remedy string
}

func (e *ListenError) Error() string { return "listen on " + e.Address + ": " + e.Err.Error() }
func (e *ListenError) Unwrap() error { return e.Err }

// Explain says what is likely behind it, and the way out; both may be empty.
func (e *ListenError) Explain() (why, remedy string) { return e.why, e.remedy }

// metricsHandler is what the second port answers.
// On loopback it answers to names of this machine alone, as the endpoint does.
func (s *Server) metricsHandler(ready *readiness, l Listeners) http.Handler {
	mux := http.NewServeMux()
	ready.routes(mux, func(*http.Request) bool { return false })
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = w.Write(s.op.meters.text())
	})
	if l.profile {
		profileRoutes(mux)
	}
	at := l.Metrics.Addr()
	if !isLocal(at) || at.Network() == "unix" {
		return mux
	}
	own := newHosts(hostName(at.String()), nil)
	for _, name := range s.options.Exposure.Hosts {
		own.names[hostName(name)] = true
	}
	g := &gate{hosts: own, op: s.op}
	return g.checkHost(mux)
}
