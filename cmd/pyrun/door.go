package main

import (
	"context"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/pyrun-dev/pyrun/internal/config"
	"github.com/pyrun-dev/pyrun/internal/exec"
	"github.com/pyrun-dev/pyrun/internal/ui"
)

// executor is what the door needs of exec; tests bring their own.
type executor interface {
	Execute(ctx context.Context, r exec.Request) (*exec.Result, error)
	Validate(ctx context.Context, v exec.Validation) (*exec.Report, error)
	Check(ctx context.Context, i exec.Inspection) (*exec.Environment, error)
	Close() error
}

// world is all of the outside that a command touches.
type world struct {
	stdin, stdout, stderr *os.File
	environ               []string
	dir                   string // the working folder; empty when there is none
	open                  func(exec.Options) (executor, error)
	ahead                 *exec.Ahead // nil, or what was begun before the words were read
}

func realWorld(args []string) world {
	var ahead *exec.Ahead
	if len(args) > 1 && (args[1] == "run" || args[1] == "validate") {
		ahead = exec.LookAhead() // while the rest of the words is read
	}
	dir, err := os.Getwd()
	if err != nil {
		dir = "" // a folder that was removed under us; absolute paths still work
	}
	return world{
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		environ: os.Environ(), dir: dir,
		open: func(o exec.Options) (executor, error) {
			o.Ahead = ahead
			return exec.New(o)
		},
		ahead: ahead,
	}
}

// close gives back what was begun for a run that never came.
func (w world) close() {
	if w.ahead != nil {
		_ = w.ahead.Close() // nobody asked for it, so nobody is told
	}
}

// getenv gives a variable of the world; the first of two counts, as for libc.
func (w world) getenv(name string) string {
	v, _ := w.lookupenv(name)
	return v
}

func (w world) lookupenv(name string) (string, bool) {
	for _, e := range w.environ {
		if v, ok := strings.CutPrefix(e, name+"="); ok {
			return v, true
		}
	}
	return "", false
}

// door is one invocation.
type door struct {
	world
	line line
	ui   *ui.UI
	code int

	settled func() // takes back a line of progress, before a product is printed
}

// main runs one command line and returns the process's exit code.
func (w world) main(ctx context.Context, args []string) int {
	d := &door{world: w, ui: ui.New(ui.Detect(w.stdout, w.stderr, w.getenv))}
	app := d.app()
	var err error
	if d.line, err = arrange(app, args[1:]); err == nil {
		err = lean(app, d.line.command).RunContext(ctx, d.line.argv(args[0]))
	}
	if err != nil {
		d.code = d.fail(err)
	}
	return d.code
}

// lean leaves of the tree what the library needs to run one command. It words
// each flag of each command for a help that is ours here, with regular
// expressions, which took half of the time between start and command.
func lean(app *cli.App, command string) *cli.App {
	flags := app.Flags
	if cmd := app.Command(command); cmd != nil {
		app.Commands, flags = []*cli.Command{cmd}, append(flags[:len(flags):len(flags)], cmd.Flags...)
	} else {
		app.Commands = nil
	}
	for _, f := range flags { // only what has a category is worded
		switch f := f.(type) {
		case *cli.StringFlag:
			f.Category = ""
		case *cli.StringSliceFlag:
			f.Category = ""
		case *cli.BoolFlag:
			f.Category = ""
		}
	}
	return app
}

// settle reads what every command understands: how to speak.
func (d *door) settle(c *cli.Context) error {
	switch v := c.String("color"); v {
	case "":
		return nil
	case "auto", "always", "never":
		o := ui.Detect(d.stdout, d.stderr, d.getenv)
		o.Color = ui.Color(v)
		d.ui = ui.New(o)
		return nil
	default:
		return usage("--color %s: is none of auto, always, never", v)
	}
}

// settings loads the settings, and warns of what is probably a mistake in them.
func (d *door) settings(c *cli.Context) (*config.Config, error) {
	s, err := d.config(c)
	if err == nil && !c.Bool("quiet") {
		d.warn(s.Warnings())
	}
	return s, err
}

func (d *door) warn(texts []string) {
	for _, w := range texts {
		d.ui.Fail(ui.Failure{What: w, Warning: true})
	}
}

// config loads the settings; flags that are settings go by their own name.
func (d *door) config(c *cli.Context) (*config.Config, error) {
	flags := make(map[string]string)
	for _, f := range settingFlags() {
		name := f.Names()[0]
		if !d.line.given(name) {
			continue
		}
		if _, isBool := f.(*cli.BoolFlag); isBool {
			flags[name] = "true"
		} else {
			flags[name] = c.String(name)
		}
	}
	if d.line.given("sessions") {
		flags["stateless-http"] = "false"
	}
	if c.Bool("no-figures") {
		flags["no-figures"] = "true"
	}
	return config.Load(config.Sources{File: c.String("config"), Flags: flags, Environ: d.environ, Dir: d.dir})
}
