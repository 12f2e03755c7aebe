package ui

import (
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/clipperhouse/displaywidth"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

// Progress is one line that is redrawn while something slow is prepared, and
// erased when it is done. Off a terminal it says nothing.
type Progress struct {
	ui   *UI
	now  func() time.Time
	last time.Time
	text string // as it is drawn; empty while it is not
}

// redrawEvery is seldom enough to cost nothing and often enough to look alive.
const redrawEvery = 80 * time.Millisecond

// Progress returns a line that is not drawn yet.
func (u *UI) Progress() *Progress { return &Progress{ui: u, now: time.Now} }

// Show draws p; the last step, Done equal to Total, erases the line.
func (p *Progress) Show(step exec.Progress) {
	if !p.ui.errTTY || !p.ui.redraw {
		return
	}
	if step.Total > 0 && step.Done >= step.Total {
		p.Erase()
		return
	}
	now := p.now()
	if p.text != "" && now.Sub(p.last) < redrawEvery {
		return
	}
	text := p.line(step)
	if text == p.text {
		return // a slow line would carry nothing else
	}
	p.last, p.text = now, text
	_, _ = io.WriteString(p.ui.err, "\r"+text+"\x1b[K")
}

// Erase leaves the line as it was before.
func (p *Progress) Erase() {
	if p.text != "" {
		p.text = ""
		_, _ = io.WriteString(p.ui.err, "\r\x1b[K")
	}
}

// line is: unpacking CPython 3.14.6 (once)  ━━━━━━━────  64 %
func (p *Progress) line(step exec.Progress) string {
	const cells = 20
	what := Clean(step.What)
	if step.Total <= 0 {
		return displaywidth.TruncateString(what, p.ui.width-1, "")
	}
	done := int(min(max(step.Done, 0), step.Total) * 100 / step.Total)
	percent := padLeft(strconv.Itoa(done), 3) + " %"
	room := p.ui.width - 1 - displaywidth.String(what)
	full, empty := "━", "─"
	if p.ui.theme.ellipsis != "…" {
		full, empty = "#", "-"
	}
	n := done * cells / 100
	bar := p.ui.theme.green(strings.Repeat(full, n)) + p.ui.theme.dim(strings.Repeat(empty, cells-n))
	switch {
	case room >= cells+4+len(percent):
		return what + "  " + bar + "  " + percent
	case room >= 2+len(percent):
		return what + "  " + percent
	}
	return displaywidth.TruncateString(what, p.ui.width-3-len(percent), "") + "  " + percent
}
