package sandbox

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const plainPart = "PYRUN_TEST_PLAIN"

// TestPlainProgram is what the tests below start: this binary again, in a part of its own.
func TestPlainProgram(t *testing.T) {
	switch os.Getenv(plainPart) {
	case "reads":
		in, _ := io.ReadAll(os.Stdin)
		os.Stdout.Write(in)
		for _, name := range []string{"inputs/file", "inputs/folder/a", "file", "folder/a"} {
			b, err := os.ReadFile(name)
			if err != nil {
				b = []byte(err.Error())
			}
			os.Stdout.WriteString(" " + string(b))
		}
		_ = os.WriteFile("made", []byte("artifact"), 0o600)
		os.Stderr.WriteString("words")
		os.Exit(7)
	case "137":
		os.Exit(137)
	case "waits":
		time.Sleep(time.Minute)
	case "leaves", "hangs": // a child that holds stdout
		child := exec.Command(os.Args[0], "-test.run=^TestPlainProgram$")
		child.Env, child.Stdout = append(os.Environ(), plainPart+"=waits"), os.Stdout
		if err := child.Start(); err != nil {
			os.Stdout.WriteString(err.Error())
			os.Exit(1)
		}
		os.Stdout.WriteString("started")
		if os.Getenv(plainPart) == "hangs" {
			time.Sleep(time.Minute)
		}
		os.Exit(0)
	}
}

type plainRun struct {
	exit           Exit
	stdout, stderr string
	made           string
	took           time.Duration
}

// runPlain plays one part without walls and holds that its folder is gone afterwards.
func runPlain(t *testing.T, part string, change func(root string, p *Policy)) plainRun {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	temp := t.TempDir()
	l, err := New(Options{Backend: None, TempDir: temp})
	if err != nil {
		t.Fatal(err)
	}
	at, err := l.Place()
	if err != nil {
		t.Fatal(err)
	}
	job := filepath.Join(at.Root, "job")
	p := Policy{
		Argv: []string{self, "-test.run=^TestPlainProgram$"}, Env: []string{plainPart + "=" + part}, Dir: job,
		Writable: []Dir{{Path: job, Name: "job", Mode: 0o700}},
	}
	if change != nil {
		change(at.Root, &p)
	}
	var ends []*os.File
	pipe := func() (*os.File, *os.File) {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, r, w)
		return r, w
	}
	inR, inW := pipe()
	outR, outW := pipe()
	errR, errW := pipe()
	defer func() {
		for _, f := range ends {
			f.Close()
		}
	}()
	_, _ = inW.WriteString("given")
	inW.Close()
	began := time.Now()
	x, err := l.Start(context.Background(), at, p, Stdio{inR, outW, errW})
	if err != nil {
		t.Fatal(err)
	}
	outW.Close()
	errW.Close()
	var r plainRun
	r.exit = x.Wait()
	// No end to read means that somebody lives and holds the other one.
	out, _ := io.ReadAll(outR)
	errs, _ := io.ReadAll(errR)
	r.stdout, r.stderr, r.took = string(out), string(errs), time.Since(began)
	if f, _, err := OpenBeneath(x.Store(), "job"); err == nil {
		if made, _, err := OpenBeneath(f, "made"); err == nil {
			b, _ := io.ReadAll(made)
			r.made = string(b)
			made.Close()
		}
		f.Close()
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	return r
}

// TestPlain runs on every system: what a run without walls promises is little, but the same.
func TestPlain(t *testing.T) {
	host := t.TempDir()
	if err := os.Mkdir(filepath.Join(host, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"file": "one", "folder/a": "two"} {
		if err := os.WriteFile(filepath.Join(host, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := runPlain(t, "reads", func(root string, p *Policy) {
		for _, name := range []string{"file", "folder"} {
			p.Binds = append(p.Binds, Bind{Source: filepath.Join(host, name), Target: filepath.Join(root, "job", "inputs", name)})
			p.Links = append(p.Links, Link{Path: filepath.Join(root, "job", name), Target: "inputs/" + name})
		}
	})
	got := []any{r.stdout, r.stderr, r.made, r.exit.Code, r.exit.Signal, r.exit.Killed}
	if d := cmp.Diff([]any{"given one two one two", "words", "artifact", 7, syscall.Signal(0), Reason("")}, got); d != "" {
		t.Error(d)
	}
	if b, err := os.ReadFile(filepath.Join(host, "folder", "a")); err != nil || string(b) != "two" {
		t.Errorf("the input is %q, %v afterwards", b, err)
	}
}

func TestPlainEnds(t *testing.T) {
	if r := runPlain(t, "137", nil); r.exit.Code != 137 || r.exit.Signal != 0 || r.exit.Killed != "" {
		t.Errorf("an exit of its own: %+v", r.exit)
	}
	if r := runPlain(t, "leaves", nil); r.exit.Code != 0 || r.stdout != "started" || r.took > 30*time.Second {
		t.Errorf("a child left behind: %+v", r)
	}
	r := runPlain(t, "hangs", func(_ string, p *Policy) { p.Limits.Wall = 2 * time.Second })
	if r.exit.Killed != KilledWall || r.exit.Signal != syscall.SIGKILL || r.exit.Code != 137 || r.stdout != "started" || r.took > 30*time.Second {
		t.Errorf("out of time: %+v", r)
	}
}

func TestPlainDoesNotStart(t *testing.T) {
	temp := t.TempDir()
	l, err := New(Options{Backend: None, TempDir: temp})
	if err != nil {
		t.Fatal(err)
	}
	at, err := l.Place()
	if err != nil {
		t.Fatal(err)
	}
	job := filepath.Join(at.Root, "job")
	_, err = l.Start(t.Context(), at, Policy{
		Argv: []string{filepath.Join(temp, "nothing.exe")}, Dir: job, Writable: []Dir{{Path: job, Name: "job"}},
	}, Stdio{})
	if err == nil {
		t.Error("it started")
	}
	if left, _ := os.ReadDir(temp); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
