package config

// This file holds how a name somebody wrote is found in the table, and what is
// said when it is not there.

import (
	"strconv"
	"strings"

	"github.com/agext/levenshtein"
)

// oldRunnerSection and monitorSection are the sections of older files.
const (
	oldRunnerSection = "mcppythonrunner"
	monitorSection   = "monitorserver"
)

// section gives the name that the table uses; ok is false for a stranger.
// monitorSection is no stranger, but has no keys.
func section(written string) (name string, ok bool) {
	switch name = strings.ToLower(written); name {
	case oldRunnerSection:
		return runnerSection, true
	case runnerSection, serviceSection, serveSection, monitorSection:
		return name, true
	}
	return "", false
}

// label says whether a key decides nothing where it is written so: the first
// runner only showed its python_version, and its file named one that nobody had to have.
func label(written string, k *Key) bool {
	return strings.EqualFold(written, oldRunnerSection) && k.Name == "runner.python_version"
}

const labelNote = " is only a label there, as it always was; runner.python_version demands a version"

// find gives the key with the full name, or nil.
func find(name string) *Key {
	for i := range table {
		if table[i].Name == name {
			return &table[i]
		}
	}
	return nil
}

// findFlag gives the key that a flag sets: one of its aliases, its bare name
// or its full name, with dashes or underscores. "no-x" sets the Bool x to false.
func findFlag(flag string) (k *Key, negated bool) {
	if k := matchFlag(flag); k != nil {
		return k, false
	}
	if bare, ok := strings.CutPrefix(flag, "no-"); ok {
		if k := matchFlag(bare); k != nil && (k.Kind == Bool || k.Kind == Unused) {
			return k, true
		}
	}
	return nil, false
}

func matchFlag(flag string) *Key {
	name := strings.ReplaceAll(flag, "-", "_")
	for i := range table {
		k := &table[i]
		if k.Name == name || k.Bare() == name {
			return k
		}
		for _, a := range k.Aliases {
			if a == flag {
				return k
			}
		}
	}
	return nil
}

// findPyrun gives the key of a PYRUN_* variable, or nil. Short names belong to
// the runner section; PYRUN_<FLAG> works where a flag has a name of its own.
func findPyrun(variable string) *Key {
	name, ok := strings.CutPrefix(variable, "PYRUN_")
	if !ok || name != strings.ToUpper(name) {
		return nil
	}
	name = strings.ToLower(name)
	for i := range table {
		k := &table[i]
		if sec, bare := k.Section(), k.Bare(); (sec == runnerSection && name == bare) ||
			(strings.HasPrefix(name, sec) && name[len(sec):] == "_"+bare) {
			return k
		}
		for _, a := range k.Aliases {
			if name == strings.ReplaceAll(a, "-", "_") {
				return k
			}
		}
	}
	return nil
}

// unknownKey says that a section has no such key, and which one may be meant.
func unknownKey(sec, written string) string {
	msg := "unknown key " + strconv.Quote(written) + " in " + sec
	name := strings.ToLower(strings.ReplaceAll(written, "-", "_"))
	if k := find(sec + "." + name); k != nil {
		return msg + "; write " + k.Bare()
	}
	for i := range table {
		k := &table[i]
		if k.Bare() == name {
			return msg + "; it belongs to " + k.Section()
		}
		for _, a := range k.Aliases {
			if strings.ReplaceAll(a, "-", "_") == name {
				return msg + "; write " + k.Bare() + belongs(k, sec)
			}
		}
	}
	var names []string
	for i := range table {
		if table[i].Section() == sec && table[i].Kind != Unused {
			names = append(names, table[i].Bare())
		}
	}
	if near := nearest(name, names); near != "" {
		return msg + "; did you mean " + near + "?"
	}
	return msg + "; `pyrun config` lists the keys"
}

func belongs(k *Key, sec string) string {
	if k.Section() == sec {
		return ""
	}
	return " in " + k.Section()
}

// unknownSection says that there is no such section, and what may be meant: a
// key at the wrong place, or a section misspelled.
func unknownSection(written string) string {
	msg := "unknown section " + strconv.Quote(written)
	name := strings.ToLower(written)
	if k := matchFlag(strings.ReplaceAll(name, ".", "_")); k != nil {
		return msg + "; " + k.Bare() + " belongs below " + k.Section() + ":"
	}
	if sec, bare, dotted := strings.Cut(name, "."); dotted {
		if k := find(strings.Replace(sec, oldRunnerSection, runnerSection, 1) + "." + bare); k != nil {
			return msg + "; " + k.Bare() + " belongs below " + k.Section() + ":"
		}
	}
	if near := nearest(name, []string{runnerSection, serviceSection, serveSection, oldRunnerSection, monitorSection}); near != "" {
		return msg + "; did you mean " + near + "?"
	}
	return msg + "; the sections are service, runner and serve"
}

// nearest gives the name that written is most likely meant to be, or "" when
// none is near: one letter off in a short name, two from six letters on, three
// from twelve.
func nearest(written string, names []string) string {
	if len(written) > 100 {
		return "" // comparing is quadratic, and this is no slip of the finger
	}
	off := 1
	switch {
	case len(written) >= 12:
		off = 3
	case len(written) >= 6:
		off = 2
	}
	name := ""
	for _, n := range names {
		if d := levenshtein.Distance(written, n, nil); d <= off {
			off, name = d-1, n
		}
	}
	return name
}
