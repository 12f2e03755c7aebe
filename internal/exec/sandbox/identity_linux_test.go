//go:build linux && (amd64 || arm64)

package sandbox

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

const identityEnv = "PYRUN_TEST_IDENTITY"

// asEveryone runs the calling test again as each kind of user pyrun serves:
// root, root that may not make namespaces without a user namespace, and an
// ordinary user. The caller goes on as whoever it is now.
func asEveryone(t *testing.T) {
	t.Helper()
	if os.Getenv(identityEnv) != "" {
		return
	}
	if os.Geteuid() != 0 {
		t.Log("not root: tried as this user only")
		return
	}
	setpriv, err := exec.LookPath("setpriv")
	if err != nil {
		missing(t, "setpriv is not installed (util-linux)")
	}
	// go test's own folder is closed to other users.
	dir, err := os.MkdirTemp("", "pyrun-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(dir, "sandbox.test")
	copyFile(t, os.Args[0], binary)
	for name, args := range map[string][]string{
		"user":             {"--reuid", "1000", "--regid", "1000", "--clear-groups"},
		"root without cap": {"--inh-caps", "-all", "--bounding-set", "-sys_admin"},
	} {
		t.Run("as "+name, func(t *testing.T) {
			args = append(args, binary, "-test.run", "^"+topName(t)+"$", "-test.count=1")
			c := exec.Command(setpriv, args...)
			c.Env = append(os.Environ(), identityEnv+"="+name, "HOME=/nonexistent", "TMPDIR="+os.TempDir())
			c.Dir = "/"
			if out, err := c.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		})
	}
}

func topName(t *testing.T) string {
	name := t.Name()
	for i := range name {
		if name[i] == '/' {
			return name[:i]
		}
	}
	return name
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}

// missing skips for want of something of this machine; where everything is
// demanded, that is a failure.
func missing(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("PYRUN_REQUIRE") == "all" {
		t.Fatalf("PYRUN_REQUIRE=all: %s", why)
	}
	t.Skip(why)
}

func TestChooseIdentity(t *testing.T) {
	const all = 1<<41 - 1
	for _, c := range []struct {
		name          string
		euid          int
		caps          uint64
		userns, ownID bool
		refused       bool
	}{
		{"root", 0, all, false, true, false},
		{"root in a container", 0, 0xa80425fb, true, true, false},
		{"root without anything", 0, 0, false, false, true},
		{"user", 1000, 0, true, false, false},
		{"user with capabilities", 1000, all, true, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			userns, ownID, err := chooseIdentity(c.euid, c.caps)
			if userns != c.userns || ownID != c.ownID || (err != nil) != c.refused {
				t.Fatalf("got userns %v, own id %v, %v", userns, ownID, err)
			}
		})
	}
}

func TestLeaseIsExclusive(t *testing.T) {
	seen := map[int]bool{}
	for range 64 {
		id, lease, err := leaseID()
		if err != nil {
			t.Fatal(err)
		}
		defer lease.Close()
		if seen[id] || id < firstID || id >= firstID+manyIDs {
			t.Fatalf("id %d was given out twice or is out of range", id)
		}
		seen[id] = true
	}
}
