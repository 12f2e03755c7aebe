// pip, which finds and unpacks what Install and Lock ask for. It runs outside
// the walls, for it needs the network; what it is told to take (wheels only)
// holds no code that runs while it is installed.

package python

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

//go:embed pip.py
var pipSource string

//go:embed markers.py
var markersSource string

// Index is where packages come from. The zero value is what pip calls the
// default, or PIP_INDEX_URL.
type Index struct {
	URL       string
	FindLinks []string // folders, or URLs of pages with links, to look in besides
	None      bool     // look nowhere else
}

// oldestForPip is the first CPython that the pip which comes with pyrun runs on.
const oldestForPip = "3.10"

// pipFor is the folder to name in sys.path for pip: the one that comes with
// pyrun, which is the same everywhere, else the interpreter's own.
func pipFor(ctx context.Context, o Options, b base) (dir string, ours bool, err error) {
	if !olderThan(b.version, oldestForPip) {
		if dir, err := ownPip(ctx, o); dir != "" || err != nil {
			return dir, true, err
		}
	}
	// With -S too: the site module would run what packages of this interpreter
	// have put into .pth files, and their folders are all that is asked for.
	const where = "import importlib.machinery, os, site; s = importlib.machinery.PathFinder.find_spec('pip', site.getsitepackages()); " +
		"print(os.path.dirname(os.path.dirname(s.origin)) if s and s.origin else '')"
	out, err := b.ask(ctx, nil, "-I", "-S", "-X", "utf8", "-B", "-c", where)
	dir = strings.TrimSpace(string(out))
	if err == nil && dir == "" {
		err = &Error{Name: b.executable, Kind: ErrUnusable, Msg: "has no pip", Remedy: "run: " + b.executable + " -m ensurepip, or give another with --python"}
	}
	return dir, false, err
}

// olderThan compares as many parts as both have; what is no number counts as 0.
func olderThan(version, than string) bool {
	a, b := strings.Split(version, "."), strings.Split(than, ".")
	for n := range min(len(a), len(b)) {
		var x, y int
		_, _ = fmt.Sscanf(a[n], "%d", &x)
		_, _ = fmt.Sscanf(b[n], "%d", &y)
		if x != y {
			return x < y
		}
	}
	return false
}

// ask starts the interpreter with a question that takes no time.
func (b base) ask(ctx context.Context, stdin []byte, argv ...string) ([]byte, error) {
	bounded, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	cmd := exec.CommandContext(bounded, b.executable, argv...)
	cmd.Env = []string{}
	cmd.Dir = string(filepath.Separator)
	cmd.Stdin = bytes.NewReader(stdin)
	var stdout, stderr capped
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = 250 * time.Millisecond
	ownGroup(cmd)
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case bounded.Err() != nil:
		return nil, &Error{Name: b.executable, Kind: ErrUnusable, Msg: fmt.Sprintf("did not answer within %v", probeTime), Remedy: remedyPath}
	case err != nil:
		return nil, &Error{Name: b.executable, Kind: ErrUnusable, Msg: "is broken: it says " + fmt.Sprintf("%q", lastLine(stderr.String())), Err: err, Remedy: remedyPath}
	}
	return stdout.Bytes(), nil
}

// Applicable leaves out the requirements whose marker is not true for i. Only
// when there are markers, i is asked, outside the walls; pip evaluates them. A
// marker that pip cannot read is a *RequirementError, and so are two
// requirements of one package that both apply.
func Applicable(ctx context.Context, o Options, i *Interpreter, all []Requirement) ([]Requirement, error) {
	b := base{executable: i.Base, version: i.Version, embedded: i.Embedded}
	return b.applicable(ctx, o, all)
}

func (b base) applicable(ctx context.Context, o Options, all []Requirement) ([]Requirement, error) {
	var markers []string
	for _, r := range all {
		if r.Marker != "" {
			markers = append(markers, r.Marker)
		}
	}
	if len(markers) == 0 {
		return all, nil
	}
	pip, _, err := pipFor(ctx, o, b)
	if err != nil {
		return nil, err
	}
	question, err := json.Marshal(markers)
	if err != nil {
		return nil, err
	}
	out, err := b.ask(ctx, question, "-I", "-S", "-X", "utf8", "-B", "-c", markersSource, pip)
	if err != nil {
		return nil, err
	}
	var answers []any // true, false, or what is wrong
	if err := json.Unmarshal(out, &answers); err != nil || len(answers) != len(markers) {
		return nil, &Error{Name: b.executable, Kind: ErrUnusable, Msg: "gives no answer about markers", Err: err, Remedy: remedyPath}
	}
	var applies []Requirement
	seen := map[string]int{}
	for _, r := range all {
		if r.Marker != "" {
			answer := answers[0]
			answers = answers[1:]
			if wrong, ok := answer.(string); ok {
				return nil, &RequirementError{r.Line, r.String(), "not a marker: " + wrong}
			}
			if answer != true {
				continue
			}
		}
		if before := seen[r.Name]; before > 0 {
			return nil, &RequirementError{r.Line, r.String(), fmt.Sprintf("named a second time; line %d applies too", before)}
		}
		seen[r.Name] = r.Line
		applies = append(applies, r)
	}
	return applies, nil
}

// pip is one start of it, for the virtual environment at root.
type pip struct {
	options Options
	base    base   // runs it
	folder  string // of pip
	ours    bool   // it is the one that comes with pyrun
	root    string // of the environment, as it stands
	final   string // where it will stand
	temp    string // for its temporary files
	index   Index
}

// install runs `pip install` for the requirements, with further arguments.
func (p pip) install(ctx context.Context, requirements string, more ...string) error {
	file := filepath.Join(p.temp, "requirements.txt")
	text := p.line() + requirements
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return orNoRoom("write what pip is asked for", err)
	}
	progress := "off"
	if p.ours { // older ones do not know this word
		progress = "raw"
	}
	// What lies beside pip, the base interpreter's packages, does not count as installed.
	argv := append([]string{
		"-I", "-S", "-X", "utf8", "-B", "-c", pipSource, p.folder, p.root, executableIn(p.final), "install", "--requirement", file,
		"--isolated", "--disable-pip-version-check", "--no-input", "--no-color", "--progress-bar", progress, "--retries", "2",
		"--ignore-installed", "--only-binary", ":all:", "--no-compile", "--no-warn-script-location",
	}, more...)
	if cert, err := filepath.Abs(p.options.env("PIP_CERT")); err == nil && p.options.env("PIP_CERT") != "" {
		argv = append(argv, "--cert", cert)
	}
	for _, link := range p.index.FindLinks {
		argv = append(argv, "--find-links", link)
	}
	cmd := exec.CommandContext(ctx, p.base.executable, argv...)
	cmd.Env, cmd.Dir = p.environment(), p.temp
	said := &listener{progress: p.options.progress, file: file, asked: strings.Split(text, "\n")}
	cmd.Stdout, cmd.Stderr = said, said
	cmd.WaitDelay = time.Second
	ownGroup(cmd)
	endWithUs(cmd)
	runtime.LockOSThread() // on Linux a process ends with the thread that started it
	err := cmd.Run()
	runtime.UnlockOSThread()
	said.flush()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return said.explain(err)
	}
	return nil
}

// line is the option of the index. It stands in a file that only this user
// reads, for a URL may hold a password, which a command line shows to everybody.
func (p pip) line() string {
	switch url := p.index.url(p.options); {
	case p.index.None:
		return "--no-index\n"
	case url != "":
		return "--index-url " + url + "\n"
	}
	return ""
}

// environment has what reaches an index through a proxy or by other
// certificates, and nothing of pip's own variables and files: one of them
// (PIP_TARGET, PIP_USER, PIP_PRE) would make another environment than was asked for.
func (p pip) environment() []string {
	env := []string{"TMPDIR=" + p.temp, "PIP_CONFIG_FILE=" + os.DevNull, "LANG=C.UTF-8"}
	for _, name := range []string{
		"HOME", "XDG_CACHE_HOME", "NETRC", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE",
		"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
	} {
		if value := p.options.env(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// readReport reads what pip --report wrote.
func readReport(file string, into any) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, 64<<20))
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}
