package main

import (
	"fmt"
	"strings"
)

func fishCompletion(t tree) string {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	var names []string
	for _, c := range t.commands {
		names = append(names, c.name)
	}
	p("# fish completion for pyrun, %s", generated)
	p("")
	p("complete -c pyrun -f")
	p("set -l commands %s", strings.Join(names, " "))
	p("set -l none 'not __fish_seen_subcommand_from '\"$commands\"")
	p("complete -c pyrun -n $none -l version -d 'print the version'")
	p("complete -c pyrun -n $none -s h -l help -d 'print help'")
	for _, c := range t.commands {
		p("complete -c pyrun -n $none -a %s -d %s", c.name, fishQuote(c.usage))
	}
	for _, c := range t.commands {
		p("")
		seen := fmt.Sprintf("'__fish_seen_subcommand_from %s'", c.name)
		switch {
		case c.files():
			p("complete -c pyrun -n %s -F", seen)
		case len(c.takes) > 0:
			p("complete -c pyrun -n %s -a %s", seen, fishQuote(strings.Join(c.takes, " ")))
		}
		for _, f := range c.flags {
			p("complete -c pyrun -n %s %s", seen, fishFlag(f))
		}
	}
	return b.String()
}

func fishFlag(f treeFlag) string {
	var parts []string
	for _, n := range f.names {
		if name, ok := strings.CutPrefix(n, "--"); ok {
			parts = append(parts, "-l "+name)
		} else {
			parts = append(parts, "-s "+strings.TrimPrefix(n, "-"))
		}
	}
	switch {
	case len(f.choices) > 0:
		parts = append(parts, "-x -a "+fishQuote(strings.Join(f.choices, " ")))
	case f.kind() == valueFile:
		parts = append(parts, "-r -F")
	case f.kind() == valueDir:
		parts = append(parts, "-x -a '(__fish_complete_directories)'")
	case f.value != "":
		parts = append(parts, "-x")
	}
	return strings.Join(append(parts, "-d "+fishQuote(f.usage)), " ")
}

func fishQuote(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'"
}
