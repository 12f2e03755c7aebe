// The cache folder: where it is, whether it may be trusted, and the record kept
// there of each interpreter, so that a start costs a few stats and no question.

package python

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
)

const (
	recordSchema = 4
	maxRecord    = 8 << 20
	remedyCache  = "set PYRUN_CACHE_DIR or XDG_CACHE_HOME to a folder of your own, or give an interpreter with --python"
)

// cacheDir is the folder to use: the given one, or the user's.
func cacheDir(o Options) (string, error) {
	if o.CacheDir != "" {
		return filepath.Abs(o.CacheDir)
	}
	if dir := o.env("XDG_CACHE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "pyrun"), nil
	}
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		dir, err := os.UserCacheDir()
		if err == nil {
			return filepath.Join(dir, "pyrun"), nil
		}
		return "", &Error{Kind: ErrCache, Msg: "find the cache folder", Err: err, Remedy: remedyCache}
	}
	if home := o.env("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".cache", "pyrun"), nil
	}
	return "", &Error{Kind: ErrCache, Msg: "find the cache folder: HOME is not set", Remedy: remedyCache}
}

// TrustFolder refuses a folder that another user could change: one in its path is
// owned by neither root nor this user, or others may write it (a sticky one,
// such as /tmp, keeps them from what is not theirs). Root must not run what
// somebody else has put there.
func TrustFolder(dir string) error {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	for at := real; ; at = filepath.Dir(at) {
		info, err := os.Lstat(at)
		if err != nil {
			return err
		}
		if err := trustFile(info, at, at != real); err != nil {
			return err
		}
		if filepath.Dir(at) == at {
			return nil
		}
	}
}

// trustRoot says whether the unpacked folder is there and nobody else's.
func trustRoot(root string) error {
	info, err := os.Lstat(root)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return &Error{Kind: ErrCache, Msg: "trust the cache: " + root + " is no folder", Remedy: "remove it"}
	}
	return errors.Join(trustFile(info, root, false), TrustFolder(filepath.Dir(root)))
}

// trustFile judges one file or folder; above says that it is only passed through.
func trustFile(info fs.FileInfo, name string, above bool) error {
	uid, gid, ok := owner(info)
	if !ok {
		return nil // no owners here
	}
	if uid != 0 && uid != os.Geteuid() {
		return &Error{Kind: ErrCache, Msg: fmt.Sprintf("trust the cache: %s belongs to user %d, who could change it", name, uid), Remedy: remedyCache}
	}
	writers := info.Mode().Perm() & 0o022
	if gid == os.Getegid() && above {
		writers &^= 0o020 // the user's own group, as umask 002 has it
	}
	if writers != 0 && !(above && info.Mode()&fs.ModeSticky != 0) {
		return &Error{Kind: ErrCache, Msg: fmt.Sprintf("trust the cache: others may write %s", name), Remedy: "chmod go-w " + name + ", or " + remedyCache}
	}
	return nil
}

// record is what is remembered of one interpreter while all stamps stay as they were.
type record struct {
	Schema      int
	Print       string // of the harness compiled into it
	Path        string
	Stamps      []stamp
	CAFile      string
	Sites       []string
	HarnessSize int
	Made        bool // it is the interpreter of an environment that Install made
	Interpreter Interpreter
}

// stamp is the state of one file or folder; a missing one has no Inode and no Time.
type stamp struct {
	Path  string
	Size  int64
	Time  int64 // of its last change, in nanoseconds
	Inode uint64
}

func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{Path: path}
	}
	return stamp{path, info.Size(), info.ModTime().UnixNano(), inode(info)}
}

func recordFile(dir, path string) string {
	h := fnv.New64a()
	_, _ = io.WriteString(h, path)
	return filepath.Join(dir, "interpreters", strconv.FormatUint(h.Sum64(), 16)+".json")
}

// loadRecord reads what is known of path; nil when nothing is, or when it cannot
// be trusted, is damaged or out of date: it is then found out and written again.
func loadRecord(dir, path string) *record {
	name := recordFile(dir, path)
	if TrustFolder(filepath.Dir(name)) != nil {
		return nil
	}
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxRecord || trustFile(info, name, false) != nil {
		return nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	// A line of JSON, then the harness as it is: decoding that would take longer than all the rest.
	line, harness, _ := bytes.Cut(data, []byte("\n"))
	r := &record{}
	if json.Unmarshal(line, r) != nil || len(harness) != r.HarnessSize || len(harness) == 0 || r.Schema != recordSchema || r.Path != path || r.Print != harnessPrint() || len(r.Stamps) == 0 {
		return nil
	}
	for _, s := range r.Stamps {
		if stampOf(s.Path) != s {
			return nil
		}
	}
	r.Interpreter.Harness = harness
	return r
}

// store writes the record in one step. That it cannot be kept is no failure.
func (r *record) store(dir string) {
	name := recordFile(dir, r.Path)
	folder := filepath.Dir(name)
	// Tried above first: nothing is made in a folder that cannot be trusted.
	if os.MkdirAll(dir, 0o700) != nil || TrustFolder(dir) != nil || os.MkdirAll(folder, 0o700) != nil || TrustFolder(folder) != nil {
		return
	}
	kept := *r
	kept.HarnessSize, kept.Interpreter.Harness = len(r.Interpreter.Harness), nil
	data, err := json.Marshal(&kept)
	if err != nil {
		return
	}
	data = append(append(data, '\n'), r.Interpreter.Harness...)
	f, err := os.CreateTemp(folder, ".new-")
	if err != nil {
		return
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
}
