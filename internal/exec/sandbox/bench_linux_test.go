//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"os"
	"slices"
	"testing"
	"time"
)

// BenchmarkTrue is the walls alone: the smallest program behind all of them,
// beside the same program started plainly.
func BenchmarkTrue(b *testing.B) {
	l, err := New(Options{Backend: Native})
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	pol := shell("")
	pol.Argv = []string{"/usr/bin/true"}
	var walled, plain []time.Duration
	for b.Loop() {
		begin := time.Now()
		p, err := l.Start(context.Background(), Place{}, pol, Stdio{})
		if err != nil {
			b.Fatal(err)
		}
		if e := p.Wait(); e.Code != 0 {
			b.Fatal(e)
		}
		p.Close()
		walled = append(walled, time.Since(begin))
		begin = time.Now()
		q, err := os.StartProcess(pol.Argv[0], pol.Argv, &os.ProcAttr{})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := q.Wait(); err != nil {
			b.Fatal(err)
		}
		plain = append(plain, time.Since(begin))
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(micros(middle(walled)), "walled-µs")
	b.ReportMetric(micros(middle(plain)), "plain-µs")
}

// BenchmarkLayers tells each layer's share of a start: a run that fails at one
// step costs what came before it, so two of them differ by what lies between.
func BenchmarkLayers(b *testing.B) {
	marks := []struct{ step, layer string }{
		{"name pid 1", "clone"}, // namespaces, pid 1's exec, cgroup
		{"make mounts private", "attach"},
		{"enter the root", "root"},
		{"set the host name", "pivot"},
		{"close descriptors", "network"},
		{"empty the capability bounding set", "landlock"},
		{"fork the script's process", "privileges"},
		{"filter calls (seccomp)", "fork"},
		{"start the program", "seccomp"},
	}
	pol := shell("")
	pol.Argv = []string{"/usr/bin/true"}
	launchers := make([]*Launcher, len(marks))
	for i, m := range marks {
		l, err := New(Options{Backend: Native, Fault: m.step})
		if err != nil {
			b.Fatal(err)
		}
		defer l.Close()
		launchers[i] = l
	}
	took := make([][]time.Duration, len(marks))
	for b.Loop() {
		for i, l := range launchers {
			begin := time.Now()
			if p, err := l.Start(context.Background(), Place{}, pol, Stdio{}); err == nil {
				p.Close()
				b.Fatalf("step %q is not on the list", marks[i].step)
			}
			took[i] = append(took[i], time.Since(begin))
		}
	}
	b.ReportMetric(0, "ns/op")
	before := time.Duration(0)
	for i, m := range marks {
		now := middle(took[i])
		b.ReportMetric(micros(now-before), m.layer+"-µs")
		before = now
	}
}

func middle(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }
