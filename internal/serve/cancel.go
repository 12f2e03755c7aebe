package serve

// Who asked, and whether they are still there. The SDK detaches a call from its
// HTTP request before protocol 2026-07-28; here the two are tied again.

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// callHeader carries a request's number from the HTTP handler to the call. What
// a client sends under this name is overwritten.
const callHeader = "Pyrun-Call"

// errGone is why a call's context ended: its HTTP request did.
var errGone = errors.New("the client went away")

// calls are the HTTP requests that are being answered.
type calls struct {
	number atomic.Uint64
	open   sync.Map // the number as a string, to the request's context
}

// stamp ties what the SDK makes of r to r.
func (c *calls) stamp(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		number := strconv.FormatUint(c.number.Add(1), 10)
		c.open.Store(number, r.Context())
		defer c.open.Delete(number)
		r = r.Clone(r.Context())
		r.Header.Set(callHeader, number)
		next.ServeHTTP(w, r)
	})
}

// join gives the context of a call: it ends with the call's own, and with its
// HTTP request, whose caller it carries.
func (c *calls) join(ctx context.Context, req mcp.Request) (context.Context, func()) {
	extra := req.GetExtra()
	if extra == nil || extra.Header == nil {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	v, ok := c.open.Load(extra.Header.Get(callHeader))
	if !ok { // the request is answered or gone already
		cancel(errGone)
		return ctx, func() {}
	}
	asked := v.(context.Context)
	stop := context.AfterFunc(asked, func() { cancel(errGone) })
	if caller := CallerOf(asked); caller != "" {
		ctx = WithCaller(ctx, caller)
	}
	ctx = context.WithValue(ctx, deliveredKey{}, asked.Done())
	return ctx, func() { stop(); cancel(nil) }
}

type deliveredKey struct{}

// delivered is closed when the answer of a call is written, or never will be;
// nil where that is not known.
func delivered(ctx context.Context) <-chan struct{} {
	done, _ := ctx.Value(deliveredKey{}).(<-chan struct{})
	return done
}
