package exec

// Matplotlib looks through every font of a machine the first time it is
// imported, which takes seconds, and a run's home is always new. So its list is
// made once for each interpreter, behind the same walls as any run, and shown
// to the runs that may want it.

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pyrun-dev/pyrun/internal/exec/python"
)

const (
	maxFontList = 8 << 20
	fontTime    = 90 * time.Second
)

// fontList is matplotlib's own file: its name tells its version.
type fontList struct {
	name string
	data []byte
}

// fontScript leaves the list that the import has just made.
const fontScript = `import os, shutil
import matplotlib.font_manager
folder = os.environ["MPLCONFIGDIR"]
for name in os.listdir(folder):
    if name.startswith("fontlist-"):
        shutil.copy(os.path.join(folder, name), os.environ["ARTIFACTS_DIR"])
`

// wantsFonts is a guess from the bytes of the code: wrong, it costs time or nothing.
func wantsFonts(code []byte) bool {
	for _, word := range []string{"matplotlib", "pyplot", "seaborn", ".plot", "pylab"} {
		if bytes.Contains(code, []byte(word)) {
			return true
		}
	}
	return false
}

// fonts is the list for the interpreter, made now if need be; nil when there
// is none to be had, which costs the script time and nothing else.
func (e *Executor) fonts(ctx context.Context, in *python.Interpreter, progress func(Progress)) *fontList {
	version := ""
	for _, d := range in.Packages {
		if strings.EqualFold(d.Name, "matplotlib") {
			version = d.Version
		}
	}
	if version == "" {
		return nil
	}
	e.fontLock <- struct{}{}
	defer func() { <-e.fontLock }()
	if e.fontList != nil || e.fontTried {
		return e.fontList
	}
	fonts, err := e.options.ownFolder("fonts")
	if err != nil {
		return nil
	}
	key := sha256.Sum256([]byte(in.Source + "\x00" + in.Version + "\x00" + version))
	dir := filepath.Join(fonts, hex.EncodeToString(key[:8]))
	if e.fontList = readFontList(dir); e.fontList != nil {
		return e.fontList
	}
	if progress != nil {
		progress(Progress{What: "listing fonts for matplotlib (once)"})
	}
	list, err := e.makeFontList(ctx, in)
	if err != nil {
		e.fontTried = ctx.Err() == nil // a cancelled try says nothing
		return nil
	}
	saveFontList(dir, list)
	e.fontList = list
	return list
}

func (e *Executor) makeFontList(ctx context.Context, in *python.Interpreter) (*fontList, error) {
	o := e.options
	o.MaxArtifactBytes, o.MaxArtifactsTotal, o.MaxArtifacts = maxFontList, maxFontList, 1
	o.MaxTimeout = max(o.MaxTimeout, fontTime)
	r := Request{Code: []byte(fontScript)}
	r.Limits.Wall = fontTime
	j, err := o.check(r)
	if err != nil {
		return nil, err
	}
	done, err := run(ctx, e, o, r, j, in, nil)
	if err != nil {
		return nil, err
	}
	defer done.close()
	found, _, err := artifactsOf(done.tree.Store(), o, nil)
	if err != nil {
		return nil, err
	}
	for _, a := range found {
		if isFontList(a.Path) && json.Valid(a.Content) {
			return &fontList{a.Path, a.Content}, nil
		}
	}
	return nil, errors.New("matplotlib left no list of fonts")
}

// isFontList knows names like fontlist-v390.json and nothing more adventurous.
func isFontList(name string) bool {
	v, ok := strings.CutPrefix(name, "fontlist-v")
	v, json := strings.CutSuffix(v, ".json")
	return ok && json && v != "" && len(v) < 20 && strings.Trim(v, "0123456789.") == "" && v[0] != '.'
}

func readFontList(dir string) *fontList {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if info, err := e.Info(); err != nil || !info.Mode().IsRegular() || info.Size() > maxFontList || !isFontList(e.Name()) {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err == nil && json.Valid(data) {
			return &fontList{e.Name(), data}
		}
	}
	return nil
}

// saveFontList is best effort: another start makes the list again.
func saveFontList(dir string, l *fontList) {
	if os.MkdirAll(dir, 0o700) != nil {
		return
	}
	t, err := os.CreateTemp(dir, ".list-*.tmp")
	if err != nil {
		return
	}
	_, err = t.Write(l.data)
	if cerr := t.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(t.Name(), filepath.Join(dir, l.name))
	}
	if err != nil {
		_ = os.Remove(t.Name())
	}
}
