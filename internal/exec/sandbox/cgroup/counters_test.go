//go:build linux

package cgroup

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
)

// TestCounters: a file that stays open is read anew each time, and is closed with its group.
func TestCounters(t *testing.T) {
	f := newFake(t, "v1")
	g, err := f.find(t).New(Limits{})
	if err != nil {
		t.Fatal(err)
	}
	count := func() int {
		links, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, l := range links {
			if to, err := os.Readlink("/proc/self/fd/" + l.Name()); err == nil && strings.HasPrefix(to, f.dir) {
				n++
			}
		}
		return n
	}
	folder := strings.TrimPrefix(g.memory, f.dir+"/")
	f.put(t, strings.Replace(folder, "memory/", "cpu,cpuacct/", 1)+"/cpuacct.usage", "0\n")
	for _, peak := range []string{"1\n", strings.Repeat(" ", 2000) + "22\n", "333\n"} {
		f.put(t, folder+"/memory.max_usage_in_bytes", peak)
		u, err := g.Usage()
		if err != nil || u.Peak != map[int]int64{2: 1, 2003: 22, 4: 333}[len(peak)] {
			t.Errorf("%d, %v", u.Peak, err)
		}
	}
	if n := count(); n == 0 {
		t.Error("no file stays open")
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	if n := count(); n != 0 {
		t.Errorf("%d files are open", n)
	}
	if _, err := g.Usage(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
}
