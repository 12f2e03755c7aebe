package main

import (
	"fmt"
	"strconv"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

func benchFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "runs", Usage: "measure `N` warm runs of each script (default 500)"},
		&cli.StringFlag{Name: "callers", Usage: "`N` callers at once, for runs per second (default 4)"},
	}
}

// bench is `pyrun bench`: what a run costs here, beside the bare interpreter.
func (d *door) bench(c *cli.Context) error {
	if words := append(d.line.words, d.line.rest...); len(words) > 0 {
		return usageHint("pyrun bench", "bench takes no words: %s", words[0])
	}
	settings, err := d.settings(c)
	if err != nil {
		return err
	}
	b := exec.BenchOptions{Warm: 4}
	for _, n := range []struct {
		flag       string
		value      *int
		otherwise  int
		least, top int
	}{{"runs", &b.Runs, 500, 10, 1_000_000}, {"callers", &b.Callers, 4, 1, 256}} {
		*n.value = n.otherwise
		if text := c.String(n.flag); text != "" {
			v, err := strconv.Atoi(text)
			if err != nil || v < n.least || v > n.top {
				return usage("--%s %s: is not a number from %d to %d", n.flag, text, n.least, n.top)
			}
			*n.value = v
		}
	}
	if !c.Bool("json") && !c.Bool("quiet") {
		b.Progress = func(what string) { fmt.Fprintf(d.stderr, "pyrun: measuring %s\n", what) }
	}
	steadyMemory(d.getenv) // as for serve
	b.Door = benchDoor
	report, err := exec.Bench(c.Context, options(settings), b)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return wrote(exec.Encode(d.stdout, "report", report, "  "))
	}
	return wrote(d.benchTable(report))
}

func (d *door) benchTable(r *exec.BenchReport) error {
	w := tabwriter.NewWriter(d.ui.Out(), 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "script\thow\truns\tp50 ms\tp99 ms\tx bare\t\n")
	for _, row := range r.Rows {
		fmt.Fprintf(w, "%s\t%s\t%d\t%.2f\t%.2f\t%.3f\t\n", row.Script, row.How, row.Runs, row.P50, row.P99, row.XBare)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	out := d.ui.Out()
	fmt.Fprintln(out)
	for _, rate := range r.Rates {
		fmt.Fprintf(out, "%s hello, %d callers: %.0f runs a second, p99 %.2f ms\n", rate.How, rate.Callers, rate.PerSecond, rate.P99)
	}
	for _, a := range r.Missing {
		fmt.Fprintf(out, "%s was not measured: %s\n", a.What, a.Why)
	}
	_, err := fmt.Fprintf(out, "CPython %s, %d CPUs, memory by %s, network %s\n", r.Python, r.CPUs, r.Sandbox.Memory, r.Sandbox.Network)
	return err
}
