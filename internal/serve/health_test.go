package serve

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

// problems is an environment in which nothing is as it should be.
func problems() *exec.Environment {
	env := environment()
	env.Walls = []exec.Wall{{Name: "seccomp", Detail: "ptrace was allowed"}, {Name: "time", Held: true}, {Name: "memory", Detail: "could not be tried"}}
	env.Findings = append(env.Findings,
		exec.Finding{Area: "walls", Wall: "seccomp", Severity: exec.SeverityProblem, Message: "seccomp does not hold: ptrace was allowed", Why: "it was seen", Remedy: "run nothing"},
		exec.Finding{Area: "limits", Severity: exec.SeverityNote, Message: "memory is sampled"})
	return env
}

// A name that was allowed is a proxy's, who brings in everybody.
func TestReadyTellsNoProxy(t *testing.T) {
	x := &fake{check: func(context.Context, exec.Inspection) (*exec.Environment, error) { return problems(), nil }}
	r := up(t, x, Options{Exposure: Exposure{Hosts: []string{"py.example.org", "localhost", "*"}}}, Addresses{})
	for host, told := range map[string]bool{"py.example.org": false, "10.0.0.7": false, "localhost:8000": true, "127.0.0.1": true, "[::1]:8000": true} {
		eventually(t, "it is not ready", func() bool {
			status, _, text := get(t, http.MethodGet, r.base()+"/readyz", "Host", host)
			return status == 503 && strings.Contains(text, "seccomp") == told
		})
	}
}

// Whoever looks after the server reads what is wrong, a line each, where it is
// asked; a stranger learns no more than that something is.
func TestReadySaysWhy(t *testing.T) {
	x := &fake{check: func(context.Context, exec.Inspection) (*exec.Environment, error) { return problems(), nil }}
	r := up(t, x, Options{}, Addresses{})
	const want = "seccomp does not hold: ptrace was allowed, because it was seen; remedy: run nothing\nmemory does not hold: could not be tried\n"
	for _, base := range []string{r.base(), r.metrics} {
		eventually(t, base+"/readyz tells", func() bool {
			status, _, text := get(t, http.MethodGet, base+"/readyz")
			return status == 503 && text == want
		})
	}
	if _, _, text := get(t, http.MethodGet, r.base()+"/readyz", "Host", "evil.example"); strings.Contains(text, "seccomp") || !strings.HasPrefix(text, "not ready: ") {
		t.Errorf("a page of somebody else's reads %q", text)
	}
}

func TestUnfitTellsTheCause(t *testing.T) {
	env := environment()
	env.Interpreter = nil
	if got := unfit(env); got == nil || got.Error() != "there is no interpreter" {
		t.Errorf("%v", got)
	}
	env.Findings = []exec.Finding{{Area: "interpreter", Severity: exec.SeverityProblem, Message: "is CPython 3.14.6, and 3.13 was asked for", Remedy: "change python_version"}}
	if got := unfit(env); got == nil || got.Error() != "is CPython 3.14.6, and 3.13 was asked for; remedy: change python_version" {
		t.Errorf("%v", got)
	}
	if got := unfit(environment()); got != nil {
		t.Errorf("a package that is missing: %v", got)
	}
}

// A server without an interpreter ends and says why; one that loses it stays, for
// it may come back.
func TestNoInterpreterEndsTheServer(t *testing.T) {
	var gone atomic.Bool
	x := &fake{check: func(context.Context, exec.Inspection) (*exec.Environment, error) {
		env := environment()
		if gone.Load() {
			env.Interpreter = nil
			env.Findings = []exec.Finding{{Area: "interpreter", Severity: exec.SeverityProblem, Message: "it is another"}}
		}
		return env, nil
	}}
	r := up(t, x, Options{}, Addresses{})
	eventually(t, "it is ready", func() bool { status, _, _ := get(t, http.MethodGet, r.metrics+"/readyz"); return status == 200 })
	gone.Store(true)
	r.server.op.lookAgain()
	eventually(t, "it is not", func() bool { status, _, _ := get(t, http.MethodGet, r.metrics+"/readyz"); return status == 503 })

	s := newServer(t, x, Options{})
	l, err := s.Listen(t.Context(), Addresses{Host: "127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.HTTP(t.Context(), l) }()
	select {
	case err := <-ended:
		if !errors.As(err, new(*InterpreterError)) || err.Error() != "nothing can be run: it is another" {
			t.Errorf("%v", err)
		}
	case <-time.After(late):
		t.Error("it goes on")
	}
}

// A page that had its own name lead to this machine reads no metrics; a name that
// was allowed does, and elsewhere than on loopback monitors call as they like.
func TestMetricsAnswerToTheirNames(t *testing.T) {
	r := up(t, &fake{}, Options{Exposure: Exposure{Hosts: []string{"py.example.org"}}}, Addresses{})
	for host, want := range map[string]int{"evil.example": 403, "localhost:9999": 200, "127.0.0.1": 200, "[::1]:1": 200, "py.example.org": 200} {
		for _, path := range []string{"/metrics", "/readyz", "/healthz"} {
			status, _, _ := get(t, http.MethodGet, r.metrics+path, "Host", host)
			if status != want && !(path == "/readyz" && status == 503 && want == 200) {
				t.Errorf("%s%s: %d, want %d", host, path, status, want)
			}
		}
	}
	tokens := filepath.Join(t.TempDir(), "tokens")
	writeFile(t, tokens, tokenLine("ada", "one"))
	open := up(t, &fake{}, Options{Exposure: Exposure{TokenFile: tokens}}, Addresses{Host: "0.0.0.0"})
	_, port, _ := strings.Cut(strings.TrimPrefix(open.metrics, "http://"), "]:")
	if port == "" {
		_, port, _ = strings.Cut(strings.TrimPrefix(open.metrics, "http://"), ":")
	}
	if status, _, _ := get(t, http.MethodGet, "http://127.0.0.1:"+port+"/metrics", "Host", "pyrun.monitoring.svc"); status != 200 {
		t.Errorf("a monitor is refused: %d", status)
	}
}
