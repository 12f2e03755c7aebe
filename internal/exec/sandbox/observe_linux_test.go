//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"os"
	"testing"
)

// TestObserve looks at a script that waits, and at one that has ended.
func TestObserve(t *testing.T) {
	asEveryone(t)
	pol := shell("read x")
	l, err := New(Options{Backend: Native})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	in, gate, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p, err := l.Start(context.Background(), Place{}, pol, Stdio{Stdin: in})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	in.Close()
	o, err := p.Observe()
	if err != nil {
		t.Fatal(err)
	}
	kinds := []string{"mnt", "pid", "net", "ipc", "uts", "cgroup"}
	for _, layer := range p.Posture().Layers {
		if layer == "user" {
			kinds = append(kinds, layer)
		}
	}
	for _, kind := range kinds {
		if own, its := o.Own[kind], o.Namespaces[kind]; own == "" || its == "" || own == its {
			t.Errorf("namespace %s: ours is %q, the script's %q", kind, own, its)
		}
	}
	want := map[string]string{"CapEff": zeros, "CapBnd": zeros, "NoNewPrivs": "1", "Seccomp": "2", "Seccomp_filters": oneMore(t)}
	equal(t, "status", want, pick(o.Status, want))
	equal(t, "own status", readStatus(t, os.Getpid())["Uid"], o.OwnStatus["Uid"])
	for _, name := range o.Reach {
		if name != "lo" {
			t.Errorf("it reaches %s", name)
		}
	}

	gate.Close()
	p.Wait()
	if o, err := p.Observe(); err == nil {
		t.Errorf("a script that has ended was seen: %v", o.Status)
	}
}

// TestReach sees what this process's own network has, so that an empty answer says something.
func TestReach(t *testing.T) {
	names, err := reach("self")
	if err != nil {
		t.Fatal(err)
	}
	t.Log(names)
	if _, err := os.Stat("/sys/class/net/eth0"); err == nil && len(names) == 0 {
		t.Error("eth0 was not seen")
	}
}

func TestAsk(t *testing.T) {
	abi, err := landlockABI()
	if err != nil {
		missing(t, err.Error())
	}
	s, none := Ask(NetworkLoopback), Ask(NetworkNone)
	if s.Landlock != abi || s.Calls < 150 || none.Calls != s.Calls {
		t.Errorf("%+v, without a network %+v", s, none)
	}
	l, err := New(Options{Backend: Native})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	p, err := l.Start(context.Background(), Place{}, shell("true"), Stdio{})
	if err != nil {
		missing(t, err.Error())
	}
	defer p.Close()
	p.Wait()
	if sampled := p.Posture().Memory == "sampled"; sampled != (s.Sampled != nil) {
		t.Errorf("a run's memory is %s, and the reason against a cgroup %v", p.Posture().Memory, s.Sampled)
	}
}
