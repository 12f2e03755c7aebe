package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/urfave/cli/v2"
)

// version is set when a release is linked; else the build itself is asked.
var version = ""

// version is `pyrun version` and `pyrun --version`.
func (d *door) version(*cli.Context) error {
	_, err := fmt.Fprintf(d.ui.Out(), "pyrun %s (%s %s/%s)\n", versionName(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return wrote(err)
}

func versionName() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
}
