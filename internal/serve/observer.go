package serve

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

// Call is one tool call as logs and counters may know it: never its content.
type Call struct {
	Tool   string // one of the offered names
	Caller string // as the exposure named it (WithCaller); empty over stdio
	Began  time.Time

	CodeBytes  int
	CodeSHA256 string // hex; empty without code
	Inputs     int
	InputBytes int64 // decoded
}

// Observer hears of calls. Its methods are called from many goroutines and must
// not block. Of every call exactly one of Ended and Rejected is told; Started
// comes before Ended.
type Observer interface {
	// Started: the arguments are good, and the call is on its way to the Executor.
	Started(ctx context.Context, c Call)
	// Ended: what came of it. Result is nil for validate_code and
	// check_environment, and where err says that nothing was run.
	Ended(ctx context.Context, c Call, r *exec.Result, err error)
	// Rejected: it never got there; reason is one of the Reason constants.
	Rejected(ctx context.Context, c Call, reason string)
}

// Why a call never reached the Executor.
const (
	ReasonArguments = "arguments" // not what the tool takes
	ReasonTool      = "tool"      // no such tool; Call.Tool is then empty
)

type nobody struct{}

func (nobody) Started(context.Context, Call)                    {}
func (nobody) Ended(context.Context, Call, *exec.Result, error) {}
func (nobody) Rejected(context.Context, Call, string)           {}

type callerKey struct{}

// WithCaller names who is calling, for fairness and for the log. What stands in
// front of Handler sets it on the request's context.
func WithCaller(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, callerKey{}, name)
}

// CallerOf is what WithCaller set, or "".
func CallerOf(ctx context.Context) string {
	name, _ := ctx.Value(callerKey{}).(string)
	return name
}

// measure notes what may be known of a call's arguments.
func (c *Call) measure(a *arguments) {
	if a.hasCode {
		sum := sha256.Sum256([]byte(a.code))
		c.CodeBytes, c.CodeSHA256 = len(a.code), hex.EncodeToString(sum[:])
	}
	c.Inputs = len(a.files)
	for _, f := range a.files {
		c.InputBytes += int64(len(f.Data))
	}
}
