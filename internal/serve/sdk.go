package serve

// What the SDK is told, and what it is kept from answering.

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func (s *Server) newSDK() *mcp.Server {
	sdk := mcp.NewServer(&mcp.Implementation{
		Name: "pyrun", Title: "pyrun: Python in a sandbox", Version: s.options.Version,
	}, &mcp.ServerOptions{
		Instructions: s.instructions(),
		Logger:       s.sdkLog(),
		// Only tools, and a list that does not change while a client is there.
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
	})
	middleware := s.middleware()
	slices.Reverse(middleware) // the SDK wants the outermost first
	sdk.AddReceivingMiddleware(middleware...)
	return sdk
}

// middleware stands before every method, the innermost first.
func (s *Server) middleware() []mcp.Middleware {
	return []mcp.Middleware{s.bridge, s.prepared, s.onlyDeclared, s.recovered}
}

// sdkLog lets the SDK tell what went wrong. What it does besides, several lines a
// call, is told once by ourselves.
func (s *Server) sdkLog() *slog.Logger { return slog.New(warnings{s.options.Log.Handler()}) }

type warnings struct{ slog.Handler }

func (w warnings) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && w.Handler.Enabled(ctx, l)
}

func (w warnings) WithAttrs(a []slog.Attr) slog.Handler { return warnings{w.Handler.WithAttrs(a)} }
func (w warnings) WithGroup(name string) slog.Handler   { return warnings{w.Handler.WithGroup(name)} }

// recovered makes a fault of pyrun's the end of one call, not of the server and
// everybody's runs: the SDK calls from a goroutine of its own, where nothing
// else would catch it.
func (s *Server) recovered(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
		defer func() {
			if p := recover(); p != nil {
				s.options.Log.ErrorContext(ctx, "a fault in pyrun", "method", method, "panic", describe(p), "frames", frames())
				res, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "a fault in pyrun; its log says more"}
			}
		}()
		return next(ctx, method, req)
	}
}

// onlyDeclared refuses the methods of features that were not offered: the SDK
// would answer with empty lists, and clients ask again and again.
func (s *Server) onlyDeclared(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		family, _, _ := strings.Cut(method, "/")
		switch family {
		case "prompts", "resources", "completion", "logging":
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: fmt.Sprintf("method not found: %q: this server offers tools only", method)}
		}
		return next(ctx, method, req)
	}
}

// prepared lets the tools be listed once it is known what they can import, if
// that does not take long.
func (s *Server) prepared(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if method == "tools/list" {
			s.facts.wait(ctx, listWait)
		}
		return next(ctx, method, req)
	}
}

// bridge ends a call when whoever asked is gone.
func (s *Server) bridge(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if method != "tools/call" {
			return next(ctx, method, req)
		}
		ctx, leave := s.calls.join(ctx, req)
		defer leave()
		return next(ctx, method, req)
	}
}
