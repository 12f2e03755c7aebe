package main

import (
	"context"
	"errors"
	"time"

	"github.com/urfave/cli/v2"

	pyrun "github.com/pyrun-dev/pyrun"
	"github.com/pyrun-dev/pyrun/internal/config"
	"github.com/pyrun-dev/pyrun/internal/exec"
	"github.com/pyrun-dev/pyrun/internal/ui"
)

// run is `pyrun run`: words in, one request down, one result up, words out.
func (d *door) run(c *cli.Context) error {
	ctx, signals := watchSignals(c.Context)
	defer signals.stop()
	s, err := d.script(ctx, c)
	if ctx.Err() != nil {
		d.code = signals.code()
		return nil
	}
	if err != nil {
		return err
	}
	settings, err := d.settings(c)
	if err != nil {
		return err
	}
	r, err := d.request(c, s)
	if err != nil {
		return err
	}
	if most := settings.Runner.MaxTimeout; r.Limits.Wall > most && !c.Bool("quiet") {
		d.warn([]string{"--timeout " + c.String("timeout") + " is over runner.max_timeout: the run gets " + config.FormatDuration(most)})
	}
	if settings.Runner.SandboxBackend == "none" {
		d.ui.Fail(ui.Failure{
			Warning: true,
			What:    "no sandbox: this script can read, change and send whatever you can",
			Why:     "the sandbox is set to none (" + origin(settings, "runner.sandbox_backend") + ")",
		})
	}
	x, err := d.open(options(settings))
	if err != nil {
		return d.named(err, r)
	}
	defer x.Close()
	<-signals.armed
	return d.execute(ctx, signals, c, x, s, settings, r)
}

// execute runs r and tells what came of it.
func (d *door) execute(ctx context.Context, signals *signals, c *cli.Context, x executor, s script, settings *config.Config, r exec.Request) error {
	asJSON, quiet := c.Bool("json"), c.Bool("quiet")
	line := d.ui.Progress()
	if !quiet {
		r.Progress = line.Show
	}
	lines := func() int { return 0 }
	if !asJSON {
		stdout, stderr := d.ui.Live(c.Bool("raw"))
		r.Stdout, r.Stderr, lines = stdout, stderr, stdout.Lines
	}
	res, err := x.Execute(ctx, r)
	line.Erase()
	if ferr := d.ui.Finish(); err == nil && ferr != nil {
		err = &exec.WriteError{Stream: "stdout", Err: ferr}
	}
	switch {
	case res == nil && ctx.Err() != nil:
		d.code = signals.code()
		return nil
	case res == nil:
		return d.named(err, r)
	case asJSON:
		if werr := res.Encode(d.stdout, "  "); werr != nil && err == nil {
			err = &exec.WriteError{Stream: "stdout", Err: werr}
		}
	case !errors.As(err, new(*exec.WriteError)): // else its end was not the script's doing
		d.ui.Summary(ui.Outcome{
			Result: res, Script: s.shown, Folder: r.Folder, Lines: lines(),
			Memory: settings.Runner.Memory, Output: settings.Runner.MaxOutputTotal,
			Wall: settings.Runner.DefaultTimeout, CPU: settings.Runner.CPU,
		}, quiet)
	}
	d.code = exitCode(res, signals.code())
	return err
}

// options turns the settings into what an Executor wants. Nothing else does.
func options(s *config.Config) exec.Options {
	o := exec.Options{
		Sandbox:         s.Runner.SandboxBackend,
		Python:          s.Runner.RuntimePython,
		PythonVersion:   s.Runner.PythonVersion,
		PackagesFile:    s.Runner.PackagesFile,
		BuiltinPackages: pyrun.Packages,
		CacheDir:        s.Runner.CacheDir,

		DefaultTimeout:    s.Runner.DefaultTimeout,
		MaxTimeout:        s.Runner.MaxTimeout,
		MaxOutputBytes:    s.Runner.MaxOutputBytes,
		MaxOutputTotal:    s.Runner.MaxOutputTotal,
		MaxArtifactBytes:  s.Runner.MaxArtifactBytes,
		MaxArtifactsTotal: s.Runner.MaxArtifactsTotal,
		MaxArtifacts:      s.Runner.MaxArtifacts,
		MaxInputBytes:     s.Runner.MaxInputFileBytes,
		MaxInputsTotal:    s.Runner.MaxInputsTotal,
		MaxInputs:         s.Runner.MaxInputFiles,
		MaxCodeBytes:      s.Runner.MaxCodeBytes,
		MaxWorkers:        s.Service.MaxWorkers,
		MaxQueue:          s.Service.MaxQueue,
		NoFigures:         !s.Runner.Figures,
	}
	if o.MaxQueue == 0 { // said on purpose, while the Executor's zero is its default
		o.MaxQueue = -1
	}
	switch s.Runner.Network {
	case "none":
		o.Network = "none"
	default:
		o.Network = "loopback"
	}
	switch list := s.Runner.Preload; {
	case len(list) == 0:
		o.Preload = []string{"packages.txt"}
	case len(list) == 1 && list[0] == "none":
		o.Preload = []string{}
	default:
		o.Preload = list
	}
	o.Limits.CPU = s.Runner.CPU
	o.Limits.Memory = s.Runner.Memory
	o.Limits.Processes = s.Runner.Processes
	o.Limits.FileSize = s.Runner.FileSize
	o.Limits.Disk = s.Runner.Disk
	o.Limits.OpenFiles = s.Runner.OpenFiles
	return o
}

// origin is where a setting came from.
func origin(s *config.Config, key string) string {
	for _, k := range s.Settings() {
		if k.Key == key {
			return k.Source
		}
	}
	return "default"
}

// request is everything of it that does not depend on the terminal.
func (d *door) request(c *cli.Context, s script) (exec.Request, error) {
	r := exec.Request{
		Code: s.code, Name: s.name, Dir: s.dir, Args: s.args, Stdin: s.stdin,
		Value: c.Bool("value"), Terminal: true,
		Folder: d.abs(c.String("out")),
	}
	r.Keep = r.Folder == "" && !c.Bool("json")
	if d.line.given("out") && c.String("out") == "" {
		return r, usage("--out: the name of the folder is empty")
	}
	var err error
	if r.Inputs, err = d.inputs(c.StringSlice("in")); err != nil {
		return r, err
	}
	if r.Env, err = d.environment(c.StringSlice("env")); err != nil {
		return r, err
	}
	if r.Limits.Wall, err = d.wall(c); err != nil {
		return r, err
	}
	return r, nil
}

// wall is this run's own wish. It is not a setting: those are for every run,
// while a wish over the maximum is cut down to it, and told so.
func (d *door) wall(c *cli.Context) (time.Duration, error) {
	if !d.line.given("timeout") {
		return 0, nil
	}
	asked, err := config.ParseDuration(c.String("timeout"))
	switch {
	case err != nil:
		return 0, usage("--timeout: %v", err)
	case asked < time.Millisecond:
		return 0, usage("--timeout: %q is no time at all; write 10s, 2m or a number of seconds", c.String("timeout"))
	}
	return asked, nil
}

// brokenPipe tells that the reader of our output went away: nothing to report.
func brokenPipe(err error) bool {
	var w *exec.WriteError
	return errors.As(err, &w) && isPipe(err)
}
