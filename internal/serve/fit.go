package serve

// An answer that must stay below a number of characters: what a model can use
// least is left out first, and everything that is left out is named.

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

// fit changes r, the caller's own copy, so that its text has at most most
// characters. With contents, what artifacts hold counts and may be left out; without,
// it comes on top.
func fit(r *exec.Result, most int, contents bool) {
	bare := func() int {
		c := *r
		c.Stdout, c.Stderr, c.Truncated = "", "", &exec.Truncated{StdoutBytes: 1 << 40, StderrBytes: 1 << 40}
		if !contents {
			c.Artifacts = slices.Clone(c.Artifacts)
			for i := range c.Artifacts {
				c.Artifacts[i].Content = nil
			}
		}
		object, err := encode(&c)
		if err != nil {
			return 0 // content tells it
		}
		return utf8.RuneCountInString(indented(object))
	}
	// Half for what the files hold and are called, so that the streams have as much.
	if contents && bare() > most/2 {
		dropContents(r, most/4)
	}
	dropNames(r, func() bool { return bare() > most/2 })
	room := most - bare()
	out, err := cost(r.Stdout, most), cost(r.Stderr, most)
	if out+err <= room {
		return
	}
	forErr := min(err, max(room/2, room-out))
	r.Shorten(bytesFor(r.Stdout, room-forErr), bytesFor(r.Stderr, forErr))
}

// cost is the number of characters of s as JSON; more than most is more than most.
func cost(s string, most int) int {
	if len(s) > utf8.UTFMax*most {
		return most + 1
	}
	length := func(s string) int {
		object, err := encode(&exec.Result{Stdout: s})
		if err != nil {
			return 0
		}
		return utf8.RuneCount(object)
	}
	return length(s) - length("")
}

// bytesFor is how many bytes of s may be kept for room characters of JSON.
func bytesFor(s string, room int) int64 {
	const mark = 64 // the line that stands where something was left out
	limit := utf8.UTFMax * room
	for limit > 2 {
		r := exec.Result{Stdout: s}
		r.Shorten(int64(limit), 0)
		c := cost(r.Stdout, 8*room)
		if c <= room {
			break
		}
		limit = min(limit-1, limit*room/c-mark)
	}
	return int64(max(limit, 2))
}

// dropContents leaves out the largest contents until the rest has about most characters.
func dropContents(r *exec.Result, most int) {
	size := func(a exec.Artifact) int {
		if a.Text != nil {
			return cost(*a.Text, maxContentText)
		}
		return len(a.Content) * 4 / 3
	}
	var order []int
	sum := 0
	for i, a := range r.Artifacts {
		if n := size(a); n > 0 {
			order, sum = append(order, i), sum+n
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return size(r.Artifacts[j]) - size(r.Artifacts[i]) })
	for _, i := range order {
		if sum <= most {
			return
		}
		a := &r.Artifacts[i]
		sum -= size(*a)
		a.Content, a.Text = nil, nil
		a.Error = fmt.Sprintf("not in this answer (%s): it would be too long; %s", bytesWord(a.Size), wayOut)
	}
}

// dropNames shortens the lists of names while they are too long, and says so.
func dropNames(r *exec.Result, long func() bool) {
	artifacts, skipped := len(r.Artifacts), len(r.Skipped)
	for len(r.Artifacts)+len(r.Skipped) > 1 && long() {
		if len(r.Skipped) >= len(r.Artifacts) {
			r.Skipped = r.Skipped[:len(r.Skipped)/2]
		} else {
			r.Artifacts = r.Artifacts[:len(r.Artifacts)/2]
		}
	}
	artifacts, skipped = artifacts-len(r.Artifacts), skipped-len(r.Skipped)
	if artifacts+skipped > 0 {
		r.Skipped = append(slices.Clone(r.Skipped), exec.Skipped{
			Path: "...", Reason: fmt.Sprintf("this answer has no room for %d more artifacts and %d more skipped files", artifacts, skipped),
		})
	}
}
