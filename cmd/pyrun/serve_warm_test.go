//go:build unix

package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

// copyless is an Executor on a machine where there can be no copies.
type copyless struct{ served }

func (copyless) Warmed(context.Context) error { return noCopies{} }

type noCopies struct{}

func (noCopies) Error() string             { return "make warm copies: no" }
func (noCopies) Unwrap() error             { return exec.ErrNoCopies }
func (noCopies) Explain() (string, string) { return "their groups", "do without" }

// TestServeWithoutCopies: auto serves without copies and says so in one line; on
// does not start.
func TestServeWithoutCopies(t *testing.T) {
	for _, c := range []struct {
		name string
		warm string
		args []string
		code int
		says []string // of stderr
		told int      // lines that say that there are no copies
	}{
		{"auto", "auto", nil, 0, []string{"there can be no warm copies here", `why="their groups"`}, 1},
		{"off", "off", nil, 0, nil, 0},
		{"on", "on", nil, 125, []string{"make warm copies", "their groups", "do without"}, 0},
		{"on, and no wall", "on", []string{"--sandbox", "none"}, 125, []string{"make warm copies"}, 0},
		{"on, and cold", "on", []string{"--cold"}, 0, nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer null.Close()
			errs, err := os.Create(filepath.Join(dir, "stderr"))
			if err != nil {
				t.Fatal(err)
			}
			defer errs.Close()
			w := world{
				stdin: null, stdout: null, stderr: errs, environ: []string{"HOME=" + dir, "PYRUN_WARM=" + c.warm}, dir: dir,
				open: func(o exec.Options) (executor, error) {
					if o.Warm > 0 {
						o.NoCopies(noCopies{})
					}
					return copyless{}, nil
				},
			}
			if got := w.main(t.Context(), append([]string{"pyrun", "serve"}, c.args...)); got != c.code {
				t.Errorf("exit code %d", got)
			}
			text, err := os.ReadFile(errs.Name())
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range c.says {
				if !strings.Contains(string(text), want) {
					t.Errorf("it does not say %s:\n%s", want, text)
				}
			}
			if n := strings.Count(string(text), "there can be no warm copies here"); n != c.told {
				t.Errorf("it says %d times that there are none:\n%s", n, text)
			}
		})
	}
}
