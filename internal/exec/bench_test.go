package exec

import (
	osexec "os/exec"
	"sort"
	"testing"
	"time"
)

// BenchmarkCold compares a hello through the Executor with the bare
// interpreter, in turns, so that both see the same machine.
func BenchmarkCold(b *testing.B) {
	for _, bench := range []struct{ name, code string }{
		{"hello", "print('hi')"},
		{"stdlib", "import json, re, dataclasses, typing, datetime"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			e := newExecutor(b, Options{})
			in := e.interpreter
			var walled, bare, start []time.Duration
			for b.Loop() {
				began := time.Now()
				r, err := e.Execute(b.Context(), code(bench.code))
				walled = append(walled, time.Since(began))
				if err != nil || r.Verdict != VerdictOK {
					b.Fatalf("%v, %+v", err, r)
				}
				start = append(start, time.Duration(r.Usage.StartMS)*time.Millisecond)
				began = time.Now()
				if out, err := osexec.Command(in.Source, "-I", "-B", "-c", bench.code).CombinedOutput(); err != nil {
					b.Fatalf("%v\n%s", err, out)
				}
				bare = append(bare, time.Since(began))
			}
			w, p := median(walled), median(bare)
			b.ReportMetric(float64(w.Microseconds())/1000, "ms/run")
			b.ReportMetric(float64(p.Microseconds())/1000, "ms/bare")
			b.ReportMetric(float64(median(start).Microseconds())/1000, "ms/start")
			b.ReportMetric(float64(w)/float64(p), "x-bare")
		})
	}
}

// BenchmarkWarm is a hello in a copy that waits, with the pool full.
func BenchmarkWarm(b *testing.B) {
	e := warmExecutor(b, Options{})
	var took []time.Duration
	for b.Loop() {
		refilled(b, e)
		began := time.Now()
		r, err := e.Execute(b.Context(), code("print('hi')"))
		took = append(took, time.Since(began))
		if err != nil || r.Verdict != VerdictOK {
			b.Fatalf("%v, %+v", err, r)
		}
	}
	b.ReportMetric(float64(median(took).Microseconds())/1000, "ms/run")
}

func median(d []time.Duration) time.Duration {
	sort.Slice(d, func(i, j int) bool { return d[i] < d[j] })
	return d[len(d)/2]
}

// BenchmarkKeeper is the cost of a byte of output.
func BenchmarkKeeper(b *testing.B) {
	chunk := make([]byte, 64<<10)
	b.SetBytes(int64(len(chunk)))
	k := newKeeper(defaultMaxOutputBytes)
	for b.Loop() {
		k.add(chunk)
	}
}

// BenchmarkCheck compares a look around, imports left out, with the bare
// interpreter: an operator waits for it, and a server asks often.
func BenchmarkCheck(b *testing.B) {
	e := newExecutor(b, Options{})
	var check, bare []time.Duration
	for b.Loop() {
		began := time.Now()
		if env, err := e.Check(b.Context(), Inspection{}); err != nil || !env.Ready() {
			b.Fatalf("%v, %+v", err, env)
		}
		check = append(check, time.Since(began))
		began = time.Now()
		if out, err := osexec.Command(e.interpreter.Source, "-I", "-B", "-c", "pass").CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		bare = append(bare, time.Since(began))
	}
	c, p := median(check), median(bare)
	b.ReportMetric(float64(c.Microseconds())/1000, "ms/check")
	b.ReportMetric(float64(c)/float64(p), "x-bare")
}
