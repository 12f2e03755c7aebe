//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"os"
	"strconv"
	"time"
)

// census is what a tree has used, read just before it is killed: the kernel
// forgets the accounts of processes that die with their namespace.
type census struct {
	cpu  time.Duration
	peak int64 // of the largest process
}

// clockTick is the unit of times in /proc, the same on every Linux of these architectures.
const clockTick = 10 * time.Millisecond

func count(pid1 int) census {
	var c census
	for _, pid := range descendants(pid1, nil) {
		dir := "/proc/" + strconv.Itoa(pid)
		stat, err := os.ReadFile(dir + "/stat")
		if err != nil {
			continue
		}
		// The name may hold anything; fields are counted from behind it.
		f := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		for i := 11; i <= 14 && i < len(f); i++ { // utime, stime, cutime, cstime
			n, _ := strconv.ParseInt(string(f[i]), 10, 64)
			c.cpu += time.Duration(n) * clockTick
		}
		status, _ := os.ReadFile(dir + "/status")
		for line := range bytes.Lines(status) {
			if rest, ok := bytes.CutPrefix(line, []byte("VmHWM:")); ok {
				if f := bytes.Fields(rest); len(f) > 0 {
					kb, _ := strconv.ParseInt(string(f[0]), 10, 64)
					c.peak = max(c.peak, kb<<10)
				}
			}
		}
	}
	return c
}
