package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/pyrun-dev/pyrun/internal/ui"
)

// help is `pyrun help [command | topic]`, and `pyrun` alone.
func (d *door) help(*cli.Context) error {
	name := ""
	switch words := append(d.line.words, d.line.rest...); len(words) {
	case 0:
	case 1:
		name = words[0]
	default:
		return usage("help takes one word: a command or a topic")
	}
	return d.helpFor(name)
}

// helpFor prints to stdout: help that was asked for is the product.
func (d *door) helpFor(name string) error {
	app := d.app()
	if name == "" || name == app.Name {
		d.ui.Help(d.appHelp(app))
		return nil
	}
	if cmd := app.Command(name); cmd != nil {
		d.ui.Help(commandHelp(cmd))
		return nil
	}
	for _, t := range topics() {
		if t.name == name {
			d.ui.Help(t.help())
			return nil
		}
	}
	names := strings.Split(topicNames("|"), "|")
	for _, c := range app.Commands {
		names = append(names, c.Name)
	}
	if near := nearest(name, names); near != "" {
		return usage("there is no help on %s; did you mean %s?", name, near)
	}
	return usageHint("pyrun help "+strings.Join(names, " | "), "there is no help on %s", name)
}

func (d *door) appHelp(app *cli.App) ui.Help {
	h := ui.Help{Title: app.Name + ": " + app.Usage, Usage: strings.Split(app.UsageText, "\n")}
	var commands ui.HelpTable
	commands.Title = "Commands"
	for _, c := range app.Commands {
		commands.Rows = append(commands.Rows, [2]string{c.Name, c.Usage})
	}
	var subjects ui.HelpTable
	subjects.Title = "Topics"
	for _, t := range topics() {
		subjects.Rows = append(subjects.Rows, [2]string{t.name, t.usage})
	}
	h.Tables = []ui.HelpTable{commands, subjects, exitTable()}
	h.Examples = strings.Split(app.Description, "\n")
	h.End = "More of each: pyrun help <command | topic>"
	return h
}

func exitTable() ui.HelpTable {
	t := ui.HelpTable{Title: "Exit codes"}
	for _, r := range exitRows() {
		t.Rows = append(t.Rows, [2]string{r.code, r.meaning})
	}
	return t
}

func commandHelp(cmd *cli.Command) ui.Help {
	h := ui.Help{Title: "pyrun " + cmd.Name + ": " + cmd.Usage, Usage: strings.Split(cmd.UsageText, "\n")}
	for _, f := range cmd.Flags {
		names, text, title := describe(f)
		if names == "" {
			continue
		}
		if n := len(h.Tables); n == 0 || h.Tables[n-1].Title != title {
			h.Tables = append(h.Tables, ui.HelpTable{Title: title})
		}
		t := &h.Tables[len(h.Tables)-1]
		t.Rows = append(t.Rows, [2]string{names, text})
	}
	text, examples, both := strings.Cut(cmd.Description, "\n\n")
	if !both {
		text, examples = "", cmd.Description
	}
	if h.Text = text; examples != "" {
		h.Examples = strings.Split(examples, "\n")
	}
	return h
}

// describe is a flag as help shows it: "-i, --in PATH[=NAME]" and its sentence.
func describe(f cli.Flag) (names, text, title string) {
	if v, ok := f.(cli.VisibleFlag); ok && !v.IsVisible() {
		return "", "", ""
	}
	title = "Flags"
	if c, ok := f.(cli.CategorizableFlag); ok && c.GetCategory() != "" {
		title = c.GetCategory()
	}
	all := f.Names()
	switch {
	case len(all) > 1:
		names = fmt.Sprintf("-%s, --%s", all[1], all[0])
	case len(all[0]) == 1:
		names = "-" + all[0]
	default:
		names = "    --" + all[0]
	}
	value := placeholder(f)
	if value != "" {
		names += " " + value
	}
	if d, ok := f.(cli.DocGenerationFlag); ok {
		text = strings.ReplaceAll(d.GetUsage(), "`"+value+"`", word(value))
	}
	return names, text, title
}

// word is a placeholder inside a sentence; a list of choices reads as one.
func word(value string) string {
	return strings.ReplaceAll(value, "|", ", ")
}
