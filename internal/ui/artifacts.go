package ui

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

// maxRows is how much of a list stands on the screen.
const maxRows = 20

// artifacts is the table of what the script left: name, size, where it is.
// Columns are dropped before anything wraps, first the place, then the size; the
// folder then stands below, once. A path that is cut in two cannot be pasted.
// Off a terminal nothing is shortened: a program may read it.
func (u *UI) artifacts(o Outcome) string {
	r := o.Result
	var b strings.Builder
	if len(r.Artifacts) > 0 {
		if !u.errTTY {
			b.WriteString("pyrun: " + plural(len(r.Artifacts), "artifact") + "\n")
		} else if r.Verdict != exec.VerdictOK {
			b.WriteString(u.theme.dim("  "+plural(len(r.Artifacts), "artifact")) + "\n")
		}
		b.WriteString(u.rows(o))
	}
	b.WriteString(u.skipped(r.Skipped))
	return b.String()
}

type row struct{ name, size, place string }

func (u *UI) rows(o Outcome) string {
	all := o.Result.Artifacts
	shown := all
	if u.errTTY && len(all) > maxRows {
		shown = all[:maxRows]
	}
	rows := make([]row, len(shown))
	nameW, sizeW, placeW := 0, 0, 0
	for i, a := range shown {
		r := row{name: Clean(a.Path), size: Size(a.Size)}
		switch {
		case a.Error != "":
			r.place = Clean(a.Error)
		case a.File != "":
			r.place = Clean(u.path(a.File))
		}
		rows[i] = r
		nameW = max(nameW, displaywidth.String(r.name))
		sizeW = max(sizeW, displaywidth.String(r.size))
		if a.Error == "" {
			placeW = max(placeW, displaywidth.String(r.place))
		}
	}
	var b strings.Builder
	if !u.errTTY {
		for _, r := range rows {
			b.WriteString("  " + pad(r.name, nameW) + "  " + padLeft(r.size, sizeW) + "  " + r.place + "\n")
		}
		return b.String()
	}

	room := u.width - 2
	nameW = min(nameW, max(room-sizeW-2, room*2/3))
	withSize := nameW+2+sizeW <= room
	column := nameW + sizeW + 5
	withPlace := withSize && column+placeW <= room
	for i, r := range rows {
		line := u.shorten(r.name, nameW)
		if withSize {
			line = pad(line, nameW) + "  " + padLeft(r.size, sizeW)
		}
		b.WriteString("  " + line)
		switch {
		case shown[i].Error != "" && withSize && column+displaywidth.String(r.place) <= room:
			b.WriteString("   " + u.theme.yellow(r.place))
		case shown[i].Error != "":
			b.WriteString("\n    " + u.theme.yellow(strings.Join(wrap(r.place, room-2), "\n    ")))
		case withPlace:
			b.WriteString("   " + u.theme.dim(r.place))
		}
		b.WriteString("\n")
	}
	if n := len(all) - len(shown); n > 0 {
		b.WriteString(u.theme.dim("  and "+strconv.Itoa(n)+" more") + "\n")
	}
	if in := folder(o); in != "" && (!withPlace || len(all) > len(shown)) {
		b.WriteString(u.theme.dim("  in "+u.shorten(Clean(u.path(in)), room-3)) + "\n")
	}
	return b.String()
}

// folder is where the artifacts are.
func folder(o Outcome) string {
	for _, a := range o.Result.Artifacts {
		if dir, ok := strings.CutSuffix(a.File, filepath.FromSlash(a.Path)); ok && dir != "" {
			return filepath.Clean(dir)
		}
	}
	return o.Folder
}

// path is how a place on this machine is written: with ~ at a terminal, whole elsewhere.
func (u *UI) path(p string) string {
	if !u.errTTY {
		if abs, err := filepath.Abs(p); err == nil {
			return abs
		}
		return p
	}
	return u.tilde(p)
}

// skipped names what was left behind and why; nothing vanishes silently.
func (u *UI) skipped(list []exec.Skipped) string {
	if len(list) == 0 {
		return ""
	}
	shown := list
	if len(shown) > maxRows {
		shown = shown[:maxRows]
	}
	var b strings.Builder
	b.WriteString(u.note("not kept: " + plural(len(list), "file")))
	column := 0
	for _, s := range shown {
		column = max(column, displaywidth.String(Clean(s.Path)))
	}
	for _, s := range shown {
		b.WriteString(labelled("  "+pad(Clean(s.Path), min(column, 30))+"  ", Clean(s.Reason), u.wrapWidth()))
	}
	if n := len(list) - len(shown); n > 0 {
		b.WriteString("  and " + strconv.Itoa(n) + " more\n")
	}
	return b.String()
}
