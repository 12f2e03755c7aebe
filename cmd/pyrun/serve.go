package main

import (
	"context"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/pyrun-dev/pyrun/internal/config"
	"github.com/pyrun-dev/pyrun/internal/serve"
	"github.com/pyrun-dev/pyrun/internal/ui"
)

func (d *door) serveCommand() *cli.Command {
	return &cli.Command{
		Name:      "serve",
		Usage:     "serve the same sandbox to MCP clients",
		UsageText: "pyrun serve [--transport stdio|http] [flags]",
		Description: `pyrun serve --print-config claude-code
pyrun serve --transport http --port 8000
pyrun serve --transport http --host 0.0.0.0 --token-file tokens --tls-cert cert.pem --tls-key key.pem`,
		Flags:  append(serveFlags(), everywhere()...),
		Action: d.action(d.serve),
	}
}

// serveFlags are those of `pyrun serve`; all but the first four are settings.
func serveFlags() []cli.Flag {
	return append([]cli.Flag{
		&cli.StringFlag{Name: "transport", Usage: "speak over `stdio|http|streamable-http` (default stdio)"},
		&cli.StringFlag{Name: "print-config", Usage: "print what `" + strings.Join(clientNames(), "|") + "` needs to start pyrun, and exit"},
		&cli.BoolFlag{Name: "cold", Usage: "start an interpreter for each call instead of keeping copies ready"},
		&cli.BoolFlag{Name: "sessions", Usage: "keep a session for each HTTP client of an older protocol"},
	}, slices.Concat(serveSettingFlags(), limitFlags(), olderFlags())...)
}

func serveSettingFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "host", Category: "HTTP", Usage: "listen on `ADDRESS` (default 127.0.0.1)"},
		&cli.StringFlag{Name: "port", Category: "HTTP", Usage: "listen on TCP port `N` (default 8000)"},
		&cli.StringFlag{Name: "path", Category: "HTTP", Usage: "answer at `/PATH` (default /mcp)"},
		&cli.StringFlag{Name: "token-file", Category: "HTTP", Usage: "let in who has a token of `FILE`, one name:sha256 a line"},
		&cli.BoolFlag{Name: "insecure-no-auth", Category: "HTTP", Usage: "let in everybody, on other addresses than loopback too"},
		&cli.StringFlag{Name: "tls-cert", Category: "HTTP", Usage: "serve TLS with the certificate in `FILE`"},
		&cli.StringFlag{Name: "tls-key", Category: "HTTP", Usage: "and its key in `FILE`"},
		&cli.StringFlag{Name: "allowed-hosts", Category: "HTTP", Usage: "answer to these `NAMES`, with commas between"},
		&cli.StringFlag{Name: "metrics-port", Category: "HTTP", Usage: "metrics and health on TCP port `N`, 0 is off (default 9999)"},
		&cli.BoolFlag{Name: "pprof", Category: "HTTP", Usage: "profiles beside the metrics, on loopback only"},
		&cli.StringFlag{Name: "tools", Category: "Tools", Usage: "offer these `NAMES`, with commas between (run_python too)"},
		&cli.StringFlag{Name: "artifacts", Category: "Tools", Usage: "pass artifacts on as `inline|auto` (default: http inline, stdio auto)"},
		&cli.StringFlag{Name: "default-timeout", Category: "Tools", Usage: "stop a call after `TIME` (default 30s)"},
		&cli.StringFlag{Name: "max-timeout", Category: "Tools", Usage: "let a call ask for `TIME` at most (default 5m)"},
		&cli.StringFlag{Name: "max-workers", Category: "Tools", Usage: "run `N` calls at once (default: number of CPUs)"},
	}
}

// olderFlags are settings by the names that they have on older servers.
func olderFlags() []cli.Flag {
	const older = "Names of older servers"
	return []cli.Flag{
		&cli.StringFlag{Name: "runtime-python", Category: older, Usage: "as --python `PATH`"},
		&cli.StringFlag{Name: "python-version", Category: older, Usage: "refuse an interpreter that is not `VERSION`: 3.13"},
		&cli.StringFlag{Name: "sandbox-backend", Category: older, Usage: "as --sandbox: `auto|native|restricted|none`"},
		&cli.StringFlag{Name: "max-output-bytes", Category: older, Usage: "as --max-output `SIZE`"},
		&cli.StringFlag{Name: "uv-path", Category: older, Usage: "does nothing: uv is not used (`PATH`)"},
		&cli.BoolFlag{Name: "no-warm-cache", Category: older, Usage: "does nothing: there is no such cache"},
	}
}

// serve is `pyrun serve`.
func (d *door) serve(c *cli.Context) error {
	if words := append(d.line.words, d.line.rest...); len(words) > 0 {
		return usageHint("pyrun serve --transport http", "serve takes no words: %s", words[0])
	}
	transport, err := transportOf(c.String("transport"))
	if err != nil {
		return err
	}
	settings, err := d.settings(c)
	if err != nil {
		return err
	}
	if d.line.given("print-config") {
		return d.printConfig(c.String("print-config"), transport, settings)
	}
	if !c.Bool("quiet") {
		d.warn(settings.Notes())
	}
	if settings.Runner.SandboxBackend == "none" {
		d.ui.Fail(ui.Failure{
			Warning: true,
			What:    "no sandbox: whoever calls can read, change and send whatever you can",
			Why:     "the sandbox is set to none (" + origin(settings, "runner.sandbox_backend") + ")",
		})
	}
	steadyMemory(d.getenv)
	o := serveOptions(settings)
	log, closeLog := d.serveLog(c, settings, &o)
	defer closeLog()
	o.Log = log
	copies := warmth{wanted: settings.Runner.Warm, cold: c.Bool("cold"), log: log}
	x, err := d.open(copies.options(settings))
	if err != nil {
		return err
	}
	defer x.Close()
	server, err := serve.New(x, o)
	if err != nil {
		return usage("%v", err)
	}
	ctx, signals := watchSignals(c.Context)
	defer signals.stop()
	if err := copies.need(ctx, x); err != nil {
		return err
	}
	if transport == "stdio" {
		return d.serveStdio(ctx, server)
	}
	listeners, err := server.Listen(ctx, addresses(settings, c.Bool("pprof")))
	if err != nil {
		return err
	}
	return server.HTTP(ctx, listeners)
}

func (d *door) serveStdio(ctx context.Context, server *serve.Server) error {
	if term.IsTerminal(int(d.stdin.Fd())) {
		d.ui.Fail(ui.Failure{
			Warning: true, What: "this is the protocol, one JSON message a line; a client starts pyrun by itself",
			Fix: []string{"pyrun serve --print-config " + clientNames()[0], "pyrun serve --transport http"},
		})
	}
	err := server.Stdio(ctx, d.stdin, d.stdout)
	if isPipe(err) {
		return nil // the client is gone; what ran for it was ended
	}
	return err
}

// transportOf reads --transport.
func transportOf(word string) (string, error) {
	switch word {
	case "", "stdio":
		return "stdio", nil
	case "http", "streamable-http":
		return "http", nil
	case "sse":
		return "", usageHint("pyrun serve --transport http", "--transport sse: the protocol dropped it in 2025; streamable HTTP is its successor")
	}
	return "", usage("--transport %s: is none of stdio, http, streamable-http", word)
}

// serveOptions turns the settings into what the server wants. Nothing else does.
func serveOptions(s *config.Config) serve.Options {
	return serve.Options{
		Version: versionName(), Tools: s.Serve.Tools, Artifacts: s.Serve.Artifacts, Path: s.Service.Path,
		Sessions: !s.Runner.StatelessHTTP, EventStream: !s.Runner.JSONResponse,
		Bounds: serve.Bounds{
			DefaultTimeout: s.Runner.DefaultTimeout, MaxTimeout: s.Runner.MaxTimeout,
			MaxOutputBytes: s.Runner.MaxOutputBytes, MaxCodeBytes: s.Runner.MaxCodeBytes,
			MaxInputBytes: s.Runner.MaxInputFileBytes, MaxInputsTotal: s.Runner.MaxInputsTotal, MaxInputs: s.Runner.MaxInputFiles,
			MaxBodyBytes: s.Service.MaxBodyBytes, Memory: s.Runner.Memory, Processes: s.Runner.Processes, Network: s.Runner.Network,
		},
		Exposure: exposure(s), HPAMaxWorkers: s.Service.HPAMaxWorkers,
	}
}

// steadyMemory trades memory for time: calls leave much garbage and little else,
// so collecting it less often makes them three times cheaper. Who sets GOGC or
// GOMEMLIMIT knows better.
func steadyMemory(getenv func(string) string) {
	if getenv("GOGC") == "" {
		debug.SetGCPercent(800)
	}
	if getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(256 << 20)
	}
}
