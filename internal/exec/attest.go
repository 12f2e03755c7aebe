package exec

// Attestation: the walls are tried, not asked about. Three scripts run as any
// script runs. One tries what must fail, and is looked at from outside while it
// lives; one sleeps past its time, one takes more memory than it may.
// attest_judge.go compares.

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/pyrun-dev/pyrun/internal/exec/python"
	"github.com/pyrun-dev/pyrun/internal/exec/sandbox"
)

//go:embed attest.py
var attestScript []byte

const (
	attestTime   = time.Minute // for one attestation, the wait for workers included
	maxTestimony = 64 << 10
	busyPause    = 20 * time.Millisecond

	// It never gets far: a wall that counts memory stands at a third of its MiB.
	hogScript   = "held = []\nwhile len(held) < %d: held.append(b'x' * (1 << 20))\nimport time; time.sleep(60)\n"
	sleepScript = "import time; time.sleep(60)\n"
)

// asked is what the attesting script is told; it must run into each limit.
type asked struct {
	Hidden    []string `json:"hidden"` // of this machine; a script must not see them
	Processes int      `json:"processes"`
	OpenFiles int      `json:"open_files"`
	FileSize  int64    `json:"file_size"`
	Disk      int64    `json:"disk"` // 0: is looked at, not filled
}

// testimony is what attest.py says it saw.
type testimony struct {
	PID         int               `json:"pid"`
	Parent      int               `json:"parent"`
	UIDs        []int             `json:"uids"`
	Root        []string          `json:"root"`
	Devices     []string          `json:"devices"`
	Descriptors []int             `json:"descriptors"`
	Room        int64             `json:"room"` // bytes of its disk, as the kernel says
	Environment []string          `json:"environment"`
	Flags       map[string]uint64 `json:"flags"`
	Namespaces  map[string]string `json:"namespaces"`
	Status      map[string]string `json:"status"`
	Tries       map[string]string `json:"tries"`
	Raw         *rawFacts         `json:"raw"`
}

// rawFacts are there where Python has ctypes.
type rawFacts struct {
	Seccomp    int `json:"seccomp"`
	NoNewPrivs int `json:"no_new_privs"`
	Bounding   int `json:"bounding"` // capabilities that could be gained
}

// trial is how the three are run.
type trial struct {
	from   zygote // whose copies they are; nil: each starts an interpreter
	bare   bool   // without installed packages
	limits sandbox.Limits
	memory int64 // bytes, of the one that takes more
	room   int64 // bytes of the disk, where that is not filled
}

// coldTrial has limits of its own, so small that it takes little to meet them.
func coldTrial() trial {
	return trial{bare: true, memory: 32 << 20, limits: sandbox.Limits{
		Wall: 30 * time.Second, Memory: 256 << 20, FileSize: 1 << 20, Disk: 4 << 20, Inodes: 256, Processes: 16, OpenFiles: 64,
	}}
}

// attest runs the three. An error means that the first did not run at all, and
// ErrBusy that there was no time for all of them.
func (e *Executor) attest(ctx context.Context, in *python.Interpreter, how trial) (*evidence, error) {
	v := &evidence{survey: sandbox.Ask(e.options.Network), network: e.options.Network, room: how.room, asked: asked{
		Processes: how.limits.Processes, OpenFiles: how.limits.OpenFiles, FileSize: how.limits.FileSize, Disk: how.limits.Disk,
	}}
	var undo func()
	v.asked.Hidden, undo = hidden(in)
	defer undo()
	v.root, v.environment = expectations(in)

	var others sync.WaitGroup
	within := ctx
	ctx, cancel := context.WithTimeout(ctx, e.attestTime)
	defer others.Wait()
	defer cancel() // when the first did not run, the others need not
	others.Go(func() {
		v.time = e.fate(ctx, how, VerdictTimeout, sleepScript, sandbox.Limits{Wall: 100 * time.Millisecond})
	})
	others.Go(func() {
		v.memory = e.fate(ctx, how, VerdictMemory, fmt.Sprintf(hogScript, 3*how.memory>>20), sandbox.Limits{Memory: how.memory, Wall: 5 * time.Second})
	})

	argument, err := json.Marshal(v.asked)
	if err != nil {
		return nil, fmt.Errorf("ask the attesting script: %w", err)
	}
	off := false
	said, held := &bounded{}, make(gate)
	res, err := e.patient(ctx, Request{
		Code: attestScript, Name: "attest.py", Args: []string{string(argument)},
		StdlibOnly: how.bare, Figures: &off, Stdout: said, Stdin: held, Limits: how.limits, from: how.from, cold: how.from == nil,
		watch: func(t tree) {
			v.outside, v.unseen = t.Observe()
			close(held)
		},
	})
	if res != nil {
		others.Wait()
	}
	switch {
	case ctx.Err() != nil && within.Err() == nil:
		return nil, fmt.Errorf("the walls could not be tried within %v: %w", e.attestTime, ErrBusy)
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case res == nil:
		return nil, err
	}
	v.sandbox = res.Sandbox
	v.inside, v.unsaid = readTestimony(res, said.Bytes())
	return v, nil
}

// fate is the verdict of a script that must be ended from outside, empty when it
// could not be run.
func (e *Executor) fate(ctx context.Context, how trial, want Verdict, code string, l sandbox.Limits) Verdict {
	off := false
	return twice(want, func() Verdict {
		res, err := e.patient(ctx, Request{Code: []byte(code), StdlibOnly: how.bare, Figures: &off, Limits: l, from: how.from, cold: how.from == nil})
		if res == nil || err != nil {
			return ""
		}
		return res.Verdict
	})
}

// twice believes only the second failure: on a busy machine it is a race which
// limit ends a script first.
func twice(want Verdict, try func() Verdict) Verdict {
	if got := try(); got == want {
		return got
	}
	return try()
}

// patient waits for a worker as long as ctx lets it: what is asked here is not a
// caller's run that could come again later.
func (e *Executor) patient(ctx context.Context, r Request) (*Result, error) {
	for {
		res, err := e.Execute(ctx, r)
		if !errors.Is(err, ErrBusy) {
			return res, err
		}
		select {
		case <-time.After(busyPause):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// readTestimony takes one whole object of known fields or nothing.
func readTestimony(res *Result, said []byte) (*testimony, error) {
	if res.Verdict != VerdictOK {
		return nil, fmt.Errorf("the attesting script ended with %s, exit %d: %s", res.Verdict, res.ExitCode, clip(shown(lastLine(res.Stderr)), 200))
	}
	t := &testimony{}
	d := json.NewDecoder(bytes.NewReader(said))
	d.DisallowUnknownFields()
	if err := d.Decode(t); err != nil {
		return nil, errors.New("the attesting script did not answer as it should")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("the attesting script said more than it should")
	}
	return t, nil
}

// bounded is a live writer that ends a run which says too much.
type bounded struct{ bytes.Buffer }

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > maxTestimony {
		return 0, errors.New("more than was asked for")
	}
	return b.Buffer.Write(p)
}

// gate is a standard input that stays open and empty until it is closed.
type gate chan struct{}

func (g gate) Read([]byte) (int, error) {
	<-g
	return 0, io.EOF
}

// lastLine is what a reader wants of a traceback.
func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
}

// expectations are the names that a script may find in / and in its environment.
func expectations(in *python.Interpreter) (root, names []string) {
	root = []string{"dev", "etc", "proc", "job", "run", "tmp"}
	top := func(path string) {
		name, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
		root = append(root, name)
	}
	for _, m := range in.Mounts {
		top(m.Target)
	}
	for _, l := range in.Links {
		top(l.Path)
	}
	for _, word := range environment(runtime.GOOS, &job{}, in.Path, in.Env, func(p string) string { return p }) {
		name, _, _ := strings.Cut(word, "=")
		names = append(names, name)
	}
	return root, names
}
