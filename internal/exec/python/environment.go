// Environments: a folder of packages for one interpreter, made by Install and
// found by Choose.
//
// An environment of the embedded interpreter belongs to no cache folder: it is
// shown at a place of its own beside whatever copy of the interpreter this user
// has, so that one in an image serves every user. Others are virtual
// environments as python -m venv makes them.

package python

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

const (
	configFile = "pyvenv.cfg"
	// sandboxConfig is pyvenv.cfg as scripts see it.
	sandboxConfig = "sandbox.cfg"
	// PackagesFile and LockFile are kept in an environment: what it was made from.
	PackagesFile = "packages.txt"
	LockFile     = "packages.lock.txt"

	// embeddedInside is where a sandbox shows the embedded interpreter.
	embeddedInside = "/opt/python"
	// environmentInside is where a sandbox shows the environment of an embedded interpreter.
	environmentInside = "/opt/env"

	baseEmbedded  = "embedded"
	remedyInstall = "run: pyrun packages install"
	remedyAnew    = remedyInstall + ", with --python PATH for another interpreter than the embedded one"
)

// config is what pyvenv.cfg says.
type config struct {
	home, version string
	base          string // what Install made it from: baseEmbedded or a program; empty is not ours
}

// readConfig reads the pyvenv.cfg of the environment whose interpreter is path.
func readConfig(path string) (root string, c config, ok bool) {
	root = filepath.Dir(filepath.Dir(path))
	c, ok = readConfigFile(root)
	return root, c, ok
}

// readConfigFile reads the pyvenv.cfg in the folder root.
func readConfigFile(root string) (c config, ok bool) {
	info, err := os.Lstat(filepath.Join(root, configFile))
	if err != nil || !info.Mode().IsRegular() {
		return c, false
	}
	eachLine(filepath.Join(root, configFile), func(line string) bool {
		key, value, _ := strings.Cut(line, "=")
		value = strings.TrimSpace(value)
		switch strings.ToLower(strings.TrimSpace(key)) {
		case "home":
			c.home = value
		case "version", "version_info":
			c.version = value
		case "pyrun":
			c.base = value
		}
		return true
	})
	return c, true
}

func (c config) text(home string) string {
	return fmt.Sprintf("home = %s\ninclude-system-site-packages = false\nversion = %s\npyrun = %s\n", home, c.version, c.base)
}

// Place is where Choose looks for an environment, and where Install makes it:
// pyrun/env in the user's folder for data. It is empty when there is none.
func Place(o Options) string {
	home := o.env("HOME")
	switch dir := o.env("XDG_DATA_HOME"); {
	case filepath.IsAbs(dir):
		return filepath.Join(dir, "pyrun", "env")
	case !filepath.IsAbs(home) || runtime.GOOS == "windows":
		return ""
	case runtime.GOOS == "darwin":
		return filepath.Join(home, "Library", "Application Support", "pyrun", "env")
	}
	return filepath.Join(home, ".local", "share", "pyrun", "env")
}

func executableIn(root string) string { return filepath.Join(root, "bin", "python") }

func siteIn(root, version string) string {
	return filepath.Join(root, "lib", "python"+shortVersion(version), "site-packages")
}

// installed is the environment at Place, which nobody named: it has to be one
// that nobody else could have put there. found is false when there is none.
func installed(ctx context.Context, o Options) (r *record, found bool, err error) {
	root := Place(o)
	if root == "" {
		return nil, false, nil
	}
	info, err := os.Lstat(root)
	if errors.Is(err, fs.ErrNotExist) {
		if ours(root + asideSuffix) {
			return nil, true, environmentError(root, "an install was interrupted", nil)
		}
		return nil, false, nil
	}
	if err == nil && !info.IsDir() && info.Mode()&fs.ModeSymlink == 0 {
		err = errors.New("is no folder")
	}
	if err != nil {
		return nil, true, environmentError(root, "cannot be looked at", err)
	}
	if err := TrustFolder(root); err != nil {
		return nil, true, untrusted(root, "set XDG_DATA_HOME to a folder of your own, or give an interpreter with --python", err)
	}
	r, err = named(ctx, o, executableIn(root))
	if err == nil && !r.Made {
		err = &Error{
			Kind: ErrEnvironment, Msg: "the environment " + root + " is not one that pyrun made",
			Remedy: "put it elsewhere and name it with --python, or remove it and " + remedyInstall,
		}
	}
	return r, true, err
}

// untrusted words TrustFolder's refusal for an environment.
func untrusted(root, remedy string, err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return environmentError(root, "cannot be looked at", err)
	}
	return &Error{
		Kind: ErrEnvironment, Msg: "the environment " + root + ": " + strings.TrimPrefix(e.Msg, "trust the cache: "),
		Remedy: remedy,
	}
}

func environmentError(root, msg string, err error) *Error {
	return &Error{Kind: ErrEnvironment, Msg: "the environment " + root + ": " + msg, Err: err, Remedy: remedyInstall}
}

// fits refuses an environment whose interpreter has become another one.
func (c config) fits(root, version string) error {
	if c.version == "" || strings.HasPrefix(c.version+".", shortVersion(version)+".") {
		return nil
	}
	return environmentError(root, fmt.Sprintf("was made for CPython %s, and its interpreter is %s now", c.version, version), nil)
}

// gone says that what an environment was made from is no more.
func (c config) gone(root string) error {
	if c.base == "" {
		return nil
	}
	if _, err := os.Stat(executableIn(root)); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return &Error{
		Kind: ErrEnvironment, Msg: fmt.Sprintf("the environment %s was made from %s, which is gone", root, c.base),
		Remedy: remedyAnew,
	}
}
