// PEP 723, inline script metadata, to the letter of its specification
// (packaging.python.org, "Inline script metadata"), and stricter only where
// leniency would let a block hide:
//
//   - lines end in LF, CRLF or a lone CR; a BOM may come first;
//   - blanks after `# /// script` and after the closing `# ///` are allowed;
//   - as the reference regular expression has it, a block need not stand in a
//     comment: one inside a triple-quoted string counts;
//   - the last `# ///` of a run of comment lines closes it; an unclosed block is
//     no block; blocks of other types are skipped whole; two of type script are an error.

package python

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// Metadata is a script's own block of metadata.
type Metadata struct {
	Dependencies   []string // as written; nil when the key is absent
	RequiresPython string   // empty when absent
	Line           int      // of the block's first line, from 1
	RequiresLine   int      // of the line that names requires-python; Line when it is absent
	Unknown        []UnknownKey
}

// UnknownKey is a top-level key that the specification does not have.
type UnknownKey struct {
	Name string
	Line int // from 1
}

// What is wrong with a block; every *MetadataError wraps one of these.
var (
	ErrBlocks    = errors.New("more than one block")
	ErrTOML      = errors.New("not valid TOML")
	ErrType      = errors.New("a value of the wrong type")
	ErrSpecifier = errors.New("not a version specifier")
)

// MetadataError is a block that breaks the rules.
type MetadataError struct {
	Line int   // from 1
	Kind error // one of the errors above
	Msg  string
}

func (e *MetadataError) Error() string {
	return fmt.Sprintf("inline metadata, line %d: %s", e.Line, e.Msg)
}

// Unwrap gives the kind.
func (e *MetadataError) Unwrap() error { return e.Kind }

// ParseMetadata finds the block of type script. It returns nil and no error
// when there is none; every error is a *MetadataError. It costs next to nothing
// for a source without "# ///".
func ParseMetadata(src []byte) (*Metadata, error) {
	if !bytes.Contains(src, []byte("# ///")) {
		return nil, nil
	}
	src = bytes.TrimPrefix(src, []byte("\xef\xbb\xbf"))
	lines := splitLines(src)
	var block []string
	start, end, past := 0, 0, 0
	for i := 0; i < len(lines); {
		kind, ok := blockType(lines[i])
		if ok && i >= past { // once for each run of comment lines, however many blocks it opens
			end, past = blockEnd(lines, i)
		}
		if !ok || end <= i {
			i++
			continue
		}
		if kind == "script" {
			if start > 0 {
				return nil, &MetadataError{i + 1, ErrBlocks, fmt.Sprintf("a second block of type script; the first is in line %d, and only one is allowed", start)}
			}
			start, block = i+1, lines[i+1:end]
		}
		i = end + 1
	}
	if start == 0 {
		return nil, nil
	}
	return decodeMetadata(block, start)
}

// splitLines is universal newlines, which is how Python reads the file.
func splitLines(src []byte) []string {
	text := strings.ReplaceAll(string(src), "\r\n", "\n")
	return strings.Split(strings.ReplaceAll(text, "\r", "\n"), "\n")
}

// blockType is TYPE of a line `# /// TYPE`.
func blockType(line string) (string, bool) {
	kind, ok := strings.CutPrefix(line, "# /// ")
	kind = strings.TrimRight(kind, " \t\f\v")
	if !ok || kind == "" {
		return "", false
	}
	for _, c := range []byte(kind) {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' {
			return "", false
		}
	}
	return kind, true
}

// blockEnd looks at the run of comment lines after line i: end is the index of
// the last line that closes a block, 0 without one; past is the first line
// behind the run.
func blockEnd(lines []string, i int) (end, past int) {
	for past = i + 1; past < len(lines); past++ {
		line := strings.TrimRight(lines[past], " \t\f\v")
		if line != "#" && !strings.HasPrefix(line, "# ") {
			break
		}
		if line == "# ///" {
			end = past
		}
	}
	return end, past
}
