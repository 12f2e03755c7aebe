package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pyrun-dev/pyrun/internal/exec"
	"github.com/pyrun-dev/pyrun/internal/wheeltest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"pyrun": main})
}

// TestScripts tells what a user types and sees, one story a file. The first
// word of a story's name is its topic; conditions beside the library's own:
//
//	[sandbox]     the native sandbox can be built here (tried, not asked)
//	[numpy] ...   Debian's python3 has that module
//	[mounts]      root, and may mount in a namespace of its own
//
// Where one does not hold, the story skips; with PYRUN_REQUIRE=all it fails.
func TestScripts(t *testing.T) {
	cache := testCache(t)
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("PYRUN_CACHE_DIR", cache)
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("LANG", "C.UTF-8")
			if path, err := osexec.LookPath("pyrun"); err == nil { // as it names itself
				if path, err = filepath.EvalSymlinks(path); err == nil {
					e.Setenv("PYRUN", path)
				}
			}
			return os.Mkdir(filepath.Join(e.WorkDir, "home"), 0o755)
		},
		Condition: func(cond string) (bool, error) {
			var why error
			switch cond {
			case "sandbox":
				why = tryOnce("sandbox", func() error { return trySandbox(cache) })
			case "root":
				return os.Geteuid() == 0, nil
			case "mounts":
				if os.Geteuid() != 0 {
					return false, nil
				}
				why = tryOnce(cond, func() error {
					return osexec.Command("unshare", "-m", "--propagation", "private", "mount", "-t", "tmpfs", "none", cache).Run()
				})
			case "ca": // a host without certificates has none to show
				_, why = os.Stat("/etc/ssl/certs/ca-certificates.crt")
			case "numpy", "pandas", "matplotlib":
				why = tryOnce(cond, func() error {
					return osexec.Command("/usr/bin/python3", "-c", "import "+cond).Run()
				})
			default:
				return false, fmt.Errorf("no such condition: %s", cond)
			}
			if why != nil && os.Getenv("PYRUN_REQUIRE") == "all" {
				return false, fmt.Errorf("PYRUN_REQUIRE=all, but there is no %s here: %w", cond, why)
			}
			return why == nil, nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits": exits,
			"wheel": makeWheel,
		},
	})
}

// testCache is one folder for all stories and all times, because unpacking the
// interpreter takes seconds, and not the user's own, because old runs are pruned in it.
func testCache(t *testing.T) string {
	t.Helper()
	dir, err := os.UserCacheDir()
	if err != nil {
		return t.TempDir()
	}
	dir = filepath.Join(dir, "pyrun-test")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

func trySandbox(cache string) error {
	x, err := exec.New(exec.Options{CacheDir: cache})
	if err != nil {
		return err
	}
	defer x.Close()
	_, err = x.Execute(context.Background(), exec.Request{Code: []byte("pass")})
	return err
}

var (
	tried   = map[string]func() error{}
	triedMu sync.Mutex
)

func tryOnce(name string, try func() error) error {
	triedMu.Lock()
	once, ok := tried[name]
	if !ok {
		once = sync.OnceValue(try)
		tried[name] = once
	}
	triedMu.Unlock()
	return once()
}

// makeWheel makes a wheel of files of the story: wheel [flags] DIR NAME VERSION FILE...
func makeWheel(ts *testscript.TestScript, neg bool, args []string) {
	flags := flag.NewFlagSet("wheel", flag.ContinueOnError)
	requires := flags.String("requires", "", "what it needs")
	script := flags.String("script", "", "a program, NAME=MODULE:FUNCTION")
	says := flags.String("says", "", "another name, in its metadata")
	changed := flags.String("changed", "", "a file that RECORD does not know of")
	if err := flags.Parse(args); err != nil || neg || flags.NArg() < 3 {
		ts.Fatalf("usage: wheel [flags] DIR NAME VERSION FILE...")
	}
	w := wheeltest.Wheel{Name: flags.Arg(1), Version: flags.Arg(2), SaysName: *says, Files: map[string]string{}, Changed: map[string]string{}}
	for _, file := range flags.Args()[3:] {
		w.Files[file] = ts.ReadFile(file)
	}
	if *requires != "" {
		w.Requires = []string{*requires}
	}
	if name, entry, ok := strings.Cut(*script, "="); ok {
		w.Scripts = map[string]string{name: entry}
	}
	if *changed != "" {
		w.Changed[*changed] = "changed = True\n"
	}
	_, err := w.Make(ts.MkAbs(flags.Arg(0)))
	ts.Check(err)
}

// exits runs a command and compares its exit code: exits 2 pyrun run nope.py
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE command [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code := 0
	var exit *osexec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if code != want {
		ts.Fatalf("%s: exit %d, want %d", strings.Join(args[1:], " "), code, want)
	}
}
