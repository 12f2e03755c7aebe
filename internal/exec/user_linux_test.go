package exec_test

import (
	"io"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestAsUser runs the tests of behaviour and the corpus again as an ordinary user.
func TestAsUser(t *testing.T) {
	t.Parallel() // beside others that wait
	if os.Geteuid() != 0 {
		t.Skip("it is an ordinary user already")
	}
	if testing.Short() {
		t.Skip("it takes a while")
	}
	const id = 1000
	dir, err := os.MkdirTemp("", "pyrun-as-user-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, sub := range []string{"home", "tmp"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(filepath.Join(dir, sub), id, id); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(dir, "exec.test")
	copySelf(t, program)
	steps, err := os.ReadFile("../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "steps"), steps, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(prepareHost(t))
	cmd := osexec.Command(program, "-test.v", "-test.run=^(TestHostile|TestHostileBites|TestRuns|TestCancelled|TestOutputIsBounded|TestCollectUnreadable|TestRunsLeaveNothing|TestCheckHolds|TestCheckSaysWhatRunSays|TestCheckDoubts)$")
	cmd.Dir = dir + "/home"
	cmd.Env = []string{
		"HOME=" + dir + "/home", "TMPDIR=" + dir + "/tmp", "PATH=" + os.Getenv("PATH"), "PYRUN_HOSTILE_PREPARED=1", "PYRUN_TEST_STEPS=" + dir + "/steps",
		"PYRUN_REQUIRE=" + os.Getenv("PYRUN_REQUIRE"), "PYRUN_TEST_PYTHON=" + os.Getenv("PYRUN_TEST_PYTHON"),
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: id, Gid: id}, Pdeathsig: syscall.SIGKILL}
	out, err := cmd.CombinedOutput()
	for l := range strings.Lines(string(out)) {
		if strings.Contains(l, "--- SKIP") || strings.Contains(l, "no run is possible") {
			t.Log(strings.TrimSpace(l))
		}
	}
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func copySelf(t *testing.T, to string) {
	t.Helper()
	self, err := os.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer self.Close()
	f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(f, self); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
