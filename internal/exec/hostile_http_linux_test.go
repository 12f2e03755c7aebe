package exec_test

// The hostile corpus once more, as a client sends it: nothing may be possible
// through the MCP door that is not possible through the stair.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pyrun-dev/pyrun/internal/exec"
	"github.com/pyrun-dev/pyrun/internal/serve"
)

func TestHostileOverHTTP(t *testing.T) {
	if os.Getenv("PYRUN_HOSTILE_PREPARED") == "" {
		t.Cleanup(prepareHost(t))
	}
	hostile(t, warmHostile(), func(ctx context.Context, e *exec.Executor, r exec.Request) (*exec.Result, error) {
		s, err := serve.New(narrowed{e, r}, serve.Options{})
		if err != nil {
			return nil, err
		}
		srv := httptest.NewServer(s.Handler())
		defer srv.Close()
		c, err := mcp.NewClient(&mcp.Implementation{Name: "hostile", Version: "1"}, nil).
			Connect(ctx, &mcp.StreamableClientTransport{Endpoint: srv.URL, DisableStandaloneSSE: true}, nil)
		if err != nil {
			return nil, err
		}
		defer c.Close()
		a, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "execute_python", Arguments: map[string]any{
			"code": string(r.Code), "args": r.Args, "timeout": r.Limits.Wall.Seconds(),
		}})
		if err != nil {
			return nil, err
		}
		text, ok := a.Content[0].(*mcp.TextContent)
		if !ok || a.IsError {
			return nil, fmt.Errorf("an answer that is none: %+v", a)
		}
		var res exec.Result
		return &res, json.Unmarshal([]byte(text.Text), &res)
	})
}

// narrowed gives a call the limits of its script, for which the tool has no words.
type narrowed struct {
	*exec.Executor
	asked exec.Request
}

func (n narrowed) Execute(ctx context.Context, r exec.Request) (*exec.Result, error) {
	n.asked.Limits.Wall = r.Limits.Wall
	r.Limits, r.Name = n.asked.Limits, n.asked.Name
	return n.Executor.Execute(ctx, r)
}

func (narrowed) Validate(context.Context, exec.Validation) (*exec.Report, error) {
	return nil, errors.ErrUnsupported
}

func (narrowed) Check(context.Context, exec.Inspection) (*exec.Environment, error) {
	return nil, errors.ErrUnsupported
}
