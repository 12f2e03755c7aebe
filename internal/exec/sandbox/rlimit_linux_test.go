//go:build linux && (amd64 || arm64)

package sandbox

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestLowHostLimits: a host that allows less than a run would get narrows the
// run and does not stop it.
func TestLowHostLimits(t *testing.T) {
	if os.Getenv("PYRUN_TEST_LOW") != "" {
		out, exit := runShell(t, Options{}, shell("ulimit -Hf; ulimit -Hn; ulimit -Hs"))
		if exit.Code != 0 || strings.Join(strings.Fields(out), " ") != "4000 80 8192" {
			t.Fatalf("exit %+v, hard limits %q", exit, out)
		}
		return
	}
	asEveryone(t)
	// The shell counts files in half kilobytes.
	c := exec.Command("/bin/sh", "-c", `ulimit -f 4000 && ulimit -n 80 && ulimit -s 8192 && exec "$0" -test.run '^TestLowHostLimits$' -test.count=1`, os.Args[0])
	c.Env = append(os.Environ(), "PYRUN_TEST_LOW=1")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
