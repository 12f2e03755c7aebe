package exec

import (
	"strings"
	"testing"
)

// TestNothingStaysOpen: what one run does to what it has open is not there for the next one.
func TestNothingStaysOpen(t *testing.T) {
	e := warmExecutor(t, Options{Warm: 1})
	const script = `
import fcntl, os, struct
F_OFD_GETLK, F_OFD_SETLK = 36, 37
for fd in range(3):
    lock = struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 40, 1, 0)
    try:
        seen = struct.unpack("hhqqi4x", fcntl.fcntl(fd, F_OFD_GETLK, lock))[0] != fcntl.F_UNLCK
    except OSError:
        seen = False
    print(fd, seen, bool(fcntl.fcntl(fd, fcntl.F_GETFL) & (os.O_APPEND | os.O_NONBLOCK)))
    try:
        fcntl.fcntl(fd, F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_RDLCK if fd == 0 else fcntl.F_WRLCK, 0, 40, 1, 0))
    except OSError:
        pass
    fcntl.fcntl(fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) | os.O_APPEND | os.O_NONBLOCK)
`
	for range 3 {
		refilled(t, e)
		res := execute(t, e, code(script))
		if res.ExitCode != 0 || strings.Contains(res.Stdout, "True") {
			t.Fatalf("%q, %q", res.Stdout, res.Stderr)
		}
	}
	allWarm(t, e)
}
