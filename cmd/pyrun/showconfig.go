package main

import (
	"github.com/urfave/cli/v2"

	"github.com/pyrun-dev/pyrun/internal/exec"
	"github.com/pyrun-dev/pyrun/internal/ui"
)

// shownSetting is one setting in `pyrun config --json`.
type shownSetting struct {
	Key     string `json:"key"`
	Value   string `json:"value"`
	Source  string `json:"source"`
	Default string `json:"default"`
	Doc     string `json:"doc"`
}

// shownConfig is all of `pyrun config --json`.
type shownConfig struct {
	File     string         `json:"file"` // empty: none was found
	Settings []shownSetting `json:"settings"`
	Notes    []string       `json:"notes"`
	Warnings []string       `json:"warnings"`
}

// showConfig is `pyrun config`.
func (d *door) showConfig(c *cli.Context) error {
	if words := append(d.line.words, d.line.rest...); len(words) > 0 {
		return usageHint("pyrun config", "config takes no words: %s", words[0])
	}
	settings, err := d.config(c)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		out := shownConfig{File: settings.File(), Notes: append([]string{}, settings.Notes()...), Warnings: append([]string{}, settings.Warnings()...)}
		for _, s := range settings.Settings() {
			out.Settings = append(out.Settings, shownSetting{s.Key, s.Value, s.Source, s.Default, s.Doc})
		}
		return wrote(exec.Encode(d.stdout, "settings", out, "  "))
	}
	t := ui.Settings{File: settings.File()}
	for _, s := range settings.Settings() {
		value, plain := s.Value, true
		if (value == "" || value == "0" || value == "0s") && s.Empty != "" {
			value, plain = s.Empty, false
		}
		t.Rows = append(t.Rows, ui.SettingRow{Key: s.Key, Value: value, Source: s.Source, Stands: plain})
	}
	if !c.Bool("quiet") {
		t.Notes, t.Warnings = settings.Notes(), settings.Warnings()
	}
	return wrote(d.ui.Settings(t))
}

// wrote makes a failure of stdout what it is.
func wrote(err error) error {
	if err == nil {
		return nil
	}
	return &exec.WriteError{Stream: "stdout", Err: err}
}
