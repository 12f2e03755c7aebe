package serve

import (
	"strings"
	"testing"
)

func TestHosts(t *testing.T) {
	for _, tt := range []struct {
		listen  string
		allowed []string
		yes, no string // hosts, with blanks between
	}{
		{
			"127.0.0.1", nil,
			"localhost localhost:8000 LOCALHOST:1 127.0.0.1:8000 [::1]:8000 [::1] localhost.",
			"evil.example localhost.evil.example 127.0.0.1.nip.io 10.0.0.7:8000 [2001:db8::1] localhost@evil",
		},
		{"pyrun.internal", nil, "pyrun.internal pyrun.internal:8000 localhost", "other.internal"},
		{"0.0.0.0", nil, "10.0.0.7:8000 [2001:db8::1]:8000 localhost", "evil.example 10.0.0.7.evil.example"},
		{"::", nil, "10.0.0.7:8000", "evil.example"},
		{"0.0.0.0", []string{"py.example.org", "Other:443"}, "py.example.org PY.example.org:443 other other:80", "localhost 10.0.0.7"},
		{"0.0.0.0", []string{"*"}, "anything.example 10.0.0.7", ""},
	} {
		h := newHosts(tt.listen, tt.allowed)
		for _, host := range strings.Fields(tt.yes) {
			if !h.answers(host) {
				t.Errorf("listening on %s, allowing %q: %s is not answered", tt.listen, tt.allowed, host)
			}
		}
		for _, host := range strings.Fields(tt.no) {
			if h.answers(host) {
				t.Errorf("listening on %s, allowing %q: %q is answered", tt.listen, tt.allowed, host)
			}
		}
		if h.answers("") != (len(tt.allowed) == 1) {
			t.Errorf("listening on %s, allowing %q: no name at all", tt.listen, tt.allowed)
		}
	}
}

func TestOrigins(t *testing.T) {
	for _, tt := range []struct {
		allowed, shared []string
		yes, no         string
	}{
		{nil, nil, "http://localhost:6274 https://localhost http://127.0.0.1:1 http://[::1]:3000", "null http://evil.example http://localhost.evil.example https://127.0.0.1.nip.io file:// http://10.0.0.7"},
		{[]string{"https://app.example.org"}, nil, "https://app.example.org https://APP.example.org", "http://app.example.org https://app.example.org:444 http://localhost https://x.app.example.org"},
		{nil, []string{"https://app.example.org:8443/"}, "https://app.example.org:8443 http://localhost", "https://app.example.org"},
	} {
		o := newOrigins(tt.allowed, tt.shared)
		for _, origin := range strings.Fields(tt.yes) {
			if !o.answers(origin) {
				t.Errorf("allowing %q and %q: %s is not answered", tt.allowed, tt.shared, origin)
			}
		}
		for _, origin := range strings.Fields(tt.no) {
			if o.answers(origin) {
				t.Errorf("allowing %q and %q: %s is answered", tt.allowed, tt.shared, origin)
			}
		}
	}
	for _, bad := range []string{"*", "https://*.example.org", "example.org", "https://", "https://a.example/x", "https://u@a.example", "null"} {
		if _, err := parseOrigin(bad); err == nil {
			t.Errorf("%s is taken for an origin", bad)
		}
	}
}
