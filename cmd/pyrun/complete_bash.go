package main

import (
	"fmt"
	"strings"
)

// generated is the first line of every completion script.
const generated = "made by `pyrun completion`; do not edit"

func bashCompletion(t tree) string {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	p("# bash completion for pyrun, %s", generated)
	p("")
	p(`_pyrun() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev= command= i word
    COMPREPLY=()
    ((COMP_CWORD > 0)) && prev=${COMP_WORDS[COMP_CWORD-1]}
    # bash splits --flag=value in three
    if [[ $cur == = ]]; then
        cur=
    elif [[ $prev == = ]] && ((COMP_CWORD > 1)); then
        prev=${COMP_WORDS[COMP_CWORD-2]}
    fi

    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ $word == -- ]]; then
            compopt -o default 2>/dev/null
            return
        fi
        [[ -n $command || $word == -* ]] && continue
        case $word in`)
	var names []string
	for _, c := range t.commands {
		names = append(names, c.name)
	}
	p("            %s) command=$word ;;", strings.Join(names, "|"))
	p("        esac")
	p("    done")
	p("")
	p("    case $command in")
	p("        '')")
	p("            COMPREPLY=($(compgen -W '%s --version --help' -- \"$cur\"))", strings.Join(names, " "))
	p("            ;;")
	for _, c := range t.commands {
		p("        %s)", c.name)
		bashCommand(p, c)
		p("            ;;")
	}
	p("    esac")
	p("}")
	p("")
	p("complete -F _pyrun pyrun")
	return b.String()
}

func bashCommand(p func(string, ...any), c treeCommand) {
	var all, others []string
	p("            case $prev in")
	for _, f := range c.flags {
		all = append(all, f.names...)
		offer := ""
		switch {
		case len(f.choices) > 0:
			offer = "COMPREPLY=($(compgen -W '" + strings.Join(f.choices, " ") + "' -- \"$cur\"))"
		case f.kind() == valueFile:
			offer = "compopt -o filenames 2>/dev/null\n" +
				"                    mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")"
		case f.kind() == valueDir:
			offer = "compopt -o filenames 2>/dev/null\n" +
				"                    mapfile -t COMPREPLY < <(compgen -d -- \"$cur\")"
		case f.value != "":
			others = append(others, f.names...)
			continue
		default:
			continue
		}
		p("                %s)\n                    %s\n                    return\n                    ;;", strings.Join(f.names, "|"), offer)
	}
	if len(others) > 0 {
		p("                %s) return ;;", strings.Join(others, "|"))
	}
	p("            esac")
	p("            if [[ $cur == -* ]]; then")
	p("                COMPREPLY=($(compgen -W '%s' -- \"$cur\"))", strings.Join(all, " "))
	switch {
	case c.files():
		p("            else")
		p("                compopt -o filenames 2>/dev/null")
		p("                mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")")
	case len(c.takes) > 0:
		p("            else")
		p("                COMPREPLY=($(compgen -W '%s' -- \"$cur\"))", strings.Join(c.takes, " "))
	}
	p("            fi")
}
