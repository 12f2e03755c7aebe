package main

import (
	"github.com/urfave/cli/v2"
)

// app is the whole command tree, as data. In a flag's usage the words between
// backticks stand for its value: a|b are the choices, FILE, PATH and DIR are
// completed by the shell. Help and completions read them from here.
func (d *door) app() *cli.App {
	app := &cli.App{
		Name:  "pyrun",
		Usage: "run Python that nobody has read, in a sandbox",
		UsageText: "pyrun run <file | - | -c code> [flags] [-- args...]\n" +
			"pyrun validate <file | folder | ->... [flags]\n" +
			"pyrun <command> [flags]",
		Description: `pyrun run hello.py
pyrun run plot.py --in sales.csv --out plots
echo 'print(6 * 7)' | pyrun run -
pyrun run -c 'import sys; print(sys.argv)' -- a b`,
		Commands: []*cli.Command{
			{
				Name:      "run",
				Usage:     "run a script in the sandbox",
				ArgsUsage: "FILE",
				UsageText: "pyrun run <file | - | -c code> [flags] [-- args...]",
				Description: `pyrun run hello.py
pyrun run clean.py --in data.csv --in photos/ --out results
pyrun run report.py --in 2026-11.csv=month.csv --timeout 2m --memory 2G
pyrun run app.py --env LANGUAGE=de --env TOKEN -- --verbose input.txt
curl -s https://example.org/x.py | pyrun run - --json`,
				Flags:  append(runFlags(), everywhere()...),
				Action: d.action(d.run),
			},
			d.validateCommand(),
			d.checkCommand(),
			packagesCommand(d),
			d.serveCommand(),
			{
				Name:      "config",
				Usage:     "show every setting, its value and where it came from",
				UsageText: "pyrun config [flags]",
				Description: `pyrun config
PYRUN_MEMORY=1G pyrun config --json`,
				Flags:  everywhere(),
				Action: d.action(d.showConfig),
			},
			{
				Name:      "bench",
				Usage:     "measure what a run costs here, beside bare python",
				UsageText: "pyrun bench [flags]",
				Description: `pyrun bench
pyrun bench --runs 100 --python /usr/bin/python3 --json`,
				Flags:  append(benchFlags(), everywhere()...),
				Action: d.action(d.bench),
			},
			{
				Name:      "completion",
				Usage:     "print a completion script for a shell",
				ArgsUsage: "bash|zsh|fish|powershell",
				UsageText: "pyrun completion <bash | zsh | fish | powershell>",
				Description: `source <(pyrun completion bash)
pyrun completion zsh > "${fpath[1]}/_pyrun"
pyrun completion fish > ~/.config/fish/completions/pyrun.fish
pyrun completion powershell | Out-String | Invoke-Expression`,
				Flags: append([]cli.Flag{
					&cli.StringFlag{Name: "write", Usage: "write all four into `DIR`", Hidden: true},
				}, speech()...),
				Action: d.action(d.completion),
			},
			{
				Name:      "version",
				Usage:     "print the version",
				UsageText: "pyrun version",
				Flags:     speech(),
				Action:    d.action(d.version),
			},
			{
				Name:      "help",
				Usage:     "explain a command or topic",
				ArgsUsage: "run|validate|check|packages|serve|config|bench|completion|version|" + topicNames("|"),
				UsageText: "pyrun help [command | topic]",
				Description: `pyrun help run
pyrun help exit-codes`,
				Flags:  speech(),
				Action: d.action(d.help),
			},
		},
		Flags: append([]cli.Flag{
			&cli.BoolFlag{Name: "version", Usage: "print the version"},
		}, speech()...),
		Action: d.action(d.help),

		// Help and errors are ours: one voice, and no exit from inside a library.
		HideHelp:                  true,
		HideHelpCommand:           true,
		HideVersion:               true,
		DisableSliceFlagSeparator: true,
		Writer:                    d.stdout,
		ErrWriter:                 d.stderr,
		ExitErrHandler:            func(*cli.Context, error) {},
		OnUsageError:              usageError,
	}
	for _, c := range app.Commands {
		c.HideHelp, c.HideHelpCommand, c.OnUsageError = true, true, usageError
	}
	return app
}

// action settles how to speak, then does what a command does; --help first of all.
func (d *door) action(do func(*cli.Context) error) cli.ActionFunc {
	return func(c *cli.Context) error {
		if err := d.settle(c); err != nil {
			return err
		}
		switch {
		case d.line.help:
			return d.helpFor(c.Command.Name)
		case c.Bool("version"):
			return d.version(c)
		}
		return do(c)
	}
}
