// bootstrap.py, the harness that runs inside, and the command line that starts it.

package python

import (
	_ "embed"
	"hash/fnv"
	"io"
	"path/filepath"
	"strconv"
	"strings"
)

//go:embed bootstrap.py
var bootstrap string

//go:embed report.py
var report string

//go:embed leave.py
var leave string

//go:embed figures.py
var figures string

//go:embed zygote.py
var zygote string

//go:embed touched.py
var touched string

// harness is the source of what runs inside. figures.py travels in it as text,
// so that only a script with figures pays for compiling it.
func harness() []byte {
	text := strings.Replace(bootstrap, `FIGURES = ""`, "FIGURES = "+strconv.QuoteToASCII(figures), 1)
	return []byte(report + leave + strings.Replace(text, `ZYGOTE = ""`, "ZYGOTE = "+strconv.QuoteToASCII(zygote+touched), 1))
}

// The harness's file. The warnings module takes no frame of a file with these two words
// for the cause of a warning, see bootstrap.py.
const (
	harnessSource   = "importlib_bootstrap.py"
	harnessCompiled = "importlib_bootstrap.pyc"
	harnessFilename = "<pyrun: importlib_bootstrap>" // co_filename, when compiled
)

// Job is one script to start. Its paths are those the script sees.
type Job struct {
	Script     string   // its file
	Report     string   // where the harness writes what ReadReport reads
	HarnessDir string   // holds Interpreter.Harness under Interpreter.HarnessName
	Args       []string // sys.argv[1:]
	Value      bool     // report the last expression's repr; costs a start 2 to 3 ms
	Figures    bool     // figures of matplotlib become ARTIFACTS_DIR/figure-N.png
	StdlibOnly bool     // -S: no site-packages, no exit() and quit()
	Outside    bool     // started at Interpreter.Source, where nothing is mounted
}

// Command is the argument vector, program first, that runs j in i. The harness
// reads INPUTS_DIR and ARTIFACTS_DIR from the environment.
func Command(i *Interpreter, j Job) []string {
	program := i.Path
	if j.Outside {
		program = i.Source
	}
	// -I ignores PYTHONUTF8 and its like, so they are said here. -P is part of -I.
	argv := []string{program, "-I", "-X", "utf8", "-X", "faulthandler", "-u", "-B"}
	if j.StdlibOnly || i.bare() {
		argv = append(argv, "-S")
	}
	return append(argv, words(i, j)...)
}

// bare says that there is nothing for the site module to find: the harness does
// the rest of its work, which saves every run the import of site and os, 2 to 3
// ms. What can be seen of it: sys.flags.no_site is 1, and workers that
// multiprocessing starts by spawn have no exit() of their own.
func (i *Interpreter) bare() bool { return i.Embedded && len(i.Packages) == 0 }

// words is what follows Python's own options.
func words(i *Interpreter, j Job) []string {
	var options []string
	if i.bare() && !j.StdlibOnly {
		options = append(options, "site")
	}
	if j.Value {
		options = append(options, "value")
	}
	if j.Figures {
		options = append(options, "figures")
	}
	words := "-"
	if len(options) > 0 {
		words = strings.Join(options, ",")
	}
	return append([]string{filepath.Join(j.HarnessDir, i.HarnessName), words, j.Report, j.Script}, j.Args...)
}

// harnessPrint tells one bootstrap.py from another, for what is kept of it.
func harnessPrint() string {
	h := fnv.New64a()
	_, _ = io.WriteString(h, bootstrap)
	_, _ = io.WriteString(h, report)
	_, _ = io.WriteString(h, leave)
	_, _ = io.WriteString(h, figures)
	_, _ = io.WriteString(h, zygote)
	_, _ = io.WriteString(h, touched)
	return strconv.FormatUint(h.Sum64(), 16)
}
