package main

import (
	"strings"

	"github.com/pyrun-dev/pyrun/internal/ui"
)

// topic is a page of help that is not about one command.
type topic struct {
	name, usage string
	text        string       // paragraphs; lines that begin with two blanks stay as they are
	table       ui.HelpTable // may be empty
}

func topicNames(sep string) string {
	var names []string
	for _, t := range topics() {
		names = append(names, t.name)
	}
	return strings.Join(names, sep)
}

func (t topic) help() ui.Help {
	h := ui.Help{Title: t.name + ": " + t.usage, Text: t.text}
	if len(t.table.Rows) > 0 {
		h.Tables = []ui.HelpTable{t.table}
	}
	return h
}

func topics() []topic {
	return []topic{
		{
			name:  "sandbox",
			usage: "what a script can and cannot do",
			text: `A script sees its own code, what --in names, an interpreter, and nothing else of this machine. It can write to its own folders only, which are gone when it ends; what it leaves in ARTIFACTS_DIR comes out. It has no network but its own loopback, no other process in sight, no more time, memory, processes and disk than it was given.

Every wall is tried, not assumed. When one cannot be built, nothing is run, and the message names the wall and what mends it. Nothing weaker is ever chosen for you.`,
			table: ui.HelpTable{
				Title: "--sandbox",
				Rows: [][2]string{
					{"auto", "native, or a refusal (default)"},
					{"native", "Linux: namespaces, an own root, Landlock, seccomp, no capabilities, limits"},
					{"restricted", "without namespaces: not offered in this version"},
					{"none", "no wall at all: the script can do whatever you can; only by this name, and always with a warning"},
				},
			},
		},
		{
			name:  "exit-codes",
			usage: "what the exit code says",
			text:  `A script that fails is not an error of pyrun: its own code comes through. Codes 2 and 125 come with a line on stderr that begins with pyrun:`,
			table: exitTable(),
		},
		{
			name:  "environment",
			usage: "variables and folders inside a run",
			text:  `The environment is built from nothing; --env NAME[=VALUE] adds to it. Standard input is pyrun's own. Each --in stands in INPUTS_DIR and, by its name, in the working folder, so open("data.csv") and import helper both work.`,
			table: ui.HelpTable{
				Title: "Inside",
				Rows: [][2]string{
					{"INPUTS_DIR", "/job/inputs: what --in gave, read-only"},
					{"ARTIFACTS_DIR", "/job/artifacts: files left here come out"},
					{"HOME", "/job: the working folder; private, and gone afterwards"},
					{"TMPDIR", "/tmp: likewise"},
					{"USER", "sandbox"},
					{"LANG, TZ", "C.UTF-8, UTC"},
					{"PYTHONUTF8", "1"},
					{"COLUMNS", "200"},
				},
			},
		},
		{
			name:  "mcp",
			usage: "the same sandbox for MCP clients",
			text: `pyrun serve is a server of the Model Context Protocol. A client starts it by itself and speaks to it over its standard input and output; with --transport http it serves many, at http://127.0.0.1:8000/mcp. pyrun serve --print-config CLIENT prints what goes into a client's settings.

Each call is a run of its own, behind the same walls as pyrun run. A client that goes away, or cancels, ends its runs. On another address than loopback a token file is needed, or --insecure-no-auth.`,
			table: ui.HelpTable{
				Title: "Tools",
				Rows: [][2]string{
					{"execute_python", "run code, with files in and artifacts out; the answer is the JSON of pyrun run --json"},
					{"validate_code", "what would stop code from running here: syntax, imports, inline dependencies"},
					{"check_environment", "interpreter, walls, limits, packages"},
					{"run_python", "run code with the standard library alone, answered as text; offered when --tools names it"},
				},
			},
		},
		{
			name:  "settings",
			usage: "where settings come from",
			text: `Each setting has one value. By weight: a flag, PYRUN_NAME, section___name, RUNNER_NAME, the file, the default. pyrun config prints each value and where it came from.

The file is YAML. It is looked for as --config, PYRUN_CONFIG, ./pyrun.yaml, pyrun/config.yaml in your configuration folder, /etc/pyrun/config.yaml; the first that exists is read. ./pyrun.yaml may be anybody's: it cannot choose the interpreter or weaken the sandbox.

  runner:
    default_timeout: 1m
    memory: 1G`,
		},
	}
}
