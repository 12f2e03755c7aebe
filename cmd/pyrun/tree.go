package main

import (
	"strings"

	"github.com/urfave/cli/v2"
)

// tree is the command tree as the completion scripts need it.
type tree struct{ commands []treeCommand }

type treeCommand struct {
	name, usage string
	takes       []string // choices of its word, or the one word FILE
	flags       []treeFlag
}

// treeFlag is one flag with all its names, dashes included.
type treeFlag struct {
	names   []string
	usage   string
	value   string   // placeholder; empty takes none
	choices []string // of the value
	repeats bool
}

// What a value is, where it is none of a few choices.
const (
	valueFile = "FILE"
	valueDir  = "DIR"
	valuePath = "PATH" // or a file that is a program
)

func newTree(app *cli.App) tree {
	var t tree
	for _, c := range app.Commands {
		cmd := treeCommand{name: c.Name, usage: c.Usage}
		if c.ArgsUsage != "" {
			cmd.takes = strings.Split(c.ArgsUsage, "|")
		}
		for _, f := range c.Flags {
			names, usage, _ := describe(f)
			if names == "" {
				continue
			}
			tf := treeFlag{usage: usage, value: placeholder(f)}
			for _, n := range f.Names() {
				if len(n) == 1 {
					tf.names = append(tf.names, "-"+n)
				} else {
					tf.names = append(tf.names, "--"+n)
				}
			}
			_, tf.repeats = f.(*cli.StringSliceFlag)
			if strings.Contains(tf.value, "|") {
				tf.choices = strings.Split(tf.value, "|")
			}
			cmd.flags = append(cmd.flags, tf)
		}
		t.commands = append(t.commands, cmd)
	}
	return t
}

// kind is FILE, DIR or "" when the value is no path.
func (f treeFlag) kind() string {
	switch {
	case strings.HasPrefix(f.value, valuePath), f.value == valueFile:
		return valueFile
	case f.value == valueDir:
		return valueDir
	}
	return ""
}

// files tells whether the command's word is a file.
func (c treeCommand) files() bool { return len(c.takes) == 1 && c.takes[0] == valueFile }
