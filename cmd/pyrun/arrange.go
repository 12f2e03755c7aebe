package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
	"github.com/urfave/cli/v2"
)

// line is a command line put in order. The library stops reading flags at the
// first word; people write `pyrun run x.py --in data.csv`.
type line struct {
	command string
	flags   []string // as given, values joined by =
	words   []string // what is neither command nor flag, before --
	rest    []string // what stands after --
	dashes  bool     // there was a --
	help    bool     // --help: the library would answer it in its own voice
}

// argv is what the library gets: no words, so that it can mistake none.
func (l line) argv(program string) []string {
	argv := []string{program}
	if l.command != "" {
		argv = append(argv, l.command)
	}
	return append(argv, l.flags...)
}

// given tells whether a flag stands on the line; asking the library looks
// through all flags with regular expressions, which costs a tenth of a start.
func (l line) given(name string) bool {
	for _, f := range l.flags {
		if f == "--"+name || strings.HasPrefix(f, "--"+name+"=") {
			return true
		}
	}
	return false
}

// usageMistake is a command line that cannot be meant: exit code 2.
type usageMistake struct{ msg, hint string }

func (e *usageMistake) Error() string { return e.msg }

func usage(format string, args ...any) error {
	return &usageMistake{msg: fmt.Sprintf(format, args...)}
}

func usageHint(hint, format string, args ...any) error {
	return &usageMistake{msg: fmt.Sprintf(format, args...), hint: hint}
}

// usageError takes what the library still finds wrong: a value that is none.
func usageError(_ *cli.Context, err error, _ bool) error { return usage("%s", err.Error()) }

// arrange is pure: everything before -- that begins with a dash is a flag,
// wherever it stands; what follows -- is the script's.
func arrange(app *cli.App, args []string) (line, error) {
	var l line
	var cmd *cli.Command
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--":
			l.dashes, l.rest = true, args[i+1:]
			return l, l.check(app, cmd)
		case a == "-" || a == "" || a[0] != '-':
			if cmd != nil {
				l.words = append(l.words, a)
				continue
			}
			if cmd = app.Command(a); cmd == nil {
				return l, unknownCommand(app, a)
			}
			l.command = a
		default:
			name, value, joined := strings.Cut(a, "=")
			f := findFlag(app, cmd, name)
			if f == nil {
				return l, unknownFlag(app, cmd, name)
			}
			name = "--" + f.Names()[0]
			if _, isBool := f.(*cli.BoolFlag); isBool {
				if joined {
					return l, usage("%s takes no value", name)
				}
				if l.help = l.help || name == "--help"; name != "--help" {
					l.flags = append(l.flags, name)
				}
				continue
			}
			if !joined {
				if i++; i == len(args) || f.Names()[0] != "c" && looksLikeFlag(app, cmd, args[i]) {
					return l, usage("%s needs a value: %s %s", strings.SplitN(a, "=", 2)[0], a, placeholder(f))
				}
				value = args[i]
			}
			l.flags = append(l.flags, name+"="+value)
		}
	}
	return l, l.check(app, cmd)
}

// check looks once more at flags that stood before the command was known.
func (l line) check(app *cli.App, cmd *cli.Command) error {
	for _, f := range l.flags {
		name, _, _ := strings.Cut(f, "=")
		if cmd == nil && !hasFlag(app.Flags, name) {
			return flagAlone(app, name)
		}
		if findFlag(app, cmd, name) == nil || cmd != nil && !hasFlag(cmd.Flags, name) {
			return unknownFlag(app, cmd, name)
		}
	}
	return nil
}

// flagAlone names the commands that a flag is for which stands without one.
func flagAlone(app *cli.App, name string) error {
	var has []string
	for _, c := range app.Commands {
		if hasFlag(c.Flags, name) {
			has = append(has, c.Name)
		}
	}
	return usageHint("put the command before it; pyrun --help lists them", "%s is a flag of pyrun %s, and there is no command", name, strings.Join(has, ", "))
}

// findFlag knows the flags of cmd; before a command is known, those of all.
func findFlag(app *cli.App, cmd *cli.Command, dashed string) cli.Flag {
	name := undash(dashed)
	if name == "" {
		return nil
	}
	for _, f := range knownFlags(app, cmd) {
		for _, n := range f.Names() {
			if n == name {
				return f
			}
		}
	}
	return nil
}

func knownFlags(app *cli.App, cmd *cli.Command) []cli.Flag {
	if cmd != nil {
		return cmd.Flags
	}
	flags := slices.Clone(app.Flags)
	for _, c := range app.Commands {
		flags = append(flags, c.Flags...)
	}
	return flags
}

func hasFlag(flags []cli.Flag, dashed string) bool {
	for _, f := range flags {
		for _, n := range f.Names() {
			if n == undash(dashed) {
				return true
			}
		}
	}
	return false
}

// undash takes off the dashes: one before a letter, two before a word.
func undash(dashed string) string {
	if name, ok := strings.CutPrefix(dashed, "--"); ok && len(name) > 1 {
		return name
	}
	if dashed == "--c" { // how flags are handed on
		return "c"
	}
	if name, ok := strings.CutPrefix(dashed, "-"); ok && len(name) == 1 {
		return name
	}
	return ""
}

func looksLikeFlag(app *cli.App, cmd *cli.Command, a string) bool {
	name, _, _ := strings.Cut(a, "=")
	return a == "--" || strings.HasPrefix(a, "-") && findFlag(app, cmd, name) != nil
}

// placeholder is the word between backticks in a flag's usage.
func placeholder(f cli.Flag) string {
	d, ok := f.(cli.DocGenerationFlag)
	if !ok {
		return ""
	}
	_, after, _ := strings.Cut(d.GetUsage(), "`")
	word, _, _ := strings.Cut(after, "`")
	return word
}

func unknownFlag(app *cli.App, cmd *cli.Command, name string) error {
	var names []string
	for _, f := range knownFlags(app, cmd) {
		for _, n := range f.Names() {
			if len(n) > 1 {
				names = append(names, "--"+n)
			} else {
				names = append(names, "-"+n)
			}
		}
	}
	where, remedy := "", "pyrun --help lists the commands and what they take"
	if cmd != nil {
		where, remedy = " of pyrun "+cmd.Name, "pyrun "+cmd.Name+" --help lists them"
	}
	if cmd != nil && cmd.Name == "run" {
		remedy = "words for the script stand after --"
	}
	if near := nearest("--"+strings.TrimLeft(name, "-"), names); near != "" {
		return usage("%s is not a flag%s; did you mean %s?", name, where, near)
	}
	return usageHint(remedy, "%s is not a flag%s", name, where)
}

func unknownCommand(app *cli.App, name string) error {
	var names []string
	for _, c := range app.Commands {
		names = append(names, c.Name)
	}
	if strings.HasSuffix(name, ".py") || strings.ContainsAny(name, "/\\") {
		return usageHint("pyrun run "+name, "%s is not a command; to run a file:", name)
	}
	if near := nearest(name, names); near != "" {
		return usage("%s is not a command; did you mean %s?", name, near)
	}
	return usage("%s is not a command; there are %s", name, strings.Join(names, ", "))
}

// nearest is the name that a slip of the fingers may have meant, or "".
func nearest(written string, names []string) string {
	if len(written) > 100 {
		return ""
	}
	best, found := 1+min(3, max(1, len(strings.TrimLeft(written, "-"))/3)), ""
	for _, n := range names {
		if d := levenshtein.Distance(written, n, nil); d < best {
			best, found = d, n
		}
	}
	return found
}
