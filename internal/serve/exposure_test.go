package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

// running is a whole server on ports of its own.
type running struct {
	server       *Server
	url, metrics string
	log          *logged
	stop         func() error // begins the end and waits for it
	begin        func()       // only begins it
	ended        <-chan error
}

func (r *running) base() string { return strings.TrimSuffix(r.url, "/mcp") }

// up starts a server as cmd/pyrun does.
func up(t testing.TB, x Executor, o Options, a Addresses, change ...func(*patience)) *running {
	t.Helper()
	r := &running{log: &logged{}}
	o.Log = r.log.logger()
	r.server = newServer(t, x, o)
	for _, c := range change {
		c(&r.server.patience)
	}
	if a.Host == "" {
		a.Host = "127.0.0.1"
	}
	if a.MetricsPort == 0 {
		a.MetricsPort = freePort(t)
	}
	ctx, cancel := context.WithCancel(context.Background())
	l, err := r.server.Listen(ctx, a)
	if err != nil {
		t.Fatal(err)
	}
	scheme := "http://"
	if o.Exposure.TLSCert != "" {
		scheme = "https://"
	}
	_, port, _ := net.SplitHostPort(l.MCP.Addr().String())
	r.url, r.metrics = scheme+"localhost:"+port+"/mcp", "http://"+l.Metrics.Addr().String()
	ended := make(chan error, 1)
	go func() { ended <- r.server.HTTP(ctx, l) }()
	r.ended = ended
	r.begin = cancel
	r.stop = sync.OnceValue(func() error {
		cancel()
		select {
		case err := <-ended:
			return err
		case <-time.After(late):
			return errors.New("it does not end")
		}
	})
	t.Cleanup(func() {
		if err := r.stop(); err != nil {
			t.Error(err)
		}
		http.DefaultClient.CloseIdleConnections()
	})
	return r
}

// freePort is none that the system would give to anybody in the moment before it is used.
func freePort(t testing.TB) int {
	t.Helper()
	for range 100 {
		port := 10_000 + rand.IntN(20_000)
		if l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port))); err == nil {
			l.Close()
			return port
		}
	}
	t.Fatal("no port is free")
	return 0
}

// get gives the status and the body; Host may be set by header.
func get(t testing.TB, method, url string, header ...string) (int, http.Header, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
		r.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, res.Header, string(body)
}

// asks sends a call with headers, and gives the status, the headers and the body.
func (r *running) asks(t testing.TB, body string, header ...string) (int, http.Header, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", jsonType)
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			req.Host = header[i+1]
		}
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, res.Header, string(text)
}

// counts is the value of a metric's line, or "".
func (r *running) counts(t testing.TB, line string) string {
	t.Helper()
	_, _, text := get(t, http.MethodGet, r.metrics+"/metrics")
	for l := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(l, line+" "); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func printing() string { return callBody(toolExecute, `{"code":"print(45)"}`) }

func TestGate(t *testing.T) {
	dir := t.TempDir()
	tokenFile := filepath.Join(dir, "tokens")
	writeFile(t, tokenFile, tokenLine("ada", "secret"))
	x := &fake{}
	r := up(t, x, Options{Exposure: Exposure{
		Host: "127.0.0.1", TokenFile: tokenFile, CORSOrigins: []string{"https://app.example.org"},
	}}, Addresses{})
	ada := []string{"Authorization", "Bearer secret"}
	with := func(more ...string) []string { return append(append([]string(nil), ada...), more...) }
	for _, tt := range []struct {
		name   string
		body   string
		header []string
		status int
		text   string // contained in the body
		reason string // counted
	}{
		{name: "well", body: printing(), header: ada, status: 200, text: "45"},
		{name: "well, from a page that may", body: printing(), header: with("Origin", "https://app.example.org"), status: 200, text: "45"},
		{name: "well, from a page of this machine", body: printing(), header: with("Origin", "http://localhost:6274"), status: 200, text: "45"},
		{name: "well, in lower case", body: printing(), header: []string{"Authorization", "bearer secret"}, status: 200, text: "45"},
		{name: "wrong Host", body: printing(), header: with("Host", "evil.example"), status: 403, text: "allowed_hosts", reason: ReasonHost},
		{name: "evil Origin", body: printing(), header: with("Origin", "http://evil.com"), status: 403, text: "allowed_origins", reason: ReasonOrigin},
		{name: "no Origin of note", body: printing(), header: with("Origin", "null"), status: 403, reason: ReasonOrigin},
		{name: "no token", body: printing(), status: 401, text: "a bearer token is needed", reason: ReasonToken},
		{name: "bad token", body: printing(), header: []string{"Authorization", "Bearer guess"}, status: 401, text: "not known", reason: ReasonToken},
		{name: "bad scheme", body: printing(), header: []string{"Authorization", "Basic secret"}, status: 401, text: "no bearer token", reason: ReasonToken},
		{name: "a token with more behind", body: printing(), header: []string{"Authorization", "Bearer secret x"}, status: 401, reason: ReasonToken},
		{name: "a long token", body: printing(), header: []string{"Authorization", "Bearer " + strings.Repeat("a", maxHeader/2)}, status: 401, reason: ReasonToken},
		{name: "another type", body: printing(), header: with("Content-Type", "text/plain"), status: 415, text: "application/json", reason: ReasonBody},
		{name: "no JSON", body: "{", header: ada, status: 400, text: "not valid JSON", reason: ReasonBody},
		{name: "10,000 deep", body: strings.Repeat("[", 10000), header: ada, status: 400, text: "deeper than 64", reason: ReasonBody},
		{name: "twice", body: `{"method":"ping","method":"tools/call"}`, header: ada, status: 400, text: "twice", reason: ReasonBody},
		{name: "a bad argument", body: callBody(toolExecute, `{"cod":"1"}`), header: ada, status: 200, text: "cod", reason: ReasonArguments},
	} {
		t.Run(tt.name, func(t *testing.T) {
			line := `pyrun_rejected_total{reason="` + tt.reason + `"}`
			before := r.counts(t, line)
			status, header, text := r.asks(t, tt.body, tt.header...)
			if status != tt.status || !strings.Contains(text, tt.text) {
				t.Errorf("%d %s, want %d %s", status, text, tt.status, tt.text)
			}
			if got := header.Get("WWW-Authenticate"); (got == "") == (status == 401) {
				t.Errorf("WWW-Authenticate %q", got)
			}
			if after := r.counts(t, line); tt.reason != "" && after == before {
				t.Errorf("%s is %s as before", line, after)
			}
		})
	}
	if x.asked().Caller != "ada" {
		t.Errorf("the caller is %q", x.asked().Caller)
	}
	if log := r.log.String(); strings.Contains(log, "secret") || strings.Contains(log, "guess") || strings.Contains(log, "print(45)") || !strings.Contains(log, "caller=ada") || !strings.Contains(log, "request_id=a1b2c3d4") {
		t.Errorf("the log:\n%s", log)
	}

	t.Run("CORS", func(t *testing.T) {
		ask := []string{"Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "authorization,content-type,mcp-protocol-version"}
		status, header, _ := get(t, http.MethodOptions, r.url, append(ask, "Origin", "https://app.example.org")...)
		if status != 204 || header.Get("Access-Control-Allow-Origin") != "https://app.example.org" {
			t.Errorf("a page that may: %d %v", status, header)
		}
		_, header, _ = get(t, http.MethodOptions, r.url, append(ask, "Origin", "http://localhost:1")...)
		if header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("a page that may not read: %v", header)
		}
		_, header, _ = r.asks(t, printing(), "Origin", "https://app.example.org") // and learns that it has no token
		if header.Get("Access-Control-Allow-Origin") == "" || !strings.Contains(header.Get("Access-Control-Expose-Headers"), "Www-Authenticate") {
			t.Errorf("a page without a token: %v", header)
		}
	})
	t.Run("paths", func(t *testing.T) {
		for path, want := range map[string]int{"/healthz": 200, "/": 404, "/mcp/": 404, "/mcp/x": 404, "/metrics": 404, "/debug/pprof/": 404, metadataPath: 404} {
			if status, _, text := get(t, http.MethodGet, r.base()+path); status != want {
				t.Errorf("%s: %d %s, want %d", path, status, text, want)
			}
		}
	})
	t.Run("reload", func(t *testing.T) {
		writeFile(t, tokenFile, "garbage")
		eventually(t, "garbage is told of", func() bool { return strings.Contains(r.log.String(), "line 1: is not name:sha256") })
		if status, _, _ := r.asks(t, printing(), ada...); status != 200 {
			t.Errorf("after garbage: %d", status)
		}
		writeFile(t, tokenFile, tokenLine("bob", "other"))
		eventually(t, "the new token", func() bool {
			status, _, _ := r.asks(t, printing(), "Authorization", "Bearer other")
			return status == 200
		})
		if status, _, _ := r.asks(t, printing(), ada...); status != 401 {
			t.Errorf("the old token: %d", status)
		}
	})
}

// Without tokens a caller is an address, and no page of another machine gets in.
func TestGateOnLoopback(t *testing.T) {
	x := &fake{}
	r := up(t, x, Options{}, Addresses{})
	if status, _, text := r.asks(t, printing()); status != 200 || x.asked().Caller != "127.0.0.1" && x.asked().Caller != "::1" {
		t.Errorf("%d %s, from %q", status, text, x.asked().Caller)
	}
	if status, _, _ := r.asks(t, printing(), "Host", "pyrun.evil.example"); status != 403 {
		t.Errorf("a name that leads here: %d", status)
	}
	if status, _, _ := r.asks(t, printing(), "Origin", "https://evil.example"); status != 403 {
		t.Errorf("a page: %d", status)
	}
}

func TestGateWithJWT(t *testing.T) {
	i := newIssuer(t)
	down := ""
	i.answer.Store(&down)
	tokenFile := filepath.Join(t.TempDir(), "tokens")
	writeFile(t, tokenFile, tokenLine("ada", "secret"))
	x := &fake{}
	r := up(t, x, Options{Exposure: Exposure{
		JWKSURL: i.url, JWTIssuer: testIssuer, JWTAudience: testAudience, TokenFile: tokenFile, Hosts: []string{"py.example.org", "localhost"},
	}}, Addresses{})
	good := "Bearer " + i.token(jwt.SigningMethodEdDSA, "ed", nil)
	status, header, text := r.asks(t, printing(), "Authorization", good)
	if status != 503 || header.Get("Retry-After") == "" || !strings.Contains(text, "keys") {
		t.Errorf("no keys yet: %d %s", status, text)
	}
	if status, _, _ := r.asks(t, printing(), "Authorization", "Bearer secret"); status != 200 {
		t.Errorf("a token of the file, meanwhile: %d", status)
	}
	i.answer.Store(nil)
	r = up(t, x, Options{Exposure: Exposure{JWKSURL: i.url, JWTIssuer: testIssuer, JWTAudience: testAudience, Hosts: []string{"py.example.org", "localhost"}}}, Addresses{})
	if status, _, text := r.asks(t, printing(), "Authorization", good); status != 200 || x.asked().Caller != "jwt:ada" {
		t.Errorf("a good token: %d %s, from %q", status, text, x.asked().Caller)
	}
	expired := i.token(jwt.SigningMethodEdDSA, "ed", func(c jwt.MapClaims) { c["exp"] = time.Now().Add(-time.Hour).Unix() })
	status, header, text = r.asks(t, printing(), "Authorization", "Bearer "+expired)
	want := `Bearer error="invalid_token", error_description="the token has expired", resource_metadata="https://py.example.org/.well-known/oauth-protected-resource/mcp"`
	if status != 401 || header.Get("WWW-Authenticate") != want || !strings.Contains(text, "expired") {
		t.Errorf("an expired token: %d %s, %s", status, text, header.Get("WWW-Authenticate"))
	}
	_, header, _ = r.asks(t, printing())
	if got := header.Get("WWW-Authenticate"); got != `Bearer resource_metadata="https://py.example.org/.well-known/oauth-protected-resource/mcp"` {
		t.Errorf("no token: %s", got)
	}
	for _, path := range []string{metadataPath, metadataPath + "/mcp"} {
		status, _, text = get(t, http.MethodGet, r.base()+path)
		if status != 200 || !strings.Contains(text, `"resource":"`+testAudience+`"`) || !strings.Contains(text, `"authorization_servers":["`+testIssuer+`"]`) {
			t.Errorf("%s: %d %s", path, status, text)
		}
	}
}

// Nobody listens where strangers are without having been told so.
func TestListenRefuses(t *testing.T) {
	dir := t.TempDir()
	tokenFile := filepath.Join(dir, "tokens")
	writeFile(t, tokenFile, tokenLine("ada", "secret"))
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, tt := range []struct {
		name     string
		exposure Exposure
		at       Addresses
		err      string // contained; empty listens
	}{
		{"loopback", Exposure{}, Addresses{Host: "127.0.0.1"}, ""},
		{"loopback by name", Exposure{}, Addresses{Host: "localhost"}, ""},
		{"everywhere", Exposure{}, Addresses{Host: "0.0.0.0"}, "whoever can reach it could run code"},
		{"everywhere, v6", Exposure{}, Addresses{Host: "::"}, "whoever can reach it could run code"},
		{"everywhere, unsaid", Exposure{}, Addresses{}, "whoever can reach it could run code"},
		{"everywhere with tokens", Exposure{TokenFile: tokenFile}, Addresses{Host: "0.0.0.0"}, ""},
		{"everywhere, in so many words", Exposure{InsecureNoAuth: true}, Addresses{Host: "0.0.0.0"}, ""},
		{"port taken", Exposure{}, Addresses{Host: "127.0.0.1", Port: taken.Addr().(*net.TCPAddr).Port}, "address already in use"},
		{"metrics port taken", Exposure{}, Addresses{Host: "127.0.0.1", MetricsPort: taken.Addr().(*net.TCPAddr).Port}, "address already in use"},
		{"no such address", Exposure{}, Addresses{Host: "192.0.2.1"}, "cannot assign requested address"},
		{"profiles for all", Exposure{InsecureNoAuth: true}, Addresses{Host: "0.0.0.0", MetricsPort: freePort(t), Profile: true}, "on loopback only"},
		{"profiles nowhere", Exposure{}, Addresses{Host: "127.0.0.1", Profile: true}, "on loopback only"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t, &fake{}, Options{Exposure: tt.exposure})
			l, err := s.Listen(t.Context(), tt.at)
			if err == nil {
				l.Close()
			}
			if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Fatalf("%v, want %s", err, tt.err)
			}
			if lower := explained(nil); errors.As(err, &lower) && tt.name != "no such address" {
				if why, remedy := lower.Explain(); why == "" || remedy == "" {
					t.Errorf("%v: because %q, remedy %q", err, why, remedy)
				}
			}
			// HTTP asks again, whoever opened the socket.
			if errors.Is(err, ErrExposed) {
				open, lerr := net.Listen("tcp", net.JoinHostPort(tt.at.Host, "0"))
				if lerr != nil {
					t.Skip(lerr)
				}
				if err := s.HTTP(t.Context(), Listeners{MCP: open}); !errors.Is(err, ErrExposed) {
					t.Errorf("HTTP: %v", err)
				}
			}
		})
	}
}

// What is wrong with the exposure is said before anything is served.
func TestHTTPRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		e    Exposure
		want string
	}{
		"token file gone":     {Exposure{TokenFile: filepath.Join(t.TempDir(), "none")}, "read the token file"},
		"half of TLS":         {Exposure{TLSCert: "x"}, "come together"},
		"certificate gone":    {Exposure{TLSCert: "/none", TLSKey: "/none"}, "read the certificate"},
		"odd origin":          {Exposure{Origins: []string{"*"}}, "origin"},
		"JWT of any issuer":   {Exposure{JWKSURL: "https://keys.example"}, "needs jwt_issuer and jwt_audience"},
		"keys from nowhere":   {Exposure{JWKSURL: "file:///etc/passwd", JWTIssuer: "i", JWTAudience: "a"}, "not a web address"},
		"keys without a host": {Exposure{JWKSURL: "https://", JWTIssuer: "i", JWTAudience: "a"}, "not a web address"},
	} {
		s := newServer(t, &fake{}, Options{Exposure: tt.e})
		l, err := s.Listen(t.Context(), Addresses{Host: "127.0.0.1"})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.HTTP(t.Context(), l); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", name, err, tt.want)
		}
		if _, err := net.Dial("tcp", l.MCP.Addr().String()); err == nil {
			t.Errorf("%s: the socket is still open", name)
		}
	}
}

func TestReadiness(t *testing.T) {
	var mu sync.Mutex
	env, failure := environment(), error(nil)
	set := func(change func()) {
		mu.Lock()
		defer mu.Unlock()
		change()
	}
	x := &fake{
		check: func(context.Context, exec.Inspection) (*exec.Environment, error) {
			mu.Lock()
			defer mu.Unlock()
			e := *env
			return &e, failure
		},
		execute: func(context.Context, exec.Request) (*exec.Result, error) { return nil, wall{} },
	}
	r := up(t, x, Options{}, Addresses{})
	ready := func(want int) {
		t.Helper()
		for _, base := range []string{r.base(), r.metrics} {
			eventually(t, fmt.Sprintf("%s/readyz says %d", base, want), func() bool {
				var as []string
				if base == r.base() {
					as = []string{"Host", "10.0.0.7"} // as a kubelet asks
				}
				status, _, _ := get(t, http.MethodGet, base+"/readyz", as...)
				return status == want
			})
			if status, _, _ := get(t, http.MethodGet, base+"/healthz"); status != 200 {
				t.Errorf("%s/healthz: %d", base, status)
			}
		}
	}
	ready(200) // a missing package is no reason
	if got := r.counts(t, `pyrun_sandbox_info{backend="native",memory="cgroup2",network="loopback"}`); got != "1" {
		t.Errorf("the walls: %q", got)
	}
	// A run that fails by pyrun's own fault has the walls looked at again, at once.
	for name, change := range map[string]func(){
		"a wall":      func() { env.Walls = []exec.Wall{{Name: "seccomp", Detail: "gone"}} },
		"interpreter": func() { env.Interpreter = nil },
		"a finding":   func() { env.Findings = []exec.Finding{{Area: "walls", Severity: exec.SeverityProblem, Message: "odd"}} },
		"no answer":   func() { failure = errors.New("no interpreter anywhere") },
	} {
		t.Run(name, func(t *testing.T) {
			set(change)
			r.asks(t, printing())
			ready(503)
			set(func() { env, failure = environment(), nil })
			r.asks(t, printing())
			ready(200)
			set(func() { failure = exec.ErrBusy }) // tells nothing
			r.asks(t, printing())
			ready(200)
			set(func() { failure = nil })
		})
	}
	set(func() { // named by the operator, and told of
		env.Sandbox.Backend = "none"
		env.Findings = []exec.Finding{{Area: "walls", Severity: exec.SeverityProblem, Message: "there is no wall"}}
	})
	r.asks(t, printing())
	time.Sleep(50 * time.Millisecond)
	ready(200)
	if log := r.log.String(); strings.Count(log, "no interpreter anywhere") != 1 || !strings.Contains(log, "seccomp does not hold: gone") {
		t.Errorf("the log:\n%s", log)
	}
}

func TestProfile(t *testing.T) {
	r := up(t, &fake{}, Options{}, Addresses{Profile: true})
	if status, _, text := get(t, http.MethodGet, r.metrics+"/debug/pprof/goroutine?debug=1"); status != 200 || !strings.Contains(text, "goroutine profile") {
		t.Errorf("%d %.100s", status, text)
	}
	for _, path := range []string{"heap", "profile"} {
		if status, _, _ := get(t, http.MethodGet, r.metrics+"/debug/pprof/"+path, "Host", "evil.example"); status != 403 {
			t.Errorf("a name that leads here, %s: %d", path, status)
		}
	}
	if status, _, text := get(t, http.MethodGet, r.metrics+"/debug/pprof/profile?seconds=1"); status != 200 || !strings.HasPrefix(text, "\x1f\x8b") {
		t.Errorf("processor time: %d %.20q", status, text)
	}
	if status, _, _ := get(t, http.MethodGet, r.metrics+"/debug/pprof/nothing"); status != 404 {
		t.Errorf("no such profile: %d", status)
	}
	r = up(t, &fake{}, Options{}, Addresses{})
	if status, _, _ := get(t, http.MethodGet, r.metrics+"/debug/pprof/heap"); status != 404 {
		t.Errorf("unasked: %d", status)
	}
}
