package main

import (
	"slices"

	"github.com/urfave/cli/v2"
)

// runFlags are those of `pyrun run` alone: its own, then the limits.
func runFlags() []cli.Flag {
	return append([]cli.Flag{
		&cli.StringFlag{Name: "c", Usage: "run `CODE` instead of a file"},
		&cli.StringSliceFlag{Name: "in", Aliases: []string{"i"}, Usage: "let the script read `PATH[=NAME]`, a file or folder; may be repeated"},
		&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "write artifacts to `DIR` instead of the cache"},
		&cli.StringSliceFlag{Name: "env", Usage: "set `NAME[=VALUE]` inside; without a value take pyrun's own; may be repeated"},
		&cli.BoolFlag{Name: "value", Usage: "report the value of the last expression"},
		&cli.BoolFlag{Name: "no-figures", Usage: "do not save matplotlib figures"},
		&cli.BoolFlag{Name: "raw", Usage: "let the script control the terminal"},
		timeoutFlag(),
	}, limitFlags()...)
}

// limitFlags set one run's limits. Their values are settings, read by config.
func limitFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "memory", Category: "Limits", Usage: "at most `SIZE` of memory: 512M, 2G (default 512M)"},
		&cli.StringFlag{Name: "cpu-time", Category: "Limits", Usage: "at most `TIME` of processor time"},
		&cli.StringFlag{Name: "processes", Category: "Limits", Usage: "at most `N` processes and threads (default 64)"},
		&cli.StringFlag{Name: "file-size", Category: "Limits", Usage: "no file larger than `SIZE` (default 64M)"},
		&cli.StringFlag{Name: "disk", Category: "Limits", Usage: "at most `SIZE` of files in all (default 256M)"},
		&cli.StringFlag{Name: "max-output", Category: "Limits", Usage: "keep `SIZE` of each stream in the result (default 1M)"},
	}
}

// everywhere are the flags of every command that reads settings.
func everywhere() []cli.Flag {
	return append(append([]cli.Flag{
		&cli.BoolFlag{Name: "json", Category: "Everywhere", Usage: "print one JSON object and nothing else"},
		&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Category: "Everywhere", Usage: "say nothing but errors"},
		&cli.StringFlag{Name: "config", Category: "Everywhere", Usage: "read settings from `FILE`"},
	}, choiceFlags()...), speech()...)
}

// choiceFlags choose interpreter and walls; settings too.
func choiceFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "python", Category: "Everywhere", Usage: "run with the interpreter at `PATH`"},
		&cli.StringFlag{Name: "packages-file", Category: "Everywhere", Usage: "read the allowed packages from `FILE`"},
		&cli.StringFlag{Name: "sandbox", Category: "Everywhere", Usage: "which walls: `auto|native|restricted|none` (see pyrun help sandbox)"},
		&cli.StringFlag{Name: "network", Category: "Everywhere", Usage: "what of a network: `loopback|none`"},
	}
}

// speech are the flags that really every command has.
func speech() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "color", Category: "Everywhere", Usage: "colour: `auto|always|never`"},
		&cli.BoolFlag{Name: "help", Aliases: []string{"h"}, Category: "Everywhere", Usage: "print help"},
	}
}

// settingFlags are those whose value config reads under the flag's name.
func settingFlags() []cli.Flag {
	return slices.Concat(limitFlags(), choiceFlags(), serveSettingFlags(), olderFlags())
}

// timeoutFlag is a wish of one run, not a setting.
func timeoutFlag() cli.Flag {
	return &cli.StringFlag{Name: "timeout", Category: "Limits", Usage: "stop after `TIME`: 10s, 2m (default 30s)"}
}
