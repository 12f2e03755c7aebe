package serve

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

// shaky is an Executor whose walls can be made to fall.
func shaky() (x *fake, broken *atomic.Bool) {
	broken = &atomic.Bool{}
	return &fake{check: func(context.Context, exec.Inspection) (*exec.Environment, error) {
		env := environment()
		if broken.Load() {
			env.Walls = []exec.Wall{{Name: "namespaces", Held: true}, {Name: "seccomp", Detail: "ptrace was allowed"}, {Name: "memory", Detail: "could not be tried"}}
		}
		return env, nil
	}}, broken
}

// runners are the tools that run something; check_environment alone does not.
func runners() map[string]string {
	return map[string]string{toolExecute: `{"code":"1"}`, toolRun: `{"code":"1"}`, toolValidate: `{"code":"1"}`}
}

// A wall that was tried and does not hold stops every tool that runs something,
// is told to the caller by name and to the log once, and no longer than it lasts.
func TestBrokenWallStopsHTTP(t *testing.T) {
	x, broken := shaky()
	x.validate = func(context.Context, exec.Validation) (*exec.Report, error) {
		if broken.Load() {
			t.Error("validated behind a broken wall")
		}
		return &exec.Report{Diagnostics: []exec.Diagnostic{}}, nil
	}
	broken.Store(true)
	r := up(t, x, Options{Tools: append(DefaultTools(), toolRun)}, Addresses{})
	for name, arguments := range runners() {
		a := call(t, r.url, name, arguments)
		text := a.text(t)
		if !a.Result.IsError || !strings.Contains(text, "seccomp: ptrace was allowed; memory: could not be tried") || !strings.Contains(text, "remedy: ") {
			t.Errorf("%s: isError %v, %q", name, a.Result.IsError, text)
		}
	}
	if x.runs != 0 {
		t.Errorf("%d scripts were run behind a broken wall", x.runs)
	}
	if a := call(t, r.url, toolCheck, `{}`); a.Result.IsError || !strings.Contains(a.text(t), "broken, nothing is run: missing seccomp, memory") {
		t.Errorf("check_environment: %+v", a)
	}
	if got := r.counts(t, `pyrun_rejected_total{reason="walls"}`); got != "3" {
		t.Errorf("counted %q refusals", got)
	}
	eventually(t, "the log says it", func() bool { return strings.Contains(r.log.String(), "not ready") })
	if n := strings.Count(r.log.String(), "not ready"); n != 1 {
		t.Errorf("the log says it %d times:\n%s", n, r.log)
	}
	broken.Store(false)
	if a := call(t, r.url, toolCheck, `{}`); a.Result.IsError {
		t.Errorf("check_environment: %+v", a)
	}
	if a := call(t, r.url, toolExecute, `{"code":"1"}`); a.Result.IsError {
		t.Errorf("the wall holds again: %+v", a)
	}
	broken.Store(true)
	call(t, r.url, toolCheck, `{}`) // sees it, and readiness hears of it
	eventually(t, "it is not ready", func() bool { s, _, _ := get(t, "GET", r.metrics+"/readyz"); return s == 503 })
}

func TestBrokenWallStopsStdio(t *testing.T) {
	x, broken := shaky()
	broken.Store(true)
	log := &logged{}
	p := talk(t, newServer(t, x, Options{Log: log.logger()}))
	p.hello("2025-11-25")
	p.send("%s", callBody(toolExecute, `{"code":"1"}`))
	if m := p.next(late); !strings.Contains(toText(m), "seccomp: ptrace was allowed") || x.runs != 0 {
		t.Errorf("%v, %d runs", m, x.runs)
	}
	eventually(t, "the log tells", func() bool { return strings.Contains(log.String(), "seccomp") })
}

// Nothing is run before the walls were tried.
func TestFirstLookComesFirst(t *testing.T) {
	look := make(chan error, 1)
	x := &fake{check: func(context.Context, exec.Inspection) (*exec.Environment, error) {
		if err := <-look; err != nil {
			return nil, err
		}
		return environment(), nil
	}}
	p := talk(t, newServer(t, x, Options{}))
	p.hello("2025-11-25")
	p.send("%s", callBody(toolExecute, `{"code":"1"}`))
	if m := p.next(200 * time.Millisecond); m != nil {
		t.Fatalf("answered before the walls were tried: %v", m)
	}
	look <- errors.New("the disk is full")
	if m := p.next(late); !strings.Contains(toText(m), "could not be tried yet") || x.runs != 0 {
		t.Errorf("%v, %d runs", m, x.runs)
	}
	look <- nil // five seconds later
	eventually(t, "the walls were tried", func() bool {
		p.send("%s", callBody(toolExecute, `{"code":"1"}`))
		return strings.Contains(toText(p.next(5*time.Second)), "45")
	})
}

// Where no wall was promised, none is missed.
func TestNoWallsPromised(t *testing.T) {
	x, _ := shaky()
	x.check = func(context.Context, exec.Inspection) (*exec.Environment, error) {
		env := environment()
		env.Sandbox.Backend, env.Walls = "none", []exec.Wall{{Name: "seccomp"}}
		return env, nil
	}
	r := up(t, x, Options{}, Addresses{})
	if a := call(t, r.url, toolExecute, `{"code":"1"}`); a.Result.IsError {
		t.Errorf("%+v", a)
	}
}

// toText is content[0] of a line.
func toText(m map[string]any) string {
	result, _ := m["result"].(map[string]any)
	content, _ := result["content"].([]any)
	if len(content) == 0 {
		return ""
	}
	first, _ := content[0].(map[string]any)
	text, _ := first["text"].(string)
	return text
}
