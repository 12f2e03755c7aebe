// packages.lock.txt: which version and which file of every package, for one
// kind of interpreter. It is what pip reads with --require-hashes; what only
// pyrun needs stands in comments.

package python

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// LockError is a packages.lock.txt that cannot be used.
type LockError struct{ Msg string }

func (e *LockError) Error() string { return "the lock " + e.Msg }

// What stands in the first lines of a lock.
const (
	lockMark = "# packages: sha256:"
	lockFor  = "# for: "
)

// Locked is what Lock found.
type Locked struct {
	Text     string // of packages.lock.txt
	Packages []Distribution
	Wanted   []Requirement // of the list, those whose marker is true
}

// fingerprint is of the packages that a list asks for: comments, order and
// blanks do not change it.
func fingerprint(list []Requirement) string {
	lines := make([]string, 0, len(list))
	for _, r := range list {
		r.Spelled = r.Name
		lines = append(lines, r.String()+" "+strings.Join(r.Hashes, " "))
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:])
}

// kind is the kind of interpreter that one set of files fits.
func (b base) kind() string {
	return fmt.Sprintf("CPython %s, %s/%s", shortVersion(b.version), runtime.GOOS, runtime.GOARCH)
}

// readLock gives the locked packages when the lock was made from list, for b.
func readLock(text string, list []Requirement, b base) ([]Requirement, error) {
	var made, kind string
	for _, line := range splitLines([]byte(text)) {
		if v, ok := strings.CutPrefix(line, lockMark); ok {
			made = strings.TrimSpace(v)
		} else if v, ok := strings.CutPrefix(line, lockFor); ok {
			kind = strings.TrimSpace(v)
		}
	}
	switch {
	case made == "" || kind == "":
		return nil, &LockError{"was not made by pyrun packages lock"}
	case made != fingerprint(list):
		return nil, &LockError{"is stale: packages.txt has changed since it was made"}
	case kind != b.kind():
		return nil, &LockError{fmt.Sprintf("is for another interpreter: %s, and this is %s", kind, b.kind())}
	}
	locked, err := ParsePackages(text)
	if err != nil {
		return nil, &LockError{"cannot be read: " + err.Error()}
	}
	for _, r := range locked {
		if len(r.Hashes) == 0 || !strings.HasPrefix(r.Specifier, "==") {
			return nil, &LockError{fmt.Sprintf("does not pin %s in line %d", r.Spelled, r.Line)}
		}
	}
	return locked, nil
}

// Lock asks pip which files satisfy the list, and installs nothing. Target and
// Lock of in do not count. Errors are those of Install.
func Lock(ctx context.Context, in Installation) (*Locked, error) {
	b, list, wanted, err := in.begin(ctx)
	if err != nil {
		return nil, err
	}
	var found []resolved
	if len(wanted) > 0 {
		if found, err = in.resolve(ctx, b, wanted); err != nil {
			return nil, err
		}
	}
	l := &Locked{Wanted: wanted, Text: "# Made by pyrun packages lock; pip install --require-hashes -r takes it too.\n" +
		lockMark + fingerprint(list) + "\n" + lockFor + b.kind() + "\n"}
	for _, f := range found {
		hash := f.hash()
		if hash == "" || f.Metadata.Name == "" || f.Metadata.Version == "" {
			return nil, &PackagesError{Msg: fmt.Sprintf("pip names no hash of %s %s", f.Metadata.Name, f.Metadata.Version)}
		}
		l.Text += fmt.Sprintf("%s==%s \\\n    --hash=sha256:%s\n", NormalName(f.Metadata.Name), f.Metadata.Version, hash)
		l.Packages = append(l.Packages, Distribution{Name: f.Metadata.Name, Version: f.Metadata.Version})
	}
	if _, err := readLock(l.Text, list, b); err != nil { // what pip says is data like any other
		return nil, &PackagesError{Msg: "write a lock", Err: err}
	}
	return l, nil
}

// resolved is one file in pip's report.
type resolved struct {
	DownloadInfo struct {
		URL         string `json:"url"`
		ArchiveInfo struct {
			Hashes map[string]string `json:"hashes"`
		} `json:"archive_info"`
	} `json:"download_info"`
	Metadata struct{ Name, Version string } `json:"metadata"`
}

// hash is the SHA-256 of the file; an older pip says none of a file of this machine.
func (f resolved) hash() string {
	if sum := f.DownloadInfo.ArchiveInfo.Hashes["sha256"]; sum != "" {
		return sum
	}
	at, err := url.Parse(f.DownloadInfo.URL)
	if err != nil || at.Scheme != "file" {
		return ""
	}
	file, err := os.Open(at.Path)
	if err != nil {
		return ""
	}
	defer file.Close()
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (in Installation) resolve(ctx context.Context, b base, wanted []Requirement) ([]resolved, error) {
	folder, ours, err := pipFor(ctx, in.Options, b)
	if err != nil {
		return nil, err
	}
	temp, err := os.MkdirTemp("", "pyrun-lock-")
	if err != nil {
		return nil, orNoRoom("make a temporary folder", err)
	}
	defer removeTree(temp)
	work := filepath.Join(temp, ".work")
	if err := skeleton(temp, work, b); err != nil {
		return nil, orNoRoom("make a temporary folder", err)
	}
	p := pip{options: in.Options, base: b, folder: folder, ours: ours, root: temp, final: temp, temp: work, index: in.Index}
	out := filepath.Join(temp, "report.json")
	if err := p.install(ctx, requirementLines(wanted), "--dry-run", "--report", out); err != nil {
		return nil, err
	}
	var report struct {
		Install []resolved `json:"install"`
	}
	if err := readReport(out, &report); err != nil {
		return nil, &PackagesError{Msg: "read pip's report", Err: err}
	}
	if len(report.Install) == 0 {
		return nil, &PackagesError{Msg: "read pip's report", Err: errors.New("it names no package")}
	}
	slices.SortFunc(report.Install, func(a, b resolved) int {
		return strings.Compare(NormalName(a.Metadata.Name), NormalName(b.Metadata.Name))
	})
	return report.Install, nil
}
