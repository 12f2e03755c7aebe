package serve

// Bearer tokens: who calls. A token is a line of a file or signed by an issuer;
// without either, callers are told apart by their address.

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// metadataPath is where the MCP specification has clients look for the issuer.
const metadataPath = "/.well-known/oauth-protected-resource"

// maxToken bounds what is hashed and parsed.
const maxToken = 16 << 10

// errKeys says that no token can be judged now, good or bad.
var errKeys = errors.New("the issuer's keys could not be fetched yet")

func (g *gate) authenticate(next http.Handler) http.Handler {
	if !g.exposure.authenticates() {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			g.named(next, w, r, addressOf(r))
		})
	}
	// The SDK keeps who opened a session and refuses it to others; it learns the
	// name only from its own check, which repeats what was found here.
	inner := auth.RequireBearerToken(func(ctx context.Context, _ string, _ *http.Request) (*auth.TokenInfo, error) {
		return &auth.TokenInfo{UserID: CallerOf(ctx)}, nil
	}, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		caller, err := g.identify(r)
		switch {
		case errors.Is(err, errKeys):
			g.refuse(w, r, refusal{status: http.StatusServiceUnavailable, reason: ReasonKeys, text: "tokens cannot be checked: " + err.Error(), retry: 10})
		case err != nil:
			challenge := "Bearer"
			if r.Header.Get("Authorization") != "" {
				challenge += ` error="invalid_token", error_description="` + err.Error() + `"`
			}
			if g.jwt != nil {
				if challenge != "Bearer" {
					challenge += ","
				}
				challenge += ` resource_metadata="` + g.metadataURL(r) + `"`
			}
			w.Header().Set("WWW-Authenticate", challenge)
			g.refuse(w, r, refusal{status: http.StatusUnauthorized, reason: ReasonToken, text: err.Error()})
		default:
			g.named(inner, w, r, caller)
		}
	})
}

// named goes on in the caller's name.
func (g *gate) named(next http.Handler, w http.ResponseWriter, r *http.Request, caller string) {
	g.op.name(r, caller)
	next.ServeHTTP(w, r.WithContext(WithCaller(r.Context(), caller)))
}

// identify names the caller. What an error says holds nothing of the request.
func (g *gate) identify(r *http.Request) (string, error) {
	given := r.Header.Values("Authorization")
	if len(given) == 0 {
		return "", errors.New("a bearer token is needed")
	}
	words := strings.Fields(given[0])
	if len(given) > 1 || len(words) != 2 || !strings.EqualFold(words[0], "bearer") || len(words[1]) > maxToken {
		return "", errors.New("the Authorization header holds no bearer token")
	}
	if g.tokens != nil {
		if name, ok := g.tokens.find(words[1]); ok {
			return name, nil
		}
	}
	if g.jwt != nil && strings.Count(words[1], ".") == 2 {
		return g.jwt.verify(words[1])
	}
	return "", errors.New("the token is not known")
}

// addressOf is a caller without a token.
func addressOf(r *http.Request) string { return networkOf(r.RemoteAddr) }

// metadataURL is where a client that was refused learns whom to ask for a token.
func (g *gate) metadataURL(r *http.Request) string {
	if u, err := url.Parse(g.exposure.JWTAudience); err == nil && u.Host != "" {
		return u.Scheme + "://" + u.Host + metadataPath + strings.TrimSuffix(u.Path, "/")
	}
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	return fmt.Sprintf("%s://%s%s%s", scheme, r.Host, metadataPath, g.path) // Host is one of ours by now
}

func (g *gate) metadataRoutes(mux *http.ServeMux) {
	h := auth.ProtectedResourceMetadataHandler(&oauthex.ProtectedResourceMetadata{
		Resource:               g.exposure.JWTAudience,
		AuthorizationServers:   []string{g.exposure.JWTIssuer},
		BearerMethodsSupported: []string{"header"},
		ResourceName:           "pyrun",
	})
	mux.Handle(metadataPath, h)
	mux.Handle(metadataPath+"/", h)
}
