package config

// This file holds what a layer is, and the layer of the flags.

import (
	"fmt"
	"sort"

	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/v2"
)

// entry is what one source says of one key. Its fields are exported because
// koanf copies values, and sees only those.
type entry struct {
	Text   string
	Source string
	Dir    string // what relative paths count from
}

// layer collects one source's entries and its first mistake.
type layer struct {
	entries map[string]any // entry by key
	err     error
}

func (l *layer) fail(source, key, msg string) {
	if l.err == nil {
		l.err = &Error{Source: source, Key: key, Msg: msg}
	}
}

// put adds an entry and hands it back as koanf wants it. Two names of one key
// must agree: which of them counts would be a guess.
func (l *layer) put(k *Key, e entry) (string, any) {
	if l.entries == nil {
		l.entries = make(map[string]any)
	}
	if old, ok := l.entries[k.Name].(entry); ok && old.Text != e.Text {
		l.fail(e.Source, k.Name, fmt.Sprintf("%q, but %s says %q; set one of them", e.Text, old.Source, old.Text))
		return "", nil
	}
	l.entries[k.Name] = e
	return k.Name, e
}

// flagLayer reads flags, in the order of their names.
func flagLayer(flags map[string]string, dir string) (p koanf.Provider, notes []string, err error) {
	names := make([]string, 0, len(flags))
	for name := range flags {
		names = append(names, name)
	}
	sort.Strings(names)
	l := layer{entries: make(map[string]any)}
	for _, name := range names {
		text, source := flags[name], "flag --"+name
		k, negated := findFlag(name)
		if k == nil {
			l.fail(source, "", "is not the flag of a setting")
			continue
		}
		if k.Kind == Unused {
			notes = append(notes, "--"+name+" does nothing")
			continue
		}
		if negated {
			b, err := ParseBool(text)
			if err != nil {
				l.fail(source, k.Name, err.Error())
				continue
			}
			text = fmt.Sprint(!b)
		}
		l.put(k, entry{Text: text, Source: source, Dir: dir})
	}
	return confmap.Provider(l.entries, "."), notes, l.err
}
