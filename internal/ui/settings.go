package ui

import (
	"io"
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// Settings is what `pyrun config` shows.
type Settings struct {
	File            string // that was read; empty when there was none
	Rows            []SettingRow
	Notes, Warnings []string
}

// SettingRow is one setting. Stands is false when Value is not the value but
// says in words what its absence means.
type SettingRow struct {
	Key, Value, Source string
	Stands             bool
}

// maxValue is the widest value that the columns are made for.
const maxValue = 36

// Settings prints s to stdout. What was set by somebody stands out; what is
// default is dim. Where three columns do not fit, the source goes below.
func (u *UI) Settings(s Settings) error {
	t := newTheme(u.outColor, u.theme.ellipsis == "…")
	keyW, valueW, sourceW := 0, 0, 0
	for _, r := range s.Rows {
		keyW = max(keyW, displaywidth.String(r.Key))
		sourceW = max(sourceW, displaywidth.String(Clean(r.Source)))
		if w := displaywidth.String(Clean(r.Value)); w <= maxValue {
			valueW = max(valueW, w)
		}
	}
	width := u.width
	if !u.outTTY {
		width = maxWidth
	}
	var b strings.Builder
	section := ""
	for _, r := range s.Rows {
		if sec, _, _ := strings.Cut(r.Key, "."); sec != section {
			if section != "" {
				b.WriteString("\n")
			}
			section = sec
		}
		setting(&b, t, r, keyW, valueW, width, keyW+valueW+sourceW+4 <= width)
	}
	b.WriteString("\n")
	if s.File == "" {
		b.WriteString(t.dim("no configuration file was read") + "\n")
	} else {
		b.WriteString(t.dim("file: "+Clean(s.File)) + "\n")
	}
	for _, n := range s.Notes {
		b.WriteString(labelled("note: ", cleanLines(n), width))
	}
	for _, n := range s.Warnings {
		b.WriteString(strings.Replace(labelled(t.look+" ", cleanLines(n), width), t.look, t.yellow(t.look), 1))
	}
	_, err := io.WriteString(u.out, b.String())
	return err
}

func setting(b *strings.Builder, t theme, r SettingRow, keyW, valueW, width int, fits bool) {
	value, source := Clean(r.Value), Clean(r.Source)
	set := !strings.HasPrefix(source, "default")
	paint := func(s string) string { return s }
	if !r.Stands {
		paint = t.dim
	}
	from := t.dim(source)
	if set {
		from = t.green(source)
	}
	if !fits {
		b.WriteString(r.Key + "\n")
		for _, l := range wrap(value, width-2) {
			b.WriteString("  " + paint(l) + "\n")
		}
		if set {
			b.WriteString("  " + from + "\n")
		}
		return
	}
	lines := []string{value}
	if displaywidth.String(value) > valueW && width < maxWidth {
		lines = wrap(value, max(valueW, width-keyW-2))
	}
	gap := strings.Repeat(" ", keyW+2)
	b.WriteString(pad(r.Key, keyW) + "  " + paint(lines[0]))
	for _, l := range lines[1:] {
		b.WriteString("\n" + gap + paint(l))
	}
	if last := displaywidth.String(lines[len(lines)-1]); last <= valueW {
		b.WriteString(strings.Repeat(" ", valueW-last) + "  " + from + "\n")
		return
	}
	if width == maxWidth { // not a terminal: a setting is a line
		b.WriteString("  " + from + "\n")
		return
	}
	b.WriteString("\n" + gap + strings.Repeat(" ", valueW) + "  " + from + "\n")
}
