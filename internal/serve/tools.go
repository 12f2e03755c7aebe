package serve

// The tools: arguments to a request, down the stair, and what came up to content.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

// errFault is what an Observer hears of a call that met a fault in pyrun.
var errFault = errors.New("a fault in pyrun")

// offer adds one tool by name.
func (s *Server) offer(name string) error {
	t := s.tool(name, nil)
	if t == nil {
		return fmt.Errorf("tool %q: there are %s, %s, %s, %s", name, toolExecute, toolValidate, toolCheck, toolRun)
	}
	s.sdk.AddTool(t, s.handler(name))
	return nil
}

// nameDetails says in the tools' words what the machine turned out to have.
func (s *Server) nameDetails(env *exec.Environment) {
	if slices.Contains(s.options.Tools, toolExecute) {
		s.sdk.AddTool(s.tool(toolExecute, env), s.handler(toolExecute))
	}
}

// handler is one tool's way from its arguments to its answer.
func (s *Server) handler(name string) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		call := Call{Tool: name, Caller: CallerOf(ctx), Began: time.Now()}
		a, err := s.readArguments(name, req.Params.Arguments)
		if err != nil {
			s.options.Observer.Rejected(ctx, call, ReasonArguments)
			return failure(name, err), nil
		}
		call.measure(a)
		s.options.Observer.Started(ctx, call)
		defer func() {
			if p := recover(); p != nil {
				s.options.Observer.Ended(ctx, call, nil, errFault) // or it would count as running for ever
				panic(p)
			}
		}()
		var (
			answer *mcp.CallToolResult
			res    *exec.Result
		)
		switch name {
		case toolExecute, toolRun:
			answer, res, err = s.run(ctx, req, name, a)
		case toolValidate:
			answer, err = s.validate(ctx, a)
		case toolCheck:
			answer, err = s.check(ctx)
		}
		s.options.Observer.Ended(ctx, call, res, err)
		if answer == nil {
			return failure(name, err), nil
		}
		return answer, nil
	}
}

// run is execute_python and run_python.
func (s *Server) run(ctx context.Context, req *mcp.CallToolRequest, name string, a *arguments) (*mcp.CallToolResult, *exec.Result, error) {
	r := exec.Request{Code: []byte(a.code), Args: a.args, Inputs: a.files}
	if name == toolRun {
		no := false
		r.StdlibOnly, r.Figures = true, &no
	} else {
		r.Value = true
	}
	if a.hasStdin {
		r.Stdin = strings.NewReader(a.stdin)
	}
	var told *exec.Timeout
	wall := s.options.Bounds.DefaultTimeout
	if a.asked {
		wall, told = s.options.Bounds.clamp(a.timeout)
		r.Limits.Wall = wall
	}
	r.Caller, r.Delivered = CallerOf(ctx), delivered(ctx)
	beat := s.heartbeat(ctx, req, wall)
	r.Progress, r.Admit = beat.preparing, s.facts.hold
	err := s.facts.admit(ctx)
	var res *exec.Result
	if err == nil {
		res, err = s.executor.Execute(ctx, r)
	}
	beat.stop()
	if res == nil {
		return nil, nil, err
	}
	shown := *res // a Result is never changed; what is told of it may be
	if told != nil {
		shown.Timeout = told
	}
	if name == toolRun {
		return textResult(runText(&shown)), res, err
	}
	answer, encodeErr := s.content(&shown, a.artifacts, overStdio(ctx) != nil)
	return answer, res, errors.Join(err, encodeErr)
}

func (s *Server) validate(ctx context.Context, a *arguments) (*mcp.CallToolResult, error) {
	if err := s.facts.admit(ctx); err != nil {
		return nil, err
	}
	report, err := s.executor.Validate(ctx, exec.Validation{
		Caller:  CallerOf(ctx),
		Admit:   s.facts.hold,
		Sources: func(yield func(exec.Source) bool) { yield(exec.Source{Code: []byte(a.code)}) },
	})
	if report == nil {
		return nil, err
	}
	return textResult(reportText(report, s.facts.last())), err
}

func (s *Server) check(ctx context.Context) (*mcp.CallToolResult, error) {
	env, err := s.Prepare(ctx)
	if env == nil {
		return nil, err
	}
	if wallFault(env) != nil {
		s.op.lookAgain() // readiness has to hear of it
	}
	return textResult(environmentText(env)), err
}

func textResult(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

// explained is what an error of the lower floors may tell beside its text.
type explained interface {
	Explain() (why, remedy string)
}

// failure tells that nothing was run, why, and the way out.
func failure(tool string, err error) *mcp.CallToolResult {
	var b strings.Builder
	var (
		request *exec.RequestError
		lower   explained
	)
	switch {
	case err == nil:
		b.WriteString("pyrun failed and does not know why")
	case errors.As(err, &request):
		fmt.Fprintf(&b, "%s %s", argument(request.Field), strings.Replace(request.Msg, " inputs[", " files[", 1))
		if request.Hint != "" {
			b.WriteString("\nhint: " + request.Hint)
		}
	case errors.As(err, &lower):
		b.WriteString(err.Error())
		why, remedy := lower.Explain()
		if why != "" {
			b.WriteString("\nbecause " + why)
		}
		if remedy != "" {
			b.WriteString("\nremedy: " + remedy)
		}
	case errors.Is(err, context.Canceled), errors.Is(err, io.EOF):
		b.WriteString("the call was cancelled")
	default:
		b.WriteString(err.Error())
	}
	if tool == toolExecute || tool == toolRun {
		b.WriteString("\nnothing was run")
	}
	res := textResult(b.String())
	if tool == toolRun {
		res = textResult("--- error: " + b.String() + " ---")
	}
	res.IsError = true
	return res
}

// argument is a request's field by the name that the tool has for it.
func argument(field string) string {
	field = strings.Replace(field, "inputs", "files", 1)
	return strings.Replace(field, "].name", "].path", 1)
}
