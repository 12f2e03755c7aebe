package serve

// Who is let in over HTTP, and in which order that is asked.

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// Exposure says who is let in over HTTP. The zero value lets in programs of this
// machine, and no web page of another.
type Exposure struct {
	Host        string   // that is listened on; its name is answered
	Hosts       []string // Host headers that are answered; empty: loopback names and Host
	Origins     []string // pages that may call; empty: those of this machine
	CORSOrigins []string // pages that may read the answer; empty: none

	TokenFile      string // bearer tokens, name:sha256 a line
	InsecureNoAuth bool   // listen beyond loopback and ask nobody for a token

	JWKSURL     string // keys that JSON web tokens are checked with
	JWTIssuer   string
	JWTAudience string

	TLSCert, TLSKey string // PEM files; both or none

	RatePerMinute int // tool calls of one caller; 0 is no limit
	MaxPerCaller  int // tool calls of one caller at once; 0 is no limit
}

// ErrExposed says that the endpoint would be open to strangers.
var ErrExposed = errors.New("whoever can reach it could run code")

// authenticates tells whether a caller has to show something.
func (e *Exposure) authenticates() bool { return e.TokenFile != "" || e.JWKSURL != "" }

// check refuses what can be seen to be wrong before anything listens.
func (e *Exposure) check() error {
	if (e.TLSCert == "") != (e.TLSKey == "") {
		return errors.New("a certificate and its key come together: set tls_cert and tls_key")
	}
	if e.JWKSURL != "" && (e.JWTIssuer == "" || e.JWTAudience == "") {
		return errors.New("jwks_url needs jwt_issuer and jwt_audience: a token for somebody else must not do here")
	}
	for _, o := range append(append([]string(nil), e.Origins...), e.CORSOrigins...) {
		if _, err := parseOrigin(o); err != nil {
			return err
		}
	}
	return nil
}

// admits refuses an address that strangers can reach, if nobody is asked who he is.
func (e *Exposure) admits(a net.Addr) error {
	if e.authenticates() || e.InsecureNoAuth || isLocal(a) {
		return nil
	}
	return &ListenError{
		Address: a.String(), Err: ErrExposed,
		why:    "it is no loopback address, and nobody is asked for a token",
		remedy: "--token-file FILE, or in so many words --insecure-no-auth, or --host 127.0.0.1",
	}
}

// isLocal tells whether only programs of this machine can reach the address. A
// Unix socket is guarded by its file's mode.
func isLocal(a net.Addr) bool {
	if a.Network() == "unix" {
		return true
	}
	at, err := netip.ParseAddrPort(a.String())
	return err == nil && at.Addr().Unmap().IsLoopback()
}

// gate is an Exposure at work.
type gate struct {
	exposure Exposure
	path     string
	op       *operation
	hosts    hosts
	origins  origins
	tokens   *tokens // nil: none
	jwt      *jwts   // nil: none
	callers  *callers
	bodies   *bodies
	drain    *drain
	patience patience
	queue    scheduler // nil: not known
	local    bool      // only programs of this machine can call
	sessions bool      // are kept, so that opening one counts
}

// scheduler is what an Executor may know of its queue.
type scheduler interface {
	Busy(caller string) error
}

// newGate reads what has to be read. The context ends what goes on behind it.
func (s *Server) newGate(ctx context.Context) (*gate, error) {
	e := s.options.Exposure
	if err := e.check(); err != nil {
		return nil, err
	}
	g := &gate{
		exposure: e, path: s.options.Path, op: s.op,
		hosts: newHosts(e.Host, e.Hosts), origins: newOrigins(e.Origins, e.CORSOrigins),
		callers: newCallers(e.RatePerMinute, e.MaxPerCaller),
		bodies:  newBodies(s.options.Bounds.bodyBytes()),
		drain:   &drain{}, patience: s.patience, sessions: s.options.Sessions,
	}
	g.queue, _ = s.executor.(scheduler)
	if e.TokenFile != "" {
		var err error
		if g.tokens, err = openTokens(e.TokenFile); err != nil {
			return nil, err
		}
	}
	if e.JWKSURL != "" {
		var err error
		if g.jwt, err = openJWKS(ctx, e, s.options.Log); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// around puts the gate before the endpoint. Each step may answer by itself; the
// body is read only for who has a name.
func (g *gate) around(endpoint http.Handler, ready *readiness) http.Handler {
	in := endpoint
	for _, step := range []func(http.Handler) http.Handler{ // innermost first
		g.limitCaller, g.readMessage, g.holdOn, g.authenticate, g.checkOrigin, g.checkHost,
	} {
		in = step(in)
	}
	mux := http.NewServeMux()
	mux.Handle(exact(g.path), in)
	ready.routes(mux, func(r *http.Request) bool { return !g.local || !isLoopbackName(r.Host) })
	if g.jwt != nil {
		g.metadataRoutes(mux)
	}
	return g.op.watch(g.patience.inPieces(mux))
}

// exact is a pattern for the path and nothing below it.
func exact(path string) string {
	if strings.HasSuffix(path, "/") {
		return path + "{$}"
	}
	return path
}

// refusal is why a request was not answered as it wished.
type refusal struct {
	status int
	reason string // a Reason constant
	text   string // for whoever called
	retry  int    // seconds; 0: trying again does not help
}

// refuse answers and counts.
func (g *gate) refuse(w http.ResponseWriter, r *http.Request, f refusal) { g.op.refuse(w, r, f) }

func (o *operation) refuse(w http.ResponseWriter, r *http.Request, f refusal) {
	o.refused(r, f)
	if f.retry > 0 {
		w.Header().Set("Retry-After", fmt.Sprint(f.retry))
	}
	http.Error(w, f.text, f.status)
}
