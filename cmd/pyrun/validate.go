package main

import (
	"github.com/urfave/cli/v2"

	"github.com/pyrun-dev/pyrun/internal/exec"
	"github.com/pyrun-dev/pyrun/internal/ui"
)

// manySources are worth a bar while they are parsed.
const manySources = 50

func (d *door) validateCommand() *cli.Command {
	return &cli.Command{
		Name:      "validate",
		Usage:     "find what would stop scripts here, without running them",
		ArgsUsage: "FILE",
		UsageText: "pyrun validate <file | folder | ->... [flags]",
		Description: `pyrun validate report.py
pyrun validate src/ tests/ --exclude 'tests/data/'
curl -s https://example.org/x.py | pyrun validate -
pyrun validate . --format github
pyrun validate . --format sarif > pyrun.sarif`,
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "format", Usage: "print findings as `" + validateFormats + "` (default text)"},
			&cli.StringSliceFlag{Name: "exclude", Usage: "leave out what matches `GLOB`, written as in .gitignore; may be repeated"},
		}, everywhere()...),
		Action: d.action(d.validate),
	}
}

// validate is `pyrun validate`: words in, sources down, one report up, words out.
func (d *door) validate(c *cli.Context) error {
	format, err := d.format(c, validateFormats)
	if err != nil {
		return err
	}
	settings, err := d.settings(c)
	if err != nil {
		return err
	}
	if settings.Runner.SandboxBackend == "none" {
		d.ui.Fail(ui.Failure{
			Warning: true,
			What:    "no sandbox: a source that breaks the parser can do whatever you can",
			Why:     "the sandbox is set to none (" + origin(settings, "runner.sandbox_backend") + ")",
		})
	}
	s := &sources{door: d, most: settings.Runner.MaxCodeBytes, modules: newModules()}
	if format == "github" || format == "sarif" {
		s.root = d.repository()
	}
	if err := s.collect(append(d.line.words, d.line.rest...), c.StringSlice("exclude")); err != nil {
		return err
	}
	x, err := d.open(options(settings))
	if err != nil {
		return d.named(err, exec.Request{})
	}
	defer x.Close()
	return d.report(c, x, s, format, c.Bool("quiet"))
}

// report has the sources validated and tells what was found.
func (d *door) report(c *cli.Context, x executor, s *sources, format string, quiet bool) error {
	ctx, signals := watchSignals(c.Context)
	defer signals.stop()
	line := d.ui.Progress()
	v := exec.Validation{Sources: s.all}
	if !quiet {
		v.Progress = line.Show
		if total := int64(len(s.list)); total >= manySources {
			done := int64(0)
			v.Done = func(string) {
				done++
				line.Show(exec.Progress{What: "validating", Done: done, Total: total})
			}
		}
	}
	r, err := x.Validate(ctx, v)
	line.Erase()
	switch {
	case ctx.Err() != nil:
		d.code = signals.code()
		return nil
	case err != nil:
		return d.named(err, exec.Request{})
	}
	if r.Problems > 0 {
		d.code = exitFound
	}
	switch format {
	case "json":
		err = r.Encode(d.stdout, "  ")
	case "github":
		err = d.ui.GitHub(r)
	case "sarif":
		err = d.ui.SARIF(r, versionName())
	default:
		if quiet {
			r = withoutNotes(r)
		}
		err = d.ui.Diagnostics(r)
	}
	if err == nil && !quiet && (format == "text" || format == "github") {
		d.ui.Validated(r)
	}
	return wrote(err)
}

func withoutNotes(r *exec.Report) *exec.Report {
	out := *r
	out.Diagnostics = nil
	for _, d := range r.Diagnostics {
		if d.Severity == exec.SeverityProblem {
			out.Diagnostics = append(out.Diagnostics, d)
		}
	}
	return &out
}
