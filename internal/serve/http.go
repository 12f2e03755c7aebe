package serve

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"
)

// HTTP serves the endpoint behind its exposure on every listener until ctx ends.
func (s *Server) HTTP(ctx context.Context, listeners ...net.Listener) error {
	srv := &http.Server{Handler: s.expose(s.Handler()), ReadHeaderTimeout: 5 * time.Second}
	ended := make(chan error, len(listeners))
	for _, l := range listeners {
		go func() { ended <- srv.Serve(l) }()
	}
	select {
	case err := <-ended:
		srv.Close()
		return err
	case <-ctx.Done():
	}
	if err := srv.Shutdown(context.WithoutCancel(ctx)); err != nil && !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
