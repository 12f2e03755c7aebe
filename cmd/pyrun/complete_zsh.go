package main

import (
	"fmt"
	"strings"
)

func zshCompletion(t tree) string {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	p("#compdef pyrun")
	p("# zsh completion for pyrun, %s", generated)
	p("")
	p("_pyrun() {")
	p("    local context state state_descr line")
	p("    typeset -A opt_args")
	p("    local -a commands=(")
	for _, c := range t.commands {
		p("        %s", zshQuote(strings.ReplaceAll(c.name, ":", `\:`)+":"+c.usage))
	}
	p("    )")
	p("    _arguments -C '--version[print the version]' '(-h --help)'{-h,--help}'[print help]' '1:command:->command' '*::argument:->argument'")
	p("    case $state in")
	p("        command) _describe -t commands 'pyrun command' commands ;;")
	p("        argument)")
	p("            case $words[1] in")
	for _, c := range t.commands {
		p("                %s)", c.name)
		p("                    _arguments -S \\")
		for _, f := range c.flags {
			p("                        %s \\", zshFlag(f))
		}
		switch {
		case c.files():
			p("                        '1:script:_files' '*:argument:_files'")
		case len(c.takes) > 0:
			p("                        %s", zshQuote("1:word:("+strings.Join(c.takes, " ")+")"))
		default:
			p("                        ':: :'")
		}
		p("                    ;;")
	}
	p("            esac")
	p("            ;;")
	p("    esac")
	p("}")
	p("")
	p(`if [ "$funcstack[1]" = "_pyrun" ]; then
    _pyrun "$@"
else
    compdef _pyrun pyrun
fi`)
	return b.String()
}

func zshFlag(f treeFlag) string {
	usage := "[" + strings.NewReplacer("[", `\[`, "]", `\]`, ":", `\:`).Replace(f.usage) + "]"
	value := ""
	if f.value != "" {
		value = ":" + strings.NewReplacer("[", `\[`, "]", `\]`, ":", `\:`).Replace(strings.ToLower(f.value)) + ":"
		switch {
		case len(f.choices) > 0:
			value = ":value:(" + strings.Join(f.choices, " ") + ")"
		case f.kind() == valueFile:
			value += "_files"
		case f.kind() == valueDir:
			value += "_files -/"
		}
	}
	long := "="
	if f.value == "" {
		long = ""
	}
	prefix := ""
	if f.repeats {
		prefix = "*"
	} else if len(f.names) > 1 {
		prefix = "(" + strings.Join(f.names, " ") + ")"
	}
	if len(f.names) == 1 {
		if len(f.names[0]) == 2 {
			long = ""
		}
		return zshQuote(prefix + f.names[0] + long + usage + value)
	}
	return fmt.Sprintf("%s{%s,%s}%s", zshQuote(prefix), f.names[1], f.names[0]+long, zshQuote(usage+value))
}

func zshQuote(s string) string {
	if s == "" {
		return ""
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
