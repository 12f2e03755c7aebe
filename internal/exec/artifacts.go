package exec

// Files out. Everything here is done after the run is dead, through a
// descriptor taken before it was born, one component of a path at a time.
// Nothing found is believed: not a size, not a type, not a name.

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/pyrun-dev/pyrun/internal/exec/sandbox"
)

const (
	collectTime = 5 * time.Second
	maxEntries  = 4096
	maxDepth    = 16
	maxSkipped  = 100
)

// sink is where artifacts go when not into the Result; it says where one went.
type sink interface {
	put(name string, data []byte) (file string, err error)
}

// collector gathers what lies in one folder, within its budgets.
type collector struct {
	root     *os.File
	sink     sink // nil keeps the content
	maxFile  int64
	maxCount int
	left     int64
	total    int64
	deadline time.Time

	entries  int
	late     bool
	files    []string
	list     []Artifact
	skipped  []Skipped
	unlisted int
	failed   error // of the sink, the first
}

func newCollector(root *os.File, o Options, to sink) *collector {
	return &collector{
		root: root, sink: to, maxFile: o.MaxArtifactBytes, maxCount: o.MaxArtifacts,
		left: o.MaxArtifactsTotal, total: o.MaxArtifactsTotal, deadline: time.Now().Add(collectTime),
		list: []Artifact{},
	}
}

// collect looks around first and reads then, so that which files fit within
// the budgets depends on their names alone.
func (c *collector) collect() {
	c.find()
	slices.Sort(c.files)
	for i, name := range c.files {
		if c.isLate() {
			c.skip(".", fmt.Sprintf("stopped after %v: %d files were not read", collectTime, len(c.files)-i))
			break
		}
		if len(c.list) >= c.maxCount {
			c.skip(name, fmt.Sprintf("over the count of %d files", c.maxCount))
			continue
		}
		if a, ok := c.read(name); ok {
			c.list = append(c.list, a)
		}
	}
	if c.unlisted > 0 {
		c.skipped = append(c.skipped, Skipped{Path: "...", Reason: fmt.Sprintf("%d more were skipped", c.unlisted)})
	}
}

func (c *collector) isLate() bool {
	c.late = c.late || time.Now().After(c.deadline)
	return c.late
}

// skip names what is not returned. The list is bounded, its count is not.
func (c *collector) skip(name, why string) {
	if len(c.skipped) >= maxSkipped {
		c.unlisted++
		return
	}
	c.skipped = append(c.skipped, Skipped{Path: shown(name), Reason: why})
}

// find lists regular files, the shallow ones first, so that one crowded folder
// does not hide what lies beside it.
func (c *collector) find() {
	level := []string{""}
	for depth := 1; len(level) > 0; depth++ {
		var next []string
		for _, dir := range level {
			if c.isLate() || c.entries >= maxEntries {
				break
			}
			next = append(next, c.sort(dir, depth)...)
		}
		level = next
	}
	switch {
	case c.isLate():
		c.skip(".", fmt.Sprintf("stopped after %v: not every folder was looked at", collectTime))
	case c.entries >= maxEntries:
		c.skip(".", fmt.Sprintf("more than %d entries: the rest was not looked at", maxEntries))
	}
}

// sort parts the entries of one folder into files, folders and what is skipped.
func (c *collector) sort(dir string, depth int) (folders []string) {
	d, _, err := openPath(c.root, dir)
	if err != nil {
		c.skip(dir, why(err))
		return nil
	}
	defer d.Close()
	names, err := d.Readdirnames(maxEntries - c.entries)
	switch {
	case errors.Is(err, io.EOF) && dir != "": // which comes with no names only
		c.skip(dir, "empty folder")
	case err != nil && !errors.Is(err, io.EOF):
		c.skip(dir, why(err))
	}
	slices.Sort(names)
	for _, name := range names {
		c.entries++
		full := path.Join(dir, name)
		fault := partFault(name)
		if fault == "" && dir == "" && hasDrive(name) {
			fault = "begins with a drive letter"
		}
		if fault != "" {
			c.skip(strings.TrimPrefix(dir+"/"+name, "/"), "its name "+fault)
			continue
		}
		if c.isLate() {
			return nil
		}
		switch f, info, err := sandbox.OpenBeneath(d, name); {
		case err != nil:
			c.skip(full, why(err))
		case info.IsDir() && depth >= maxDepth:
			f.Close()
			c.skip(full, fmt.Sprintf("deeper than %d folders", maxDepth))
		case info.IsDir():
			f.Close()
			folders = append(folders, full)
		default:
			f.Close()
			c.files = append(c.files, full)
		}
	}
	return folders
}

// read takes one file; false when it turned out to be none.
func (c *collector) read(name string) (Artifact, bool) {
	f, info, err := openPath(c.root, name)
	if err == nil && !info.Mode().IsRegular() {
		f.Close()
		err = &sandbox.KindError{Mode: info.Mode()}
	}
	if err != nil {
		c.skip(name, why(err))
		return Artifact{}, false
	}
	defer f.Close()
	a := Artifact{Path: name, MediaType: mediaType(name), Size: info.Size()}
	if a.Error = c.over(a.Size); a.Error != "" {
		return a, true
	}
	data, err := io.ReadAll(io.LimitReader(f, min(c.maxFile, c.left)+1))
	if err != nil {
		c.skip(name, why(err))
		return Artifact{}, false
	}
	a.Size = int64(len(data))
	if a.Error = c.over(a.Size); a.Error != "" {
		return a, true
	}
	c.left -= a.Size
	sum := sha256.Sum256(data)
	a.SHA256 = hex.EncodeToString(sum[:])
	if c.sink == nil {
		a.Content = data
		return a, true
	}
	if a.File, err = c.sink.put(name, data); err != nil {
		a.Error = "not written: " + reason(err)
		if c.failed == nil {
			c.failed = err
		}
	}
	return a, true
}

// over says which budget a file of that size would pass.
func (c *collector) over(size int64) string {
	switch {
	case size > c.maxFile:
		return fmt.Sprintf("too large: %d bytes, at most %d (max_artifact_bytes)", size, c.maxFile)
	case size > c.left:
		return fmt.Sprintf("too large with the others: at most %d bytes in all (max_artifacts_total_bytes)", c.total)
	}
	return ""
}

// openPath goes down from root, one component at a time; "" is root itself.
func openPath(root *os.File, name string) (*os.File, fs.FileInfo, error) {
	if name == "" {
		name = "."
	}
	at := root
	for {
		part, rest, more := strings.Cut(name, "/")
		f, info, err := sandbox.OpenBeneath(at, part)
		if at != root {
			at.Close()
		}
		if err != nil || !more {
			return f, info, err
		}
		at, name = f, rest
	}
}

// why is an error of the collector in a few words.
func why(err error) string {
	var odd *sandbox.KindError
	if errors.As(err, &odd) {
		return kind(odd.Mode)
	}
	if errors.Is(err, fs.ErrPermission) {
		return "not readable"
	}
	return reason(err)
}
