package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/robustio"
)

// plain is the backend None: a child process in a folder of its own, and no
// wall. It keeps the words of a run (folders, streams, time limit, exit) the
// same on every system; it protects nothing.
type plain struct{ temp string }

func newPlain(o Options) (launcher, error) { return &plain{temp: o.TempDir}, nil }

func (l *plain) close() error { return nil }

func (l *plain) copies() error {
	return &Error{Step: "make warm copies", Err: ErrUnsupported, Why: "only the native sandbox has walls for them"}
}

func (l *plain) zygote(context.Context, Policy) (zygoter, error) { return nil, l.copies() }

func (l *plain) place() (Place, error) {
	root, err := os.MkdirTemp(l.temp, "pyrun-")
	if err != nil {
		return Place{}, &Error{Step: "make the run's folder", Err: err, Remedy: "set TMPDIR to a folder that can be written"}
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return Place{}, &Error{Step: "make the run's folder", Err: err}
	}
	return Place{Root: root}, nil
}

// bare is one run without walls.
type bare struct {
	root    string
	network Network
	cmd     *exec.Cmd
	family  family
	dir     *os.File
	exited  chan struct{}

	mu     sync.Mutex
	killed Reason
	ended  bool
	exit   Exit
	wall   *time.Timer
	stop   func() bool
}

func (l *plain) start(ctx context.Context, at Place, pol Policy, std Stdio) (process, error) {
	if at.Root == "" {
		return nil, errors.New("sandbox: a run without walls needs a place")
	}
	b := &bare{root: at.Root, network: pol.Network, exited: make(chan struct{})}
	if err := b.furnish(pol); err != nil {
		_ = b.remove()
		return nil, err
	}
	b.cmd = exec.Command(pol.Argv[0], pol.Argv[1:]...)
	b.cmd.Env, b.cmd.Dir = pol.Env, pol.Dir
	// *os.File streams are handed over as they are; nothing is copied here.
	if std.Stdin != nil {
		b.cmd.Stdin = std.Stdin
	}
	if std.Stdout != nil {
		b.cmd.Stdout = std.Stdout
	}
	if std.Stderr != nil {
		b.cmd.Stderr = std.Stderr
	}
	var err error
	if b.family, err = startFamily(b.cmd); err != nil {
		_ = b.remove()
		return nil, &Error{Step: "start the program", Err: err}
	}
	b.exit.Released = time.Now()
	if pol.Limits.Wall > 0 {
		b.mu.Lock()
		b.wall = time.AfterFunc(pol.Limits.Wall, func() { b.kill(KilledWall) })
		b.mu.Unlock()
	}
	b.stop = context.AfterFunc(ctx, func() { b.kill(KilledCancelled) })
	go b.reap()
	return b, nil
}

// furnish makes the folders and files that the policy asks for, below the root.
func (b *bare) furnish(pol Policy) error {
	fail := func(step string, err error) error { return &Error{Step: step, Err: err} }
	for _, d := range pol.Writable {
		// The store finds a directory by its name, the script by its path.
		inside := filepath.Join(b.root, d.Name)
		if err := os.MkdirAll(inside, 0o700); err != nil {
			return fail("make "+d.Path, err)
		}
		if inside == filepath.Clean(d.Path) {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(d.Path), 0o700); err != nil {
			return fail("make "+d.Path, err)
		}
		if err := os.Symlink(inside, d.Path); err != nil {
			return fail("make "+d.Path, err)
		}
	}
	for _, dir := range pol.Sealed {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fail("make "+dir, err)
		}
	}
	for _, f := range pol.Files {
		if err := os.MkdirAll(filepath.Dir(f.Path), 0o700); err != nil {
			return fail("write "+f.Path, err)
		}
		if err := os.WriteFile(f.Path, f.Data, os.FileMode(f.Mode)|0o600); err != nil {
			return fail("write "+f.Path, err)
		}
	}
	for _, v := range pol.Binds {
		if !strings.HasPrefix(v.Target, b.root) {
			continue // the host's own files are all in view
		}
		if err := os.MkdirAll(filepath.Dir(v.Target), 0o700); err != nil {
			return fail("show "+v.Target, err)
		}
		if err := link(v.Source, v.Target); err != nil {
			return fail("show "+v.Target, err)
		}
	}
	for _, l := range pol.Links {
		if strings.HasPrefix(l.Path, b.root) {
			if err := link(l.Target, l.Path); err != nil {
				return fail("link "+l.Path, err)
			}
		}
	}
	dir, err := os.Open(b.root)
	if err != nil {
		return fail("open the store", err)
	}
	b.dir = dir
	return nil
}

func (b *bare) reap() {
	err := b.cmd.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.exit.Ended = time.Now()
	b.ended = true
	if b.wall != nil {
		b.wall.Stop()
	}
	state := b.cmd.ProcessState
	b.exit.Usage = b.family.finish(state)
	if state == nil {
		b.exit.Code = 125
	} else {
		b.exit.Code, b.exit.Signal = exitOf(state)
	}
	if err != nil && b.exit.Signal == syscall.SIGKILL {
		b.exit.Killed = b.killed
	}
	close(b.exited)
}

func (b *bare) posture() Posture {
	return Posture{Backend: None, Layers: []string{}, Memory: "none", Network: "host"}
}
func (b *bare) store() *os.File { return b.dir }

func (b *bare) streams() (stdout, stderr *os.File) { return nil, nil }
func (b *bare) observe() (Observation, error) {
	return Observation{}, ErrUnsupported // there is no wall to look at
}

func (b *bare) kill(why Reason) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		return
	}
	if b.killed == "" {
		b.killed = why
	}
	b.family.kill()
}

func (b *bare) wait() Exit {
	<-b.exited
	b.stop()
	return b.exit
}

func (b *bare) close() error {
	b.kill(KilledCancelled)
	<-b.exited
	return b.remove()
}

func (b *bare) remove() error {
	if b.dir != nil {
		b.dir.Close()
	}
	if err := robustio.RemoveAll(b.root); err != nil { // Windows refuses while a virus scanner still looks at it
		return fmt.Errorf("remove the run's folder: %w", err)
	}
	return nil
}
