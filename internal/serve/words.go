package serve

import (
	"fmt"
	"time"
)

// bytesWord is a number of bytes as a person says it.
func bytesWord(n int64) string {
	for _, u := range []struct {
		size int64
		name string
	}{{1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}} {
		if n >= u.size && n%u.size == 0 {
			return fmt.Sprintf("%d %s", n/u.size, u.name)
		}
		if n >= 10*u.size {
			return fmt.Sprintf("%.1f %s", float64(n)/float64(u.size), u.name)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}

// seconds rounds up, so that nothing is promised that is not allowed as it is.
func seconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }
