package serve

import (
	"fmt"
	"net"
	"os"
	osexec "os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// The sockets of a service manager are taken, and nothing else is opened.
func TestListenActivated(t *testing.T) {
	if os.Getenv("PYRUN_TEST_ACTIVATED") != "" {
		activated(t)
		return
	}
	if runtime.GOOS != "linux" {
		t.Skip("systemd is on Linux")
	}
	cmd := osexec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestListenActivated$", "-test.v")
	cmd.Env = append(os.Environ(), "PYRUN_TEST_ACTIVATED=1", "LISTEN_FDS=3", "LISTEN_FDNAMES=:metrics:spare")
	var want []string
	for range 3 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		f, err := l.(*net.TCPListener).File()
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		cmd.ExtraFiles = append(cmd.ExtraFiles, f)
		want = append(want, l.Addr().String())
	}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), fmt.Sprintf("mcp %s, metrics %s\n", want[0], want[1])) {
		t.Errorf("%v: %s\nwant %q", err, out, want)
	}
}

func activated(t *testing.T) {
	t.Setenv("LISTEN_PID", strconv.Itoa(os.Getpid()))
	l, err := newServer(t, &fake{}, Options{}).Listen(t.Context(), Addresses{Host: "192.0.2.1", Port: 1, MetricsPort: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	fmt.Printf("mcp %s, metrics %s\n", l.MCP.Addr(), l.Metrics.Addr())
	if os.Getenv("LISTEN_FDS") != "" {
		t.Error("what pyrun starts would take them too")
	}
	if _, err := os.NewFile(5, "spare").Stat(); err == nil {
		t.Error("a socket that nobody answers stays open")
	}
}
