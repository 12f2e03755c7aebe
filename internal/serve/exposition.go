package serve

// The text format that Prometheus scrapes. Its client library would do it, and
// costs every start of pyrun two milliseconds before main.

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// family is one metric with all its label values. It is not safe for use by many.
type family struct {
	name, help, kind string
	labels           []string
	bounds           []float64 // of a histogram, rising
	series           []*series // in the order in which they first came
}

type series struct {
	values []string // of the labels
	n      float64  // counter, gauge; a histogram's sum
	counts []uint64 // of a histogram, by bucket; the last is beyond all bounds
}

func counter(name, help string, labels ...string) *family {
	return &family{name: name, help: help, kind: "counter", labels: labels}
}

func gauge(name, help string, labels ...string) *family {
	return &family{name: name, help: help, kind: "gauge", labels: labels}
}

func histogram(name, help string, bounds []float64) *family {
	f := &family{name: name, help: help, kind: "histogram", bounds: bounds}
	f.of(nil)
	return f
}

func (f *family) of(values []string) *series {
	for _, s := range f.series {
		if slices.Equal(s.values, values) {
			return s
		}
	}
	s := &series{values: slices.Clone(values), counts: make([]uint64, len(f.bounds)+1)}
	f.series = append(f.series, s)
	return s
}

func (f *family) add(n float64, values ...string) { f.of(values).n += n }
func (f *family) set(n float64, values ...string) { f.of(values).n = n }
func (f *family) reset()                          { f.series = nil }

func (f *family) observe(n float64) {
	s := f.of(nil)
	s.n += n
	i := 0
	for i < len(f.bounds) && n > f.bounds[i] {
		i++
	}
	s.counts[i]++
}

// append writes the family behind b, or nothing if it has no series.
func (f *family) append(b []byte) []byte {
	if len(f.series) == 0 {
		return b
	}
	b = append(b, "# HELP "+f.name+" "+f.help+"\n# TYPE "+f.name+" "+f.kind+"\n"...)
	for _, s := range f.series {
		if f.kind != "histogram" {
			b = f.line(b, "", s.values, "", s.n)
			continue
		}
		var sum uint64
		for i, n := range s.counts {
			sum += n
			bound := math.Inf(1)
			if i < len(f.bounds) {
				bound = f.bounds[i]
			}
			b = f.line(b, "_bucket", s.values, number64(bound), float64(sum))
		}
		b = f.line(b, "_sum", s.values, "", s.n)
		b = f.line(b, "_count", s.values, "", float64(sum))
	}
	return b
}

func (f *family) line(b []byte, suffix string, values []string, le string, n float64) []byte {
	b = append(b, f.name+suffix...)
	var pairs []string
	for i, v := range values {
		pairs = append(pairs, f.labels[i]+`="`+strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(v)+`"`)
	}
	if le != "" {
		pairs = append(pairs, `le="`+le+`"`)
	}
	if len(pairs) > 0 {
		b = append(b, "{"+strings.Join(pairs, ",")+"}"...)
	}
	return append(b, " "+number64(n)+"\n"...)
}

func number64(n float64) string {
	if math.IsInf(n, 1) {
		return "+Inf"
	}
	return strconv.FormatFloat(n, 'g', -1, 64)
}
