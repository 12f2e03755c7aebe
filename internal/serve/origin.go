package serve

// The Origin header: browsers send it, programs do not. A page that is not named
// is refused, and one that may not only call but read gets CORS headers.

import (
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/rs/cors"
)

type origins struct {
	allowed map[string]bool // scheme://host[:port], in lower case
	local   bool            // loopback origins too, at any port
	cors    *cors.Cors      // nil: no CORS
}

func newOrigins(allowed, shared []string) origins {
	o := origins{allowed: map[string]bool{}, local: len(allowed) == 0}
	for _, a := range append(append([]string(nil), allowed...), shared...) {
		if origin, err := parseOrigin(a); err == nil {
			o.allowed[origin] = true
		}
	}
	if len(shared) == 0 {
		return o
	}
	o.cors = cors.New(cors.Options{
		AllowOriginFunc: func(origin string) bool {
			for _, s := range shared {
				if want, err := parseOrigin(s); err == nil && want == strings.ToLower(origin) {
					return true
				}
			}
			return false
		},
		AllowedMethods: []string{http.MethodPost, http.MethodGet, http.MethodDelete},
		AllowedHeaders: []string{
			"Content-Type", "Accept", "Authorization", "Last-Event-ID",
			"MCP-Protocol-Version", "MCP-Session-Id", "Mcp-Method", "Mcp-Name",
		},
		ExposedHeaders: []string{"MCP-Session-Id", "WWW-Authenticate", "Retry-After"},
		MaxAge:         600,
	})
	return o
}

// parseOrigin checks an origin as it stands in a setting, and gives it in lower case.
func parseOrigin(s string) (string, error) {
	u, err := url.Parse(s)
	if err != nil || u.Scheme == "" || u.Host == "" || u.User != nil || strings.TrimSuffix(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" || strings.Contains(s, "*") {
		return "", fmt.Errorf("origin %q: is none; write scheme and host, and the port if it has one: https://app.example.org", s)
	}
	return strings.ToLower(u.Scheme + "://" + u.Host), nil
}

func (o origins) answers(origin string) bool {
	origin = strings.ToLower(origin)
	if o.allowed[origin] {
		return true
	}
	u, err := url.Parse(origin)
	if err != nil || !o.local {
		return false
	}
	if u.Hostname() == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return err == nil && ip.IsLoopback()
}

func (g *gate) checkOrigin(next http.Handler) http.Handler {
	after := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, origin := range r.Header.Values("Origin") {
			if !g.origins.answers(origin) {
				g.refuse(w, r, refusal{
					status: http.StatusForbidden, reason: ReasonOrigin,
					text: "pages of this origin are not answered here: it can be added to service.allowed_origins",
				})
				return
			}
		}
		next.ServeHTTP(w, r)
	})
	if g.origins.cors == nil {
		return after
	}
	return g.origins.cors.Handler(after)
}
