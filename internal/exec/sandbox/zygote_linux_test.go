//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

//go:embed testdata/zygote.py
var zygoteProgram []byte

// copies is the policy of a zygote, which has to be a program that can fork.
func copies(t *testing.T, mode ...string) Policy {
	t.Helper()
	const python = "/usr/bin/python3"
	if _, err := os.Stat(python); err != nil {
		missing(t, "the smallest zygote is a Python program, and there is no "+python)
	}
	pol := shell("")
	pol.Argv = []string{python, "-I", "-S", "-B", "/run/zygote.py"}
	pol.Argv = append(pol.Argv, mode...)
	pol.Files = []File{{Path: "/run/zygote.py", Mode: 0o444, Data: zygoteProgram}}
	return pol
}

func startZygote(t *testing.T, o Options) (*zygote, error) {
	t.Helper()
	o.Backend = Native
	l, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	z, err := l.Zygote(context.Background(), copies(t))
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() {
		if err := z.Close(); err != nil {
			t.Error(err)
		}
	})
	return z.impl.(*zygote), nil
}

// give releases a copy with a message and returns what it prints, once it ends.
func give(t *testing.T, c copier, j Job) (string, Exit) {
	t.Helper()
	p, err := c.release(context.Background(), j)
	if err != nil {
		t.Fatal(err)
	}
	stdout, stderr := p.streams()
	defer stdout.Close()
	defer stderr.Close()
	out, _ := io.ReadAll(stdout)
	more, _ := io.ReadAll(stderr)
	exit := p.wait()
	if err := p.close(); err != nil {
		t.Error(err)
	}
	return string(out) + string(more), exit
}

func TestCopies(t *testing.T) {
	asEveryone(t)
	z, err := startZygote(t, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if z.notes() != "ready" {
		t.Errorf("it says %q", z.notes())
	}
	if l := z.r.limits; z.r.wall != nil || l.Memory != 0 || l.Processes != 0 {
		t.Errorf("what bounds one run would end the zygote, and all its copies with it: %+v", l)
	}
	for range 3 {
		c, err := z.fork(context.Background(), false)
		if err != nil {
			t.Fatal(err)
		}
		j := Job{
			Limits: z.pol.Limits, Message: []byte("hello"),
			Files: []File{{Path: "/job/x/y", Mode: 0o640, Data: []byte("1")}, {Path: "/job/inputs/in", Mode: 0o444, Data: []byte("2")}},
			Links: []Link{{Path: "/job/l", Target: "x/y"}},
		}
		out, exit := give(t, c, j)
		if out != "hello\n" || exit.Code != 3 || exit.Signal != 0 || exit.Released.IsZero() || !exit.Ended.After(exit.Released) {
			t.Fatalf("%q, %+v", out, exit)
		}
	}
}

// TestZygoteStepsFailClosed: a zygote that lacks a wall is not started.
func TestZygoteStepsFailClosed(t *testing.T) {
	asEveryone(t)
	steps := zygoteSteps(t)
	if len(steps) < 40 {
		t.Fatalf("only %d steps", len(steps))
	}
	for step := range steps {
		t.Run(step, func(t *testing.T) {
			_, err := startZygote(t, Options{Fault: step})
			failedAt(t, err, step)
		})
	}
}

// zygoteSteps are the steps of a zygote's own list here.
func zygoteSteps(t *testing.T) map[string]bool {
	z, err := startZygote(t, Options{})
	if err != nil {
		t.Fatal(err)
	}
	steps := map[string]bool{}
	for _, s := range append(z.r.opening.list(), z.r.rest.list()...) {
		if s != "wait for the copies" { // by then it runs
			steps[s] = true
		}
	}
	return steps
}

// TestCopyStepsFailClosed: a copy that lacks a wall is not handed out, its
// error names the step, and nothing of it is left.
func TestCopyStepsFailClosed(t *testing.T) {
	asEveryone(t)
	z, err := startZygote(t, Options{})
	if err != nil {
		t.Fatal(err)
	}
	own := zygoteSteps(t)
	tried := 0
	for _, step := range append(z.list.list(), z.init.list()...) {
		switch {
		case own[step], step == "wait for the script":
			continue
		case step == "tell the program of a fork", step == "make the namespaces": // the zygote's own: it ends
			continue
		}
		tried++
		t.Run(step, func(t *testing.T) {
			broken, err := startFaulty(t, step)
			if err != nil {
				t.Fatal(err)
			}
			c, err := broken.fork(context.Background(), false)
			if err == nil {
				_ = c.close()
				t.Fatal("a copy was handed out without this wall")
			}
			if e := new(Error); step != "wall in the keeper" || !errors.As(err, &e) || e.Step != "see the keeper stand still" {
				failedAt(t, err, step) // the keeper's own word, unless pid 1's is heard first
			}
			left := descendants(broken.r.first(), nil)
			for end := time.Now().Add(20 * time.Second); len(left) > 1 && time.Now().Before(end); left = descendants(broken.r.first(), nil) {
				time.Sleep(10 * time.Millisecond) // pid 1 reaps it
			}
			if len(left) > 1 {
				t.Errorf("%d processes are left beside the zygote", len(left)-1)
			}
		})
	}
	if tried < 10 {
		t.Errorf("only %d steps are the copies' own", tried)
	}
}

// startFaulty starts a zygote whose copies' lists fail at a step, though its own does not.
func startFaulty(t *testing.T, step string) (*zygote, error) {
	t.Helper()
	l, err := newNative(Options{})
	if err != nil {
		t.Fatal(err)
	}
	n := l.(*native)
	n.copyFault = step
	z, err := n.newZygote(context.Background(), copies(t))
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() {
		if err := errors.Join(z.close(), n.close()); err != nil {
			t.Error(err)
		}
	})
	return z, nil
}

func failedAt(t *testing.T, err error, step string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Step != step || !errors.Is(err, unix.EIO) {
		t.Fatalf("the error is %v, want one of step %q with EIO", err, step)
	}
}

// TestCopyPosture compares what /proc says of a copy's two processes with what
// it says of a cold run's, word for word.
func TestCopyPosture(t *testing.T) {
	asEveryone(t)
	z, err := startZygote(t, Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := Pipe(false)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	cold, err := z.n.start(context.Background(), Place{}, func() Policy {
		p := z.pol
		p.Limits.mapped, p.Limits.keepers = 0, 0
		p.Argv = []string{"/usr/bin/python3", "-I", "-S", "-c", "import time; time.sleep(60)"}
		return p
	}(), Stdio{Stdout: w, Stderr: w})
	if err != nil {
		t.Fatal(err)
	}
	defer cold.close()
	c, err := z.fork(context.Background(), false)
	if err != nil {
		t.Fatal(err)
	}
	warm, err := c.release(context.Background(), Job{Limits: z.pol.Limits, Message: []byte("sleep")})
	if err != nil {
		t.Fatal(err)
	}
	defer warm.close()
	for n, name := range []string{"pid 1", "pid 2"} {
		t.Run(name, func(t *testing.T) {
			var looks [2]map[string]any
			for i, p := range []process{cold, warm} {
				r := p.(*running)
				pid := r.first()
				if n == 1 {
					pid = waitForProgram(t, pid, "python3")
				}
				if _, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid)); n == 0 && os.Geteuid() != 0 {
					if !os.IsPermission(err) {
						t.Errorf("an ordinary user may look into pid 1: %v", err)
					}
					looks[i] = map[string]any{}
					continue
				}
				looks[i] = look(t, pid, r)
			}
			equal(t, "a cold run's and a copy's", looks[0], looks[1])
		})
	}
	if cold.posture().Network != warm.posture().Network || strings.Join(cold.posture().Layers, " ") != strings.Join(warm.posture().Layers, " ") {
		t.Errorf("%+v, %+v", cold.posture(), warm.posture())
	}
}

// look is what must not differ between two runs.
func look(t *testing.T, pid int, r *running) map[string]any {
	t.Helper()
	status := readStatus(t, pid)
	all := map[string]any{}
	for _, key := range []string{"Groups", "NoNewPrivs", "Seccomp", "Threads", "CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "SigBlk", "ShdPnd"} {
		all[key] = status[key]
	}
	uid := status["Uid"]
	if r.id.hostID >= 0 { // each run has its own
		uid = strings.ReplaceAll(uid, fmt.Sprint(r.id.hostID), "its own")
	}
	all["Uid"] = uid
	nspid := strings.Fields(status["NSpid"])
	all["NSpid"] = nspid[len(nspid)-1]
	limits := readLimits(t, pid)
	delete(limits, "Max address space") // a copy's holds what the zygote had mapped besides,
	delete(limits, "Max processes")     // and its keeper is one
	all["limits"] = limits
	all["oom"] = readProc(t, pid, "oom_score_adj")
	all["shared"] = shared(t, pid)
	fds := readDescriptors(t, pid)
	all["fds"] = fds
	nice := strings.Fields(readProc(t, pid, "stat"))
	all["nice, tty"] = []string{nice[18], nice[6]}
	cgroup := readProc(t, pid, "cgroup")
	if doors, err := r.meter.doors(false); err != nil {
		t.Error(err)
	} else if len(doors) > 0 {
		defer closeAll(doors)
		if own := filepath.Base(filepath.Dir(doors[0].Name())); !strings.Contains(cgroup, own) {
			t.Errorf("process %d is not in %s: %s", pid, own, cgroup)
		}
	}
	mounts := map[string]string{} // the last on a place is what is seen
	for line := range strings.Lines(readProc(t, pid, "mountinfo")) {
		f := strings.Fields(line)
		mounts[f[4]] = f[5]
	}
	delete(mounts, "/etc/passwd") // a copy's stand alone
	delete(mounts, "/etc/group")
	all["mounts"] = mounts
	return all
}

// TestZygoteProtocol: whatever a zygote or a copy says or does not say, nothing
// is run, the server learns of it in time, and nothing is left.
func TestZygoteProtocol(t *testing.T) {
	l, err := newNative(Options{})
	if err != nil {
		t.Fatal(err)
	}
	n := l.(*native)
	t.Cleanup(func() {
		if err := n.close(); err != nil {
			t.Error(err)
		}
	})
	for _, c := range []struct {
		mode    string
		starts  bool
		ends    error // nil: any error; unless fine
		fine    bool
		either  bool // fine or not
		message string
	}{
		{mode: "dies", ends: ErrZygote, message: "out of luck"},
		{mode: "silent", ends: context.DeadlineExceeded},
		{mode: "garbage", ends: ErrZygote},
		{mode: "huge", ends: ErrZygote},
		{mode: "threads", ends: ErrZygote},
		{mode: "shares", ends: ErrZygote},
		{mode: "deaf", starts: true, ends: ErrZygote},
		{mode: "leaves", starts: true, ends: ErrZygote},
		{mode: "liar", starts: true},
		{mode: "refuses", starts: true, ends: unix.EAGAIN},
		{mode: "babbles", starts: true, ends: ErrZygote},
		{mode: "copy exits", starts: true},
		{mode: "copy babbles", starts: true},
		{mode: "copy lies", starts: true},
		{mode: "copy claims failure", starts: true},
		{mode: "copy shouts", starts: true},
		{mode: "copy sends descriptors", starts: true, fine: true},
		{mode: "copy closes", starts: true},
		{mode: "copy is killed", starts: true},
		{mode: "copy leaves early", starts: true, either: true}, // before or after pid 1 sees the keeper; later, the pool sees that it is lost
	} {
		t.Run(c.mode, func(t *testing.T) {
			before := openFiles(t)
			patience := time.Minute
			if errors.Is(c.ends, context.DeadlineExceeded) {
				patience = 4 * time.Second
			}
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			z, err := n.newZygote(ctx, copies(t, c.mode))
			if !c.starts {
				if c.ends != nil && !errors.Is(err, c.ends) {
					t.Errorf("the error is %v", err)
				}
				var e *Error
				if c.message != "" && (!errors.As(err, &e) || !strings.Contains(e.Why, c.message)) {
					t.Errorf("the error does not say %q: %+v", c.message, e)
				}
				if err == nil {
					_ = z.close()
					t.Fatal("it was taken for a zygote")
				}
			} else {
				if err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				got, err := z.fork(context.Background(), false)
				most := forkTime - time.Second // it is seen, not waited for
				if c.mode == "deaf" {
					most = forkTime + 20*time.Second
				}
				if d := time.Since(began); d > most {
					t.Errorf("it took %v", d)
				}
				switch {
				case c.either:
				case c.fine && err != nil, !c.fine && err == nil, c.ends != nil && !errors.Is(err, c.ends):
					t.Errorf("the error is %v", err)
				}
				if err == nil {
					_ = got.close()
				}
				if err := z.close(); err != nil {
					t.Error(err)
				}
			}
			var after int
			for range 2000 { // what a zygote prints is read to its end
				if after = openFiles(t); after <= before {
					return
				}
				time.Sleep(10 * time.Millisecond)
			}
			t.Errorf("%d descriptors before, %d after", before, after)
		})
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// TestZygoteDies: a zygote that is killed makes no copies any more, and what it
// made goes on.
func TestZygoteDies(t *testing.T) {
	z, err := startZygote(t, Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := z.fork(context.Background(), false)
	if err != nil {
		t.Fatal(err)
	}
	idle, err := z.fork(context.Background(), false)
	if err != nil {
		t.Fatal(err)
	}
	pid := waitForProgram(t, z.r.first(), "python3")
	p, err := c.release(context.Background(), Job{Limits: z.pol.Limits, Message: []byte("sleep")})
	if err != nil {
		t.Fatal(err)
	}
	r, _ := p.streams()
	defer r.Close()
	if err := unix.Kill(pid, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if _, err := z.fork(context.Background(), false); !errors.Is(err, ErrZygote) {
		t.Errorf("the error is %v", err)
	}
	select {
	case <-z.gone():
	case <-time.After(20 * time.Second):
		t.Error("nobody is told")
	}
	// What it made goes on.
	if out, exit := give(t, idle, Job{Limits: z.pol.Limits, Message: []byte("still here")}); out != "still here\n" || exit.Code != 3 {
		t.Errorf("%q, %+v", out, exit)
	}
	p.kill(KilledWall)
	if exit := p.wait(); exit.Killed != KilledWall || exit.Signal != unix.SIGKILL {
		t.Errorf("%+v", exit)
	}
	if err := p.close(); err != nil {
		t.Error(err)
	}
}

// TestCopiesAreCounted: a copy's processes are in the copy's own group, in all
// hierarchies that a cold run's are in one of its own.
func TestCopiesAreCounted(t *testing.T) {
	z, err := startZygote(t, Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := z.fork(context.Background(), false)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	r := c.(idle).r
	if r.meter.mode() == "sampled" {
		t.Skip("nothing is counted in groups here")
	}
	groups := func(pid int) string {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", pid))
		if err != nil {
			t.Fatal(err)
		}
		var own []string
		for line := range strings.Lines(string(text)) {
			if strings.Contains(line, "pyrun-") {
				own = append(own, line)
			}
		}
		return strings.Join(own, "")
	}
	want := groups(r.first())
	if of := groups(z.r.first()); want == of || strings.Count(want, "\n") != strings.Count(of, "\n") || want == "" {
		t.Errorf("a copy's groups:\n%sand the zygote's:\n%s", want, of)
	}
	below := descendants(r.first(), nil)
	if len(below) == 0 {
		t.Fatal("the copy has no processes")
	}
	for _, pid := range below {
		if got := groups(pid); got != want {
			t.Errorf("process %d is in\n%sand pid 1 in\n%s", pid, got, want)
		}
	}
}

// TestCoveredBind: what copies would cover is said before anything is started.
func TestCoveredBind(t *testing.T) {
	l, err := New(Options{Backend: Native})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	pol := copies(t)
	pol.Binds = append(pol.Binds, Bind{Source: t.TempDir(), Target: "/tmp/python"})
	_, err = l.Zygote(t.Context(), pol)
	var e *Error
	if !errors.As(err, &e) || !errors.Is(err, ErrUnsupported) || !strings.Contains(e.Why, "/tmp/python") || e.Remedy == "" {
		t.Errorf("the error is %v", err)
	}
}

// TestForeignZygote: what loads the work of others has power in a user
// namespace alone, and its copies run all the same.
func TestForeignZygote(t *testing.T) {
	asEveryone(t)
	l, err := New(Options{Backend: Native})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	pol := copies(t)
	pol.Foreign = true
	z, err := l.impl.(*native).newZygote(t.Context(), pol)
	if err != nil {
		t.Fatal(err)
	}
	defer z.close()
	own, err := os.Readlink("/proc/self/ns/user")
	if err != nil {
		t.Fatal(err)
	}
	for _, pid := range append(descendants(z.r.first(), nil), z.r.first()) {
		of, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/user", pid))
		if err != nil || of == own {
			t.Errorf("process %d is in %s: %v", pid, of, err)
		}
	}
	c, err := z.fork(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	if caps := readStatus(t, descendants(c.(idle).r.first(), nil)[0])["CapEff"]; strings.Trim(caps, "0") != "" {
		t.Errorf("a copy has capabilities: %s", caps)
	}
	if out, exit := give(t, c, Job{Limits: z.pol.Limits, Message: []byte("well")}); out != "well\n" || exit.Code != 3 {
		t.Errorf("%q, %+v", out, exit)
	}
}

// TestKeeperStandsFirst: a copy is given a job only when its keeper, whose list
// lies in memory that the script can write, stands still behind all walls.
func TestKeeperStandsFirst(t *testing.T) {
	asEveryone(t)
	l, err := New(Options{Backend: Native})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	n := l.impl.(*native)
	n.copyFault = dawdle + "wall in the keeper"
	z, err := n.newZygote(context.Background(), copies(t))
	if err != nil {
		t.Fatal(err)
	}
	defer z.close()
	c, err := z.fork(context.Background(), false)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	keeper := 0
	for _, pid := range descendants(c.(idle).r.first(), nil) {
		if ids := strings.Fields(readStatus(t, pid)["NSpid"]); len(ids) > 1 && ids[len(ids)-1] == strconv.Itoa(keeperPID) {
			keeper = pid
		}
	}
	if keeper == 0 {
		t.Fatal("there is no keeper")
	}
	got := readStatus(t, keeper)
	if !strings.HasPrefix(got["State"], "T") || got["Seccomp"] != "2" || got["NoNewPrivs"] != "1" || strings.Trim(got["CapEff"]+got["CapBnd"], "0") != "" {
		t.Errorf("the keeper: %v", got)
	}
	fds, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", keeper))
	if err != nil || len(fds) != 3 {
		t.Errorf("it holds %v: %v", fds, err)
	}
}
