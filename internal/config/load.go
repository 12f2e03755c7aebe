package config

// This file holds Load: the sources laid over each other, lightest first.

import (
	"runtime"
	"strings"

	"github.com/knadh/koanf/providers/rawbytes"
	"github.com/knadh/koanf/v2"
)

// Sources is all that Load looks at.
type Sources struct {
	File    string            // --config; empty looks in the usual places
	Flags   map[string]string // flags that were given, by name without dashes: "memory": "1G"
	Environ []string          // NAME=VALUE, as os.Environ gives it
	Dir     string            // the working folder; empty leaves relative paths relative

	// ReadFile reads a whole file; nil reads the real one. Its error is
	// fs.ErrNotExist where there is none.
	ReadFile func(path string) ([]byte, error)
}

// Load gives the effective settings. By weight: flag, PYRUN_*, section___key,
// RUNNER_*, file, default. The first mistake is returned as an *Error.
func Load(s Sources) (*Config, error) {
	vars := &environment{vars: s.Environ, dir: s.Dir}
	layers := koanf.New(".")
	c := &Config{sources: make([]string, len(table))}

	file, data, err := s.open(vars)
	if err != nil {
		return nil, err
	}
	if file != nil {
		c.file = file.shown
		d := &document{candidate: *file}
		if err := layers.Load(rawbytes.Provider(data), d); err != nil {
			return nil, err
		}
		c.notes = d.notes
	}
	if err := vars.load(layers); err != nil {
		return nil, err
	}
	if len(s.Flags) > 0 {
		flags, notes, err := flagLayer(s.Flags, s.Dir)
		if err != nil {
			return nil, err
		}
		c.notes = append(c.notes, notes...)
		if err := layers.Load(flags, nil); err != nil {
			return nil, err
		}
	}
	c.notes = append(c.notes, vars.notes...)
	c.warnings = vars.warn

	home := vars.get("HOME")
	if home == "" && runtime.GOOS == "windows" {
		home = vars.get("USERPROFILE")
	}
	for i := range table {
		k := &table[i]
		if k.Kind == Unused {
			continue
		}
		e := effective(layers, k)
		if err := k.set(c, e, home); err != nil {
			return nil, &Error{Source: e.Source, Key: k.Name, Msg: err.Error()}
		}
		c.sources[i] = e.Source
	}
	if err := c.cross(); err != nil {
		return nil, err
	}
	return c, nil
}

// effective is what counts for a key, the default where no layer says anything.
func effective(layers *koanf.Koanf, k *Key) entry {
	if e, ok := layers.Get(k.Name).(entry); ok {
		return e
	}
	if k.Like != "" {
		if e, ok := layers.Get(k.Like).(entry); ok {
			e.Source = "default, as " + k.Like
			return e
		}
		if k.Default == "" {
			return entry{Text: find(k.Like).Default, Source: "default"}
		}
	}
	return entry{Text: k.Default, Source: "default"}
}

// split gives the items of a list.
func split(text string) []string {
	var items []string
	for _, item := range strings.Split(text, ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return items
}
