package ui

import (
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/clipperhouse/displaywidth"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

// Installed prints what an install made to stdout.
func (u *UI) Installed(r *exec.Installed) error {
	t := newTheme(u.outColor, u.theme.ellipsis == "…")
	facts := []string{plural(len(r.Packages), "package"), interpreterName(r.Version, r.Embedded), Duration(time.Duration(r.DurationMS) * time.Millisecond)}
	if r.Lock != "" {
		facts[0] += " as locked"
	}
	lines := []string{t.green(t.held) + " " + u.facts(t, facts)}
	switch {
	case r.List == "":
		lines = append(lines, "  from the built-in list: there is no packages.txt here")
	case filepath.Dir(r.List) == r.Environment:
		lines = append(lines, "  from the list of the one before: there is no packages.txt here")
	}
	if r.InUse {
		lines = append(lines, "  runs use it from now on: "+u.place(r.Environment))
	} else {
		lines = append(lines, "  runs take another interpreter; for this one: --python "+u.place(r.Python))
	}
	return u.print(lines)
}

// Locked prints what a lock holds to stdout.
func (u *UI) Locked(r *exec.LockedPackages) error {
	t := newTheme(u.outColor, u.theme.ellipsis == "…")
	return u.print([]string{t.green(t.held) + " " + u.facts(t, []string{plural(len(r.Packages), "package"), u.place(r.Lock)})})
}

// Verified prints what a verification found to stdout.
func (u *UI) Verified(r *exec.Verification) error {
	t := newTheme(u.outColor, u.theme.ellipsis == "…")
	facts := []string{plural(r.Packages, "package"), plural(r.Files, "file")}
	if r.Unhashed > 0 {
		facts = append(facts, strconv.Itoa(r.Unhashed)+" without a hash")
	}
	facts = append(facts, u.place(r.Environment))
	if len(r.Damage) == 0 {
		return u.print([]string{t.green(t.held) + " as installed: " + u.facts(t, facts)})
	}
	var lines []string
	shown := r.Damage
	if u.outTTY && len(shown) > maxRows {
		shown = shown[:maxRows]
	}
	for _, d := range shown {
		line := Clean(d.Path) + ": " + Clean(d.Problem)
		if d.Package != "" {
			line = Clean(d.Package) + ": " + line
		}
		lines = append(lines, t.red(t.fail)+" "+line)
	}
	if n := len(r.Damage) - len(shown); n > 0 {
		lines = append(lines, t.dim("  and "+strconv.Itoa(n)+" more"))
	}
	lines = append(lines, "", plural(len(r.Damage), "problem")+" in "+u.facts(t, facts))
	return u.print(append(lines, "  made anew by: pyrun packages install"))
}

// PackageList prints what is wanted and installed to stdout: a package a line.
// On a terminal that is too narrow the last columns are left out.
func (u *UI) PackageList(r *exec.PackageList) error {
	t := newTheme(u.outColor, u.theme.ellipsis == "…")
	facts := []string{interpreterName(r.Version, r.Embedded)}
	for _, place := range []string{r.Environment, r.List} {
		if place != "" {
			facts = append(facts, u.place(place))
		}
	}
	if r.List == "" {
		facts = append(facts, "built-in list")
	}
	lines := []string{t.dim(u.facts(t, facts))}
	if len(r.Packages) > 0 {
		lines = append(lines, "")
	}
	var rows [][4]string
	var widths [3]int
	for _, p := range r.Packages {
		row := [4]string{Clean(p.Name), Clean(p.Version), Clean(p.Wanted), Clean(strings.Join(p.Imports, ", "))}
		if p.Version == "" {
			row[1] = "-"
		}
		for i := range widths {
			widths[i] = max(widths[i], displaywidth.String(row[i]))
		}
		rows = append(rows, row)
	}
	for i, row := range rows {
		line, used := "", 0
		for n, cell := range row {
			if u.outTTY && n > 0 && used+2+displaywidth.String(cell) > u.width {
				break
			}
			if n > 0 {
				line += "  "
			}
			line += cell
			if n < 3 {
				line += strings.Repeat(" ", widths[n]-displaywidth.String(cell))
				used += widths[n] + 2
			}
		}
		switch p := r.Packages[i]; {
		case p.Version == "":
			line = t.red(strings.TrimRight(line, " ") + "  not installed")
		case !p.Satisfied:
			line = t.red(strings.TrimRight(line, " ") + "  not the version wanted")
		case p.Wanted == "":
			line = t.dim(line)
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return u.print(lines)
}

// interpreterName is CPython 3.14.6, embedded.
func interpreterName(version string, embedded bool) string {
	if embedded {
		return "CPython " + version + ", embedded"
	}
	return "CPython " + version
}

// facts is one line of them; where it does not fit, the last ones are left out.
func (u *UI) facts(t theme, facts []string) string {
	line := strings.Join(facts, t.dot)
	for u.outTTY && len(facts) > 1 && displaywidth.String(line) > u.width-2 {
		facts = facts[:len(facts)-1]
		line = strings.Join(facts, t.dot)
	}
	return line
}

// place is a path: with ~ at a terminal, whole elsewhere.
func (u *UI) place(path string) string {
	if u.outTTY {
		return Clean(u.tilde(path))
	}
	return Clean(path)
}

func (u *UI) print(lines []string) error {
	_, err := io.WriteString(u.out, strings.Join(lines, "\n")+"\n")
	return err
}
