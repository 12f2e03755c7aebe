package exec

import "bytes"

// Shorten keeps at most so many bytes of each stream, head and tail, with one
// line between them, for doors that can pass on less than was kept. It changes r,
// so it is for a copy.
func (r *Result) Shorten(stdout, stderr int64) {
	t := Truncated{
		StdoutBytes: int64(len(r.Stdout)), stdoutLines: int64(bytes.Count([]byte(r.Stdout), newline)),
		StderrBytes: int64(len(r.Stderr)), stderrLines: int64(bytes.Count([]byte(r.Stderr), newline)),
	}
	if r.Truncated != nil {
		t = *r.Truncated
	}
	out, cutOut := shorten(r.Stdout, stdout, t.StdoutBytes, t.stdoutLines)
	err, cutErr := shorten(r.Stderr, stderr, t.StderrBytes, t.stderrLines)
	if cutOut || cutErr {
		r.Stdout, r.Stderr, r.Truncated = out, err, &t
	}
}

// shorten cuts text, of which perhaps something was left out before: written and
// lines count what the stream really had.
func shorten(text string, limit, written, lines int64) (string, bool) {
	k := newKeeper(limit)
	k.add([]byte(text))
	if !k.cut() {
		return text, false
	}
	k.total, k.lines = written, lines
	return k.text(), true
}
