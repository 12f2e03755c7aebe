package serve

// The Host header: a web page can have its own name lead to 127.0.0.1, and the
// browser then calls in its name. Only names that are ours are answered.

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// hosts are the names that are answered, in lower case and without port.
type hosts struct {
	names     map[string]bool // * is any
	addresses bool            // any numeric address too
}

func newHosts(listen string, allowed []string) hosts {
	h := hosts{names: map[string]bool{}}
	if len(allowed) == 0 {
		allowed = []string{"localhost", "127.0.0.1", "::1", listen}
		// Whoever listens everywhere is called by any of this machine's addresses. An
		// address is no name that a stranger could have lead here.
		ip, err := netip.ParseAddr(listen)
		h.addresses = err == nil && ip.IsUnspecified()
	}
	for _, name := range allowed {
		h.names[hostName(name)] = true
	}
	delete(h.names, "")
	return h
}

func (h hosts) answers(host string) bool {
	name := hostName(host)
	if h.names["*"] || h.names[name] {
		return true
	}
	_, err := netip.ParseAddr(name)
	return err == nil && h.addresses
}

// isLoopbackName tells whether a program of this machine called as such. Names that
// were allowed are those of a proxy, who brings everybody in.
func isLoopbackName(host string) bool {
	name := hostName(host)
	ip, err := netip.ParseAddr(name)
	return name == "localhost" || err == nil && ip.Unmap().IsLoopback()
}

// hostName takes the port off, and the brackets of an IPv6 address.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	return strings.TrimSuffix(strings.ToLower(host), ".")
}

func (g *gate) checkHost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !g.hosts.answers(r.Host) {
			g.refuse(w, r, refusal{
				status: http.StatusForbidden, reason: ReasonHost,
				text: "this host name is not answered here: it can be added to service.allowed_hosts",
			})
			return
		}
		next.ServeHTTP(w, r)
	})
}
