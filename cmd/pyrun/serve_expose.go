package main

// What of `pyrun serve` is about the world: where it listens, whom it lets in,
// what it logs.

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"strconv"

	"github.com/pyrun-dev/pyrun/internal/config"
	"github.com/pyrun-dev/pyrun/internal/serve"
)

// exposure turns the settings into who is let in over HTTP.
func exposure(s *config.Config) serve.Exposure {
	return serve.Exposure{}
}

// listen opens the address of the settings.
func listen(ctx context.Context, s *config.Config) ([]net.Listener, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", net.JoinHostPort(s.Service.Host, strconv.Itoa(s.Service.Port)))
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	return []net.Listener{l}, nil
}

// logger writes to stderr; stdout may be the protocol's.
func (d *door) logger(s *config.Config) *slog.Logger {
	return slog.New(slog.NewTextHandler(d.stderr, &slog.HandlerOptions{Level: slog.LevelError}))
}
