// Package serve is the MCP door: protocol words in, exec.Requests down, Results
// up, and what a model can use of them out.
//
// One Server answers over stdin and stdout (Stdio) or over HTTP (Handler, HTTP),
// to every protocol version of the SDK. It promises that nothing but JSON-RPC is
// written where the protocol is spoken, that a caller who goes away or cancels
// ends the run, and that a tool answers isError only when nothing was run.
//
// It decides nothing about how a script is run, and whom to let in is decided in
// front of Handler.
package serve

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

// Executor is what the door needs of exec.
type Executor interface {
	Execute(ctx context.Context, r exec.Request) (*exec.Result, error)
	Validate(ctx context.Context, v exec.Validation) (*exec.Report, error)
	Check(ctx context.Context, i exec.Inspection) (*exec.Environment, error)
}

// Options configures a Server. Zero values take the defaults of the contract.
type Options struct {
	Version   string   // pyrun's own
	Tools     []string // by name; empty is DefaultTools
	Artifacts string   // "inline" or "auto"; empty: inline over HTTP, auto over stdio
	Path      string   // of the MCP endpoint; empty is /mcp

	// Sessions keeps a session for each HTTP client of a protocol before
	// 2026-07-28. EventStream answers every HTTP call with an event stream, not
	// only those that ask for progress.
	Sessions, EventStream bool

	Bounds   Bounds   // the Executor's own, to be told and to be checked early
	Exposure Exposure // who is let in over HTTP
	Files    []File   // read again over HTTP when they have changed, beside those of Exposure

	// HPAMaxWorkers is what the metric for autoscaling is divided by; 0 is 1.
	HPAMaxWorkers int

	Observer Observer     // hears of calls beside the log and the metrics; may be nil
	Log      *slog.Logger // nil: nothing is logged
}

// Bounds are those of the Executor's Options that a caller has to know. Zero
// numbers take the defaults of the contract.
type Bounds struct {
	DefaultTimeout, MaxTimeout time.Duration
	MaxOutputBytes             int64
	MaxCodeBytes               int64
	MaxInputBytes              int64
	MaxInputsTotal             int64
	MaxInputs                  int
	MaxBodyBytes               int64 // of an HTTP request or a line on stdin; 0: what the others need
	Memory                     int64
	Processes                  int
	Network                    string
}

// DefaultTools are the tools of a server that names none.
func DefaultTools() []string { return []string{toolExecute, toolValidate, toolCheck} }

// Server is the MCP door over one Executor. It is safe for many goroutines.
type Server struct {
	executor Executor
	options  Options
	op       *operation
	patience patience
	sdk      *mcp.Server
	calls    calls
	facts    facts
}

// New checks the options. It looks at nothing of this machine, so that the first
// answer does not wait for an interpreter; Prepare does.
func New(x Executor, o Options) (*Server, error) {
	o = o.withDefaults()
	switch o.Artifacts {
	case "", artifactsInline, artifactsAuto:
	default:
		return nil, fmt.Errorf("artifacts %q: is neither inline nor auto", o.Artifacts)
	}
	if o.Path[0] != '/' {
		return nil, fmt.Errorf("path %q: does not begin with a slash", o.Path)
	}
	s := &Server{executor: x, options: o, patience: patient()}
	meters := newMeters(o.Version, o.HPAMaxWorkers, loadOf(x))
	meters.warm = poolOf(x)
	s.op = newOperation(o.Log, meters, o.Observer)
	s.options.Observer = s.op
	s.facts.ready = make(chan struct{})
	s.sdk = s.newSDK()
	for i, name := range o.Tools {
		if slices.Contains(o.Tools[:i], name) {
			continue
		}
		if err := s.offer(name); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (o Options) withDefaults() Options {
	if len(o.Tools) == 0 {
		o.Tools = DefaultTools()
	}
	if o.Path == "" {
		o.Path = "/mcp"
	}
	if o.Version == "" {
		o.Version = "devel"
	}
	if o.Observer == nil {
		o.Observer = nobody{}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.Bounds = o.Bounds.withDefaults()
	return o
}

func (b Bounds) withDefaults() Bounds {
	or := func(p *int64, v int64) {
		if *p <= 0 {
			*p = v
		}
	}
	or((*int64)(&b.MaxTimeout), int64(300*time.Second))
	or((*int64)(&b.DefaultTimeout), int64(min(30*time.Second, b.MaxTimeout)))
	or(&b.MaxOutputBytes, 1<<20)
	or(&b.MaxCodeBytes, 1<<20)
	or(&b.MaxInputBytes, 5<<20)
	or(&b.MaxInputsTotal, 10<<20)
	or(&b.Memory, 512<<20)
	if b.MaxInputs <= 0 {
		b.MaxInputs = 16
	}
	if b.Processes <= 0 {
		b.Processes = 64
	}
	if b.Network == "" {
		b.Network = "loopback"
	}
	return b
}
