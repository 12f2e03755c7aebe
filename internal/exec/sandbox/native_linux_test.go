//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"
)

// shell is a policy that runs the host's /bin/sh in a bare root.
func shell(script string) Policy {
	return Policy{
		Argv:  []string{"/bin/sh", "-c", script},
		Env:   []string{"PATH=/usr/bin:/bin"},
		Dir:   "/job",
		Binds: []Bind{{Source: "/usr", Target: "/usr"}},
		Links: []Link{{"/bin", "usr/bin"}, {"/lib", "usr/lib"}, {"/lib64", "usr/lib64"}},
		Writable: []Dir{
			{Path: "/job", Name: "job", Mode: 0o700},
			{Path: "/job/artifacts", Name: "job/artifacts", Mode: 0o700},
			{Path: "/tmp", Name: "tmp", Mode: 0o1777},
			{Path: "/dev/shm", Name: "shm", Mode: 0o1777},
		},
		Sealed:  []string{"/job/inputs"},
		Files:   []File{{Path: "/job/inputs/in.txt", Mode: 0o444, Data: []byte("in\n")}, {Path: "/job/main.sh", Mode: 0o644, Data: []byte("x\n")}},
		Network: NetworkLoopback,
		Limits:  Limits{Wall: 10 * time.Second, CPU: 20 * time.Second, Memory: 256 << 20, FileSize: 64 << 20, Disk: 64 << 20, Inodes: 4096, Processes: 64, OpenFiles: 256},
	}
}

func runShell(t *testing.T, o Options, pol Policy) (string, Exit) {
	t.Helper()
	o.Backend = Native
	l, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	p, err := l.Start(context.Background(), Place{}, pol, Stdio{Stdout: w, Stderr: w})
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	out, _ := io.ReadAll(r)
	return string(out), p.Wait()
}

func TestNativeShell(t *testing.T) {
	out, exit := runShell(t, Options{}, shell(`id; ls -la / /job /job/inputs /dev; cat /proc/mounts; cat /proc/self/status | head -60; cat inputs/in.txt; echo hi > artifacts/x; ls /proc; exit 3`))
	t.Logf("%s\n%+v", out, exit)
	if exit.Code != 3 {
		t.Fatalf("code %d", exit.Code)
	}
}

// TestStartedNicely: a pyrun that was started with a lower priority than a
// script's runs scripts all the same.
func TestStartedNicely(t *testing.T) {
	c := exec.Command("nice", "-n", "15", os.Args[0], "-test.run", "^TestNativeShell$", "-test.count=1")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
