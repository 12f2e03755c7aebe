package ui

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/clipperhouse/displaywidth"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

// importRow is one package as a table shows it.
type importRow struct {
	p     exec.PackageInfo
	cells [6]string // name, version, wanted, imports, time, memory
}

// imports is the table of packages that were really imported, slowest first.
// Where it does not fit, the columns that say least go first.
func (p *sheet) imports() {
	var rows []importRow
	for _, k := range p.e.Packages {
		if k.Import == nil {
			continue
		}
		rows = append(rows, importRow{k, [6]string{
			Clean(k.Name), Clean(k.Version), Clean(k.Wanted), Clean(strings.Join(public(k.Imports), ", ")),
			Duration(time.Duration(k.Import.DurationMS) * time.Millisecond), memory(k.Import.PeakMemoryBytes),
		}})
	}
	if len(rows) == 0 {
		return
	}
	slices.SortStableFunc(rows, func(a, b importRow) int {
		return cmp.Compare(b.p.Import.DurationMS, a.p.Import.DurationMS)
	})
	p.section("imports")
	if p.label != "" { // the table needs the width
		p.b.WriteString(p.t.bold(p.label) + "\n")
		p.label, p.gap = "", 2
	}
	head := importRow{cells: [6]string{"name", "version", "wanted", "imported as", "time", "memory"}}
	shown := p.columns(append([]importRow{head}, rows...))
	p.b.WriteString(p.t.dim(p.line(strings.Repeat(" ", displaywidth.String(p.t.held)), head, shown)) + "\n")
	for _, r := range rows {
		mark := p.held()
		if !r.p.Import.OK {
			mark = p.fail()
		}
		p.b.WriteString(p.line(mark, r, shown) + "\n")
		if !r.p.Import.OK {
			p.why(r.p)
		}
	}
}

// public leaves out what nobody imports by hand, if something is left then.
func public(names []string) []string {
	some := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return strings.HasPrefix(n, "_") })
	if len(some) == 0 {
		return names
	}
	return some
}

// why is the last line of the failing import, and how to see the rest.
func (p *sheet) why(k exec.PackageInfo) {
	indent := strings.Repeat(" ", p.gap+displaywidth.String(p.t.held)+1)
	lines := wrap(Clean(k.Import.Error), max(p.width-len(indent), 16))
	p.b.WriteString(indent + p.t.red(strings.Join(lines, "\n"+indent)) + "\n")
	for _, f := range p.e.Findings {
		if f.Area == "imports" && f.Package == k.Name {
			f.Why = ""
			p.advice(f)
		}
	}
}

// columns are the widths of those that are shown; 0 leaves one out.
func (p *sheet) columns(rows []importRow) [6]int {
	var widths [6]int
	for _, r := range rows {
		for i, c := range r.cells {
			widths[i] = max(widths[i], displaywidth.String(c))
		}
	}
	widths[0], widths[3] = min(widths[0], 28), min(widths[3], 40)
	total := func() int {
		n := p.gap + displaywidth.String(p.t.held) + 1
		for _, w := range widths {
			if w > 0 {
				n += w + 2
			}
		}
		return n - 2
	}
	for _, out := range []int{2, 3, 1, 5} { // wanted, imported as, version, memory
		if total() > p.width {
			widths[out] = 0
		}
	}
	if over := total() - p.width; over > 0 {
		widths[0] = max(widths[0]-over, 4)
	}
	return widths
}

func (p *sheet) line(mark string, r importRow, widths [6]int) string {
	var cells []string
	for i, w := range widths {
		if w == 0 {
			continue
		}
		cell := r.cells[i]
		if displaywidth.String(cell) > w {
			cell = displaywidth.TruncateString(cell, w, p.t.ellipsis)
		}
		if i >= 4 {
			cells = append(cells, padLeft(cell, w))
		} else {
			cells = append(cells, pad(cell, w))
		}
	}
	return strings.TrimRight(strings.Repeat(" ", p.gap)+mark+" "+strings.Join(cells, "  "), " ")
}
