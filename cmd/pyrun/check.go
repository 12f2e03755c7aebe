package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

func (d *door) checkCommand() *cli.Command {
	return &cli.Command{
		Name:      "check",
		Usage:     "try what this machine gives: interpreter, walls, limits, packages",
		UsageText: "pyrun check [--imports] [flags]",
		Description: `pyrun check
pyrun check --imports
pyrun check --python .venv/bin/python --packages-file packages.txt
pyrun check --imports --format junit > check.xml`,
		Flags: append([]cli.Flag{
			&cli.BoolFlag{Name: "imports", Usage: "really import every wanted package, each in a sandbox of its own"},
			&cli.StringFlag{Name: "format", Usage: "print as `" + checkFormats + "` (default text)"},
		}, everywhere()...),
		Action: d.action(d.check),
	}
}

// check is `pyrun check`. What it finds is its product: stdout, and exit code 1.
func (d *door) check(c *cli.Context) error {
	if words := append(d.line.words, d.line.rest...); len(words) > 0 {
		return usageHint("pyrun check", "check takes no words: %s", words[0])
	}
	format, err := d.format(c, checkFormats)
	if err != nil {
		return err
	}
	settings, err := d.settings(c)
	if err != nil {
		return err
	}
	x, err := d.open(options(settings))
	if err != nil {
		return d.named(err, exec.Request{})
	}
	defer x.Close()
	env, err := d.lookAround(c, x)
	if env == nil {
		return err
	}
	if env.Problems > 0 {
		d.code = exitFound
	}
	switch format {
	case "json":
		err = exec.Encode(d.stdout, "report", env, "  ")
	case "github":
		err = d.ui.EnvironmentGitHub(env)
	case "junit":
		err = d.ui.EnvironmentJUnit(env)
	default:
		err = d.ui.Environment(env, versionName(), c.Bool("quiet"))
	}
	return wrote(err)
}

// lookAround asks the executor; without an Environment and an error a signal came.
func (d *door) lookAround(c *cli.Context, x executor) (*exec.Environment, error) {
	ctx, signals := watchSignals(c.Context)
	defer signals.stop()
	line := d.ui.Progress()
	i := exec.Inspection{Imports: c.Bool("imports")}
	if !c.Bool("quiet") {
		i.Progress = line.Show
		i.Imported = func(done, total int) {
			line.Show(exec.Progress{What: "importing packages", Done: int64(done), Total: int64(total)})
		}
	}
	env, err := x.Check(ctx, i)
	line.Erase()
	if env == nil && ctx.Err() != nil {
		d.code = signals.code()
		return nil, context.Cause(c.Context)
	}
	return env, err
}
