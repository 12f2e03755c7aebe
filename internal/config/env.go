package config

// This file holds the three families of environment variables. Each becomes
// one koanf provider.

import (
	"fmt"
	"strings"

	"github.com/knadh/koanf/providers/env/v2"
	"github.com/knadh/koanf/v2"
)

// environment is the three families, read once.
type environment struct {
	vars  []string
	dir   string
	notes []string
	warn  []string
}

// load puts the families into k, lightest first.
func (v *environment) load(k *koanf.Koanf) error {
	for _, family := range []struct {
		prefix string
		read   func(l *layer, name, value string) (key string, e any)
	}{
		{"RUNNER_", v.runner},
		{"", v.underscores},
		{"PYRUN_", v.pyrun},
	} {
		var l layer
		seen := make(map[string]bool)
		err := k.Load(env.Provider(".", env.Opt{
			Prefix:      family.prefix,
			EnvironFunc: func() []string { return v.vars },
			TransformFunc: func(name, value string) (string, any) {
				// An empty variable is one that is not set: that is how people
				// pass on a variable they may not have. The first of two
				// counts, as for every Go program.
				if seen[name] {
					return "", nil
				}
				seen[name] = true
				if value == "" {
					return "", nil
				}
				return family.read(&l, name, value)
			},
		}), nil)
		if l.err != nil {
			return l.err
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (v *environment) runner(l *layer, name, value string) (string, any) {
	for i := range table {
		k := &table[i]
		if k.Runner != name {
			continue
		}
		value = strings.TrimSpace(value)
		if k.Unit != "" {
			if !digits(value) {
				l.fail(name, k.Name, fmt.Sprintf("%q is not a whole number of MiB", value))
				return "", nil
			}
			value += k.Unit
		}
		return l.put(k, entry{Text: value, Source: name, Dir: v.dir})
	}
	if strings.HasPrefix(name, "RUNNER_MAX_") {
		v.warn = append(v.warn, name+" is not a setting and does nothing"+meant(name, runnerNames()))
	}
	return "", nil
}

func runnerNames() []string {
	var names []string
	for i := range table {
		if table[i].Runner != "" {
			names = append(names, table[i].Runner)
		}
	}
	return names
}

func (v *environment) underscores(l *layer, name, value string) (string, any) {
	written, key, ok := strings.Cut(name, "___")
	if !ok {
		return "", nil
	}
	sec, ok := section(written)
	if !ok {
		return "", nil // another program's
	}
	if sec == monitorSection {
		v.notes = append(v.notes, name+" does nothing; metrics are set with service.metrics_host and service.metrics_port")
		return "", nil
	}
	k := find(sec + "." + strings.ToLower(key))
	if k == nil {
		l.fail(name, "", unknownKey(sec, key))
		return "", nil
	}
	if label(written, k) {
		v.notes = append(v.notes, name+labelNote)
		return "", nil
	}
	return v.put(l, k, name, value)
}

func (v *environment) pyrun(l *layer, name, value string) (string, any) {
	if name == "PYRUN_CONFIG" || strings.HasPrefix(name, "PYRUN_REQUIRE") || strings.HasPrefix(name, "PYRUN_TEST_") {
		return "", nil
	}
	if v.serviceLink(name, value) {
		return "", nil
	}
	k := findPyrun(name)
	if k == nil {
		if instead := meant(name, pyrunNames()); instead != "" {
			v.warn = append(v.warn, name+" is not a setting and does nothing"+instead)
		}
		return "", nil
	}
	return v.put(l, k, name, value)
}

func (v *environment) put(l *layer, k *Key, name, value string) (string, any) {
	if k.Kind == Unused {
		v.notes = append(v.notes, name+" does nothing")
		return "", nil
	}
	return l.put(k, entry{Text: value, Source: name, Dir: v.dir})
}

func pyrunNames() []string {
	var names []string
	for i := range table {
		if k := &table[i]; k.Kind != Unused {
			names = append(names, k.Env(), k.LongEnv())
		}
	}
	return names
}

// meant says which variable a stranger may stand for, or "".
func meant(name string, names []string) string {
	if bare, ok := strings.CutPrefix(name, "PYRUN_"); ok {
		if k := matchFlag(strings.ToLower(bare)); k != nil && k.Kind != Unused {
			return "; did you mean " + k.Env() + "?"
		}
	}
	if near := nearest(name, names); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// serviceLink tells the variables that Kubernetes makes of a Service called
// pyrun from settings: PYRUN_PORT=tcp://10.0.0.7:80 and its kin. Taken for
// settings, PYRUN_SERVICE_HOST and PYRUN_SERVICE_PORT would have pyrun listen
// on an address that is not the pod's.
func (v *environment) serviceLink(name, value string) bool {
	link := v.get("PYRUN_PORT")
	_, address, ok := strings.Cut(link, "://")
	if !ok {
		return false
	}
	colon := strings.LastIndexByte(address, ':')
	if colon < 0 {
		return false
	}
	host, port := strings.Trim(address[:colon], "[]"), address[colon+1:]
	switch {
	case name == "PYRUN_PORT", strings.HasPrefix(name, "PYRUN_PORT_"), strings.HasPrefix(name, "PYRUN_SERVICE_PORT_"):
		return true
	case name == "PYRUN_SERVICE_HOST" && value == host, name == "PYRUN_SERVICE_PORT" && value == port:
		v.notes = append(v.notes, name+" comes from a Kubernetes Service called pyrun and is not taken for a setting; "+
			"use service___"+strings.ToLower(name[len("PYRUN_SERVICE_"):])+" or a flag")
		return true
	}
	return false
}

// get is the variable's value; the first of two counts.
func (v *environment) get(name string) string {
	for _, pair := range v.vars {
		if n, value, ok := strings.Cut(pair, "="); ok && n == name {
			return value
		}
	}
	return ""
}
