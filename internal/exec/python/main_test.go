package python

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestMain lets the test binary play the interpreters that no machine has: it
// is started under their names.
func TestMain(m *testing.M) {
	switch filepath.Base(os.Args[0]) {
	case "hangs":
		time.Sleep(time.Minute)
	case "pypy":
		fmt.Println(`{"version": "3.10.14", "implementation": "pypy"}`)
	case "installs":
		installs()
	case "babbles":
		fmt.Println("Welcome")
	case "fails":
		fmt.Fprintln(os.Stderr, "Fatal Python error: init_fs_encoding\nModuleNotFoundError: No module named 'encodings'")
		os.Exit(1)
	default:
		code := m.Run()
		removeShared()
		os.Exit(code)
	}
}

// sharedCache names the cache folder to a test that runs as a program of its own.
const sharedCache = "PYRUN_TEST_SHARED_CACHE"

// shared is a cache folder that the tests which only read have in common.
var shared struct {
	once sync.Once
	dir  string
	i    *Interpreter
	err  error
}

func removeShared() {
	if shared.dir != "" && os.Getenv(sharedCache) == "" {
		forceRemove(shared.dir)
	}
}

// forceRemove is os.RemoveAll for folders that are read-only.
func forceRemove(dir string) {
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	_ = os.RemoveAll(dir)
}

// whole is an error and its remedy.
func whole(err error) string {
	var e *Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	return e.Error() + "; " + e.Remedy
}

func noEnv(string) string { return "" }

// skipSystemPython leaves out tests of what is chosen after that interpreter.
func skipSystemPython(t testing.TB) {
	t.Helper()
	if _, err := os.Lstat(systemPython); err == nil {
		t.Skip(systemPython + " exists and comes before the embedded interpreter")
	}
}

// embeddedInterpreter is the embedded one, unpacked once for all tests.
func embeddedInterpreter(t testing.TB) *Interpreter {
	t.Helper()
	skipSystemPython(t)
	shared.once.Do(func() {
		if shared.dir = os.Getenv(sharedCache); shared.dir == "" {
			shared.dir, shared.err = os.MkdirTemp("", "pyrun-python-test-")
		}
		if shared.err == nil {
			shared.i, shared.err = Choose(context.Background(), Options{CacheDir: shared.dir, Getenv: noEnv})
		}
	})
	if shared.err != nil {
		t.Skipf("no embedded interpreter: %v", shared.err)
	}
	return shared.i
}

// interpreters are those to test with: PYRUN_TEST_PYTHONS (a PATH-like list), else the oldest
// and the newest of pyenv (every one, when it says "all") and /usr/bin/python3; and the embedded one.
func interpreters(t *testing.T) []*Interpreter {
	t.Helper()
	var paths []string
	list := os.Getenv("PYRUN_TEST_PYTHONS")
	if list != "" && list != "all" {
		paths = filepath.SplitList(list)
	} else {
		root := os.Getenv("PYENV_ROOT")
		if root == "" {
			home, _ := os.UserHomeDir()
			root = filepath.Join(home, ".pyenv")
		}
		for _, digits := range []string{"?", "??"} { // 3.9 comes before 3.10
			more, _ := filepath.Glob(filepath.Join(root, "versions", "3."+digits+".*", "bin", "python3"))
			paths = append(paths, more...)
		}
		paths = slices.DeleteFunc(paths, func(path string) bool {
			return older(filepath.Base(filepath.Dir(filepath.Dir(path))), "3.9")
		})
		if n := len(paths); n > 2 && list != "all" {
			paths = []string{paths[0], paths[n-1]}
		}
		paths = append(paths, "/usr/bin/python3")
	}
	cache := t.TempDir()
	var all []*Interpreter
	for _, path := range paths {
		i, err := Choose(t.Context(), Options{Path: path, CacheDir: cache, Getenv: noEnv})
		if err != nil {
			t.Logf("not tested: %v", err)
			continue
		}
		all = append(all, i)
	}
	if _, err := os.Lstat(systemPython); err != nil {
		if i := embeddedInterpreter(t); i != nil {
			all = append(all, i)
		}
	}
	if len(all) == 0 {
		t.Skip("no interpreter on this machine; name some in PYRUN_TEST_PYTHONS")
	}
	return all
}

// output of a program, its folders and addresses made alike.
type output struct {
	stdout, stderr string
	code           int
}

func run(t testing.TB, dir string, env []string, argv ...string) output {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	var stdout, stderr strings.Builder
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, env, &stdout, &stderr
	if env == nil {
		cmd.Env = []string{} // nil would be our own
	}
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	if err != nil && cmd.ProcessState == nil {
		t.Fatalf("start %v: %v", argv, err)
	}
	code := cmd.ProcessState.ExitCode()
	return output{stdout.String(), stderr.String(), code}
}
