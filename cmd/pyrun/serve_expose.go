package main

// What of `pyrun serve` is about the world: where it listens, whom it lets in,
// what it logs.

import (
	"log/slog"

	"github.com/urfave/cli/v2"

	"github.com/pyrun-dev/pyrun/internal/config"
	"github.com/pyrun-dev/pyrun/internal/exec"
	"github.com/pyrun-dev/pyrun/internal/serve"
)

// exposure turns the settings into who is let in over HTTP.
func exposure(s *config.Config) serve.Exposure {
	return serve.Exposure{
		Host: s.Service.Host, Hosts: s.Service.AllowedHosts,
		Origins: s.Service.AllowedOrigins, CORSOrigins: s.Service.CORSOrigins,
		TokenFile: s.Service.TokenFile, InsecureNoAuth: s.Service.InsecureNoAuth,
		JWKSURL: s.Service.JWKSURL, JWTIssuer: s.Service.JWTIssuer, JWTAudience: s.Service.JWTAudience,
		TLSCert: s.Service.TLSCert, TLSKey: s.Service.TLSKey,
		RatePerMinute: s.Service.RatePerMinute, MaxPerCaller: s.Service.MaxPerCaller,
	}
}

// addresses are where the settings want to be reached.
func addresses(s *config.Config, profile bool) serve.Addresses {
	return serve.Addresses{
		Host: s.Service.Host, Port: s.Service.Port,
		MetricsHost: s.Service.MetricsHost, MetricsPort: s.Service.MetricsPort,
		Profile: profile,
	}
}

// serveLog is the log on stderr; stdout may be the protocol's. Its level follows
// the file of the settings, and it tells of a list of packages that is none any more.
func (d *door) serveLog(c *cli.Context, s *config.Config, o *serve.Options) (log *slog.Logger, closeLog func()) {
	var level slog.LevelVar
	level.Set(logLevel(s))
	if file := s.File(); file != "" {
		o.Files = append(o.Files, serve.File{Path: d.abs(file), Load: func([]byte) error {
			s, err := d.config(c)
			if err == nil {
				level.Set(logLevel(s))
			}
			return err
		}})
	}
	if file := s.Runner.PackagesFile; file != "" {
		o.Files = append(o.Files, serve.File{Path: file, Load: exec.CheckPackages})
	}
	return serve.NewLog(d.stderr, serve.LogOptions{JSON: s.Service.LogFormat == "json", Level: &level})
}

func logLevel(s *config.Config) slog.Level {
	switch s.Service.ConsoleLogLevel {
	case "DEBUG":
		return slog.LevelDebug
	case "WARNING", "WARN":
		return slog.LevelWarn
	case "ERROR":
		return slog.LevelError
	case "CRITICAL":
		return slog.LevelError + 4
	}
	return slog.LevelInfo
}
