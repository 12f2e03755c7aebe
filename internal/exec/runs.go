package exec

// The folder of runs: where artifacts go when no folder was named.

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/pyrun-dev/pyrun/internal/exec/python"
)

// keptRuns is how many folders of runs stay.
const keptRuns = 50

// cacheFolder is pyrun's own folder on this machine.
func (o Options) cacheFolder() (string, error) {
	if o.CacheDir != "" {
		return o.CacheDir, nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", &CacheError{Err: err, Remedy: "set HOME or XDG_CACHE_HOME, or name a cache folder"}
	}
	return filepath.Join(dir, "pyrun"), nil
}

// ownFolder makes a folder below the cache folder. What lies in one that somebody
// else may change is neither read nor written nor removed.
func (o Options) ownFolder(name string) (string, error) {
	cache, err := o.cacheFolder()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, name)
	for _, d := range []string{cache, dir} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return "", err
		}
		if err := python.TrustFolder(d); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// runFolder is a sink that makes the run's folder when the first artifact
// comes. Without a usable cache folder, or with one that others could change, it
// takes a temporary one: by then the work is done, and must not be lost.
type runFolder struct {
	options Options
	id      string
	to      *folder
}

func (r *runFolder) put(name string, data []byte) (string, error) {
	if r.to == nil {
		to, err := r.open()
		if err != nil {
			return "", err
		}
		r.to = to
	}
	return r.to.put(name, data)
}

func (r *runFolder) open() (*folder, error) {
	runs, err := r.options.ownFolder("runs")
	if err == nil {
		pruneRuns(runs, keptRuns-1)
		var to *folder
		if to, err = openFolder(filepath.Join(runs, r.id), r.id); err == nil {
			return to, nil
		}
	}
	temp, terr := os.MkdirTemp("", "pyrun-run-")
	if terr != nil {
		return nil, errors.New("neither in the cache: " + err.Error() + "; nor elsewhere: " + terr.Error())
	}
	return openFolder(temp, r.id)
}

func (r *runFolder) close(artifacts int) {
	if r.to != nil {
		r.to.close(artifacts)
	}
}

// pruneRuns keeps the newest folders of runs. Others may do the same at the
// same time, and what cannot be removed is left: this is housekeeping.
func pruneRuns(runs string, keep int) {
	entries, err := os.ReadDir(runs)
	if err != nil || len(entries) <= keep {
		return
	}
	root, err := os.OpenRoot(runs)
	if err != nil {
		return
	}
	defer root.Close()
	type old struct {
		name string
		when int64
	}
	var all []old
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && info.IsDir() && isID(e.Name()) {
			all = append(all, old{e.Name(), info.ModTime().UnixNano()})
		}
	}
	slices.SortFunc(all, func(a, b old) int { return cmp.Compare(b.when, a.when) })
	for _, o := range all[min(keep, len(all)):] {
		if err := root.RemoveAll(o.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return
		}
	}
}

// isID tells a run's folder from anything else that lies there.
func isID(s string) bool {
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return len(s) == 8
}
