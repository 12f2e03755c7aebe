package main

import (
	"context"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

// packagesWork is one word after `pyrun packages`.
type packagesWork struct {
	name  string
	flags []string // of the command's own flags, those it takes
	do    func(d *door, ctx context.Context, c *cli.Context, p *exec.Packages, r exec.PackagesRequest) error
}

func packagesWorks() []packagesWork {
	index := []string{"index-url", "find-links", "no-index"}
	return []packagesWork{
		{"install", append([]string{"target", "no-lock"}, index...), (*door).installPackages},
		{"lock", append([]string{"output"}, index...), (*door).lockPackages},
		{"list", []string{"target"}, (*door).listPackages},
		{"verify", []string{"target"}, (*door).verifyPackages},
	}
}

func packagesCommand(d *door) *cli.Command {
	return &cli.Command{
		Name:      "packages",
		Usage:     "make, lock, show and verify the environment of packages.txt",
		ArgsUsage: "install|lock|list|verify",
		UsageText: "pyrun packages install [--target DIR] [flags]\n" +
			"pyrun packages lock [--output FILE] [flags]\n" +
			"pyrun packages list [flags]\n" +
			"pyrun packages verify [flags]",
		Description: `install makes an environment from ./packages.txt, and runs use it from then on; a packages.lock.txt beside it is followed to the letter. install and lock reach for the network, as nothing else of pyrun does, and work outside the sandbox. They take wheels only, so that no code of a package runs here; it runs later, in the sandbox. verify ends with 1 when a file is not as it was installed.

pyrun packages install
pyrun packages install --no-index --find-links wheels/
pyrun packages install --python /usr/bin/python3 --target /srv/env
pyrun packages lock
pyrun packages list --json
pyrun packages verify`,
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "target", Usage: "the environment is `DIR` instead of the one that runs use"},
			&cli.StringFlag{Name: "index-url", Usage: "install, lock: look for packages at `URL`"},
			&cli.StringSliceFlag{Name: "find-links", Usage: "install, lock: look for wheels in `DIR` too; may be repeated"},
			&cli.BoolFlag{Name: "no-index", Usage: "install, lock: look nowhere but in --find-links"},
			&cli.BoolFlag{Name: "no-lock", Usage: "install: as if there were no packages.lock.txt"},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "lock: write `FILE` instead of packages.lock.txt beside packages.txt"},
		}, everywhere()...),
		Action: d.action(d.packages),
	}
}

// packages is `pyrun packages WORK`.
func (d *door) packages(c *cli.Context) error {
	words := append(d.line.words, d.line.rest...)
	works := packagesWorks()
	var names []string
	for _, w := range works {
		names = append(names, w.name)
	}
	all := "pyrun packages " + strings.Join(names, " | ")
	if len(words) == 0 {
		return usageHint(all, "packages needs one more word")
	}
	at := slices.Index(names, words[0])
	if at < 0 {
		if near := nearest(words[0], names); near != "" {
			return usage("packages %s: there is no such thing; did you mean %s?", words[0], near)
		}
		return usageHint(all, "packages %s: there is no such thing", words[0])
	}
	if len(words) > 1 {
		return usageHint("add it to packages.txt", "packages %s takes no further words: %s", words[0], words[1])
	}
	for _, f := range packagesCommand(d).Flags[:6] {
		if name := f.Names()[0]; d.line.given(name) && !slices.Contains(works[at].flags, name) {
			return usage("packages %s takes no --%s", words[0], name)
		}
	}
	settings, err := d.settings(c)
	if err != nil {
		return err
	}
	ctx, signals := watchSignals(c.Context)
	defer signals.stop()
	r := exec.PackagesRequest{
		Dir: d.dir, Target: c.String("target"), Output: c.String("output"),
		IndexURL: c.String("index-url"), FindLinks: c.StringSlice("find-links"), NoIndex: c.Bool("no-index"), NoLock: c.Bool("no-lock"),
		Once: d.line.given("python"),
	}
	line := d.ui.Progress()
	if !c.Bool("quiet") {
		r.Progress = line.Show
	}
	d.settled = line.Erase
	err = works[at].do(d, ctx, c, exec.NewPackages(options(settings)), r)
	line.Erase()
	if err != nil && ctx.Err() != nil {
		d.code = signals.code()
		return nil
	}
	return err
}

func (d *door) installPackages(ctx context.Context, c *cli.Context, p *exec.Packages, r exec.PackagesRequest) error {
	done, err := p.Install(ctx, r)
	if err != nil {
		return err
	}
	return d.product(c, done, func() error { return d.ui.Installed(done) })
}

func (d *door) lockPackages(ctx context.Context, c *cli.Context, p *exec.Packages, r exec.PackagesRequest) error {
	done, err := p.Lock(ctx, r)
	if err != nil {
		return err
	}
	return d.product(c, done, func() error { return d.ui.Locked(done) })
}

func (d *door) listPackages(ctx context.Context, c *cli.Context, p *exec.Packages, r exec.PackagesRequest) error {
	found, err := p.List(ctx, r)
	if err != nil {
		return err
	}
	return d.product(c, found, func() error { return d.ui.PackageList(found) })
}

func (d *door) verifyPackages(ctx context.Context, c *cli.Context, p *exec.Packages, r exec.PackagesRequest) error {
	found, err := p.Verify(ctx, r)
	if err != nil {
		return err
	}
	if len(found.Damage) > 0 {
		d.code = exitFound
	}
	return d.product(c, found, func() error { return d.ui.Verified(found) })
}

// product prints what a command made: as JSON, or in words unless it is to be quiet.
func (d *door) product(c *cli.Context, v any, words func() error) error {
	d.settled()
	switch {
	case c.Bool("json"):
		return wrote(exec.Encode(d.stdout, "answer", v, "  "))
	case c.Bool("quiet") && d.code == 0:
		return nil
	}
	return wrote(words())
}
