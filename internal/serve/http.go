package serve

// The HTTP server, from its first connection to the end of its last run.

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"

	"github.com/coreos/go-systemd/v22/daemon"
)

// HTTP serves on the listeners and closes them. When ctx ends it refuses what is
// new, finishes what it has accepted, and returns nil; a run that takes longer
// than the longest may is ended.
func (s *Server) HTTP(ctx context.Context, l Listeners) error {
	defer l.Close()
	life, end := context.WithCancel(context.WithoutCancel(ctx)) // outlives ctx by the drain
	var behind sync.WaitGroup
	defer behind.Wait()
	defer end()

	g, err := s.newGate(life)
	if err != nil {
		return err
	}
	if err := g.exposure.admits(l.MCP.Addr()); err != nil {
		return err
	}
	files := append([]File(nil), s.options.Files...)
	if g.tokens != nil {
		files = append(files, File{Path: g.tokens.path, Load: g.tokens.load, Gone: g.tokens.drop})
	}
	server := &http.Server{}
	if e := g.exposure; e.TLSCert != "" {
		c, err := openCertificate(e.TLSCert, e.TLSKey)
		if err != nil {
			return err
		}
		server.TLSConfig = c.config()
		reload := func([]byte) error { return c.reload() }
		files = append(files, File{Path: e.TLSCert, Load: reload}, File{Path: e.TLSKey, Load: reload})
	}
	if g.exposure.InsecureNoAuth && !g.exposure.authenticates() && !isLocal(l.MCP.Addr()) {
		s.options.Log.WarnContext(ctx, "anyone who can reach this server can run code: insecure_no_auth is set", "address", l.MCP.Addr().String())
	}
	g.local = isLocal(l.MCP.Addr())
	ready := newReadiness(s, g.drain)
	s.facts.begun.Store(true)
	secure := server.TLSConfig != nil // Serve sets one too
	s.announce(ctx, l, secure)
	watch := newReloader(s.options.Log, files)
	behind.Go(func() { watch.run(life) })
	behind.Go(func() { ready.run(life) })

	server.Handler = g.around(s.Handler(), ready)
	servers := []*http.Server{s.configure(server, life)}
	ended := make(chan error, 2)
	start := func(srv *http.Server, l net.Listener, secure bool) {
		behind.Go(func() {
			l = s.bounded(l)
			if secure {
				ended <- srv.ServeTLS(l, "", "")
				return
			}
			ended <- srv.Serve(l)
		})
	}
	start(server, l.MCP, secure)
	if l.Metrics != nil {
		m := s.configure(&http.Server{Handler: s.metricsHandler(ready, l)}, life)
		servers = append(servers, m)
		start(m, l.Metrics, false)
	}
	s.notify(daemon.SdNotifyReady)
	select {
	case err = <-ended:
		err = fmt.Errorf("serve: %w", err)
	case err = <-ready.vain: // a server that never runs anything should not look like one
	case <-ctx.Done():
		s.notify(daemon.SdNotifyStopping)
		s.finish(g.drain)
	}
	end() // what still runs, and streams that only listen
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.patience.close)
	defer cancel()
	for _, srv := range servers {
		if srv.Shutdown(grace) != nil {
			_ = srv.Close()
		}
	}
	return err
}

// announce says where the server is.
func (s *Server) announce(ctx context.Context, l Listeners, secure bool) {
	scheme := "http"
	if secure {
		scheme = "https"
	}
	what := []any{"url", scheme + "://" + l.MCP.Addr().String() + s.options.Path}
	if l.Metrics != nil {
		what = append(what, "metrics", "http://"+l.Metrics.Addr().String()+"/metrics")
	}
	s.options.Log.InfoContext(ctx, "listening", what...)
}

// configure bounds what a connection may cost.
func (s *Server) configure(srv *http.Server, life context.Context) *http.Server {
	srv.ReadHeaderTimeout, srv.ReadTimeout, srv.IdleTimeout = s.patience.header, s.patience.body, s.patience.idle
	srv.MaxHeaderBytes = maxHeader
	srv.BaseContext = func(net.Listener) context.Context { return life }
	srv.ErrorLog = slog.NewLogLogger(s.options.Log.Handler(), slog.LevelDebug) // handshakes of scanners
	return srv
}

// finish waits for what was accepted.
func (s *Server) finish(d *drain) {
	done := d.stop()
	s.options.Log.Info("stopping: what was accepted is finished, what is new refused")
	if !waitFor(done, s.options.Bounds.MaxTimeout+s.patience.run) {
		s.options.Log.Error("stopping: what still runs is ended", "error", errors.New("it took longer than a run may").Error())
	}
}

// notify tells systemd, where it is there.
func (s *Server) notify(state string) {
	if _, err := daemon.SdNotify(false, state); err != nil {
		s.options.Log.Warn("tell systemd", "state", state, "error", err.Error())
	}
}
