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

// sessionHeader is the protocol's. Without sessions it is a word to know a
// client's calls by, and nothing is kept for it.
const sessionHeader = "Mcp-Session-Id"

// callHeader carries a request's number from the HTTP handler to the call. What
// a client sends under this name is overwritten.
const callHeader = "Pyrun-Call"

// errGone is why a call's context ended: its HTTP request did.
var errGone = errors.New("the client went away")

// errUnwanted is why a call's context ended: a notification gave the call up.
var errUnwanted = errors.New("the client cancelled the call")

// calls are the HTTP requests that are being answered.
type calls struct {
	number atomic.Uint64
	open   sync.Map // the number as a string, to an asked
	named  sync.Map // how a client names one of its calls, to its number
}

// asked is one of them: its request's context, and one that a notification ends
// too, when nobody waits for the answer any more.
type asked struct {
	request, wanted context.Context
	giveUp          context.CancelCauseFunc
}

// stamp ties what the SDK makes of r to r.
func (c *calls) stamp(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		number := strconv.FormatUint(c.number.Add(1), 10)
		wanted, giveUp := context.WithCancelCause(r.Context())
		defer giveUp(nil)
		c.open.Store(number, asked{r.Context(), wanted, giveUp})
		defer c.open.Delete(number)
		r = r.Clone(r.Context())
		r.Header.Set(callHeader, number)
		next.ServeHTTP(w, r)
	})
}

// name notes how the client of a stateless server may name a call, or ends the
// call that it names. Ids alone would not do, because every client counts from
// one: a client is known by the word that it was given at its initialize.
func (c *calls) name(r *http.Request, m envelope) (forget func()) {
	word := r.Header.Get(sessionHeader)
	if word == "" {
		return func() {}
	}
	word += " " + CallerOf(r.Context()) + " "
	switch m.Method {
	case "tools/call":
		word += string(m.ID)
		c.named.Store(word, r.Header.Get(callHeader))
		return func() { c.named.Delete(word) }
	case "notifications/cancelled":
		if number, ok := c.named.Load(word + string(m.Params.RequestID)); ok {
			if a, ok := c.open.Load(number); ok {
				a.(asked).giveUp(errUnwanted)
			}
		}
	}
	return func() {}
}

// join gives the context of a call: it ends with the call's own, and with its
// HTTP request, whose caller it carries.
func (c *calls) join(ctx context.Context, req mcp.Request) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	extra := req.GetExtra()
	if extra == nil || extra.Header == nil {
		if life := overStdio(ctx); life != nil {
			stop := context.AfterFunc(life, func() { cancel(errGone) })
			return ctx, func() { stop(); cancel(nil) }
		}
		return ctx, func() { cancel(nil) }
	}
	v, ok := c.open.Load(extra.Header.Get(callHeader))
	if !ok { // the request is answered or gone already
		cancel(errGone)
		return ctx, func() {}
	}
	a := v.(asked)
	stop := context.AfterFunc(a.wanted, func() {
		if cause := context.Cause(a.wanted); errors.Is(cause, errUnwanted) {
			cancel(cause)
		} else {
			cancel(errGone)
		}
	})
	if caller := CallerOf(a.request); caller != "" {
		ctx = WithCaller(ctx, caller)
	}
	ctx = context.WithValue(ctx, deliveredKey{}, a.request.Done())
	return ctx, func() { stop(); cancel(nil) }
}

type deliveredKey struct{}

// delivered is closed when the answer of a call is written, or never will be;
// nil where that is not known.
func delivered(ctx context.Context) <-chan struct{} {
	done, _ := ctx.Value(deliveredKey{}).(<-chan struct{})
	return done
}
