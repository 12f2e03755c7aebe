package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// What --format takes, as its help and completions say it.
const (
	validateFormats = "text|json|github|sarif"
	checkFormats    = "text|json|github|junit"
)

// format is the form of a report; --json is short for one of them.
func (d *door) format(c *cli.Context, forms string) (string, error) {
	given := c.String("format")
	all := strings.Split(forms, "|")
	switch {
	case !d.line.given("format"):
		given = "text"
		if c.Bool("json") {
			given = "json"
		}
	case !slices.Contains(all, given):
		return "", usage("--format %s: is none of %s", given, strings.Join(all, ", "))
	case c.Bool("json") && given != "json":
		return "", usage("--json and --format %s do not go together", given)
	}
	return given, nil
}
