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

	"deps.dev/util/semver"
	"github.com/pelletier/go-toml/v2"
)

// Metadata is a script's own block of metadata.
type Metadata struct {
	Dependencies   []string // as written; nil when the key is absent
	RequiresPython string   // empty when absent
	Line           int      // of the block's first line, from 1
}

// MetadataError is a block that breaks the rules.
type MetadataError struct {
	Line int // from 1
	Msg  string
}

func (e *MetadataError) Error() string {
	return fmt.Sprintf("inline metadata, line %d: %s", e.Line, e.Msg)
}

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
	start := 0
	for i := 0; i < len(lines); {
		kind, ok := blockType(lines[i])
		if !ok {
			i++
			continue
		}
		end := blockEnd(lines, i)
		if end == 0 {
			i++
			continue
		}
		if kind == "script" {
			if start > 0 {
				return nil, &MetadataError{i + 1, fmt.Sprintf("a second block of type script; the first is in line %d, and only one is allowed", start)}
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

// blockEnd is the index of the line that closes the block opened at i, or 0.
func blockEnd(lines []string, i int) int {
	end := 0
	for n := i + 1; n < len(lines); n++ {
		line := strings.TrimRight(lines[n], " \t\f\v")
		if line != "#" && !strings.HasPrefix(line, "# ") {
			break
		}
		if line == "# ///" {
			end = n
		}
	}
	return end
}

func decodeMetadata(block []string, start int) (*Metadata, error) {
	var b strings.Builder
	for _, line := range block {
		line = strings.TrimPrefix(line, "#")
		b.WriteString(strings.TrimPrefix(line, " "))
		b.WriteByte('\n')
	}
	table := map[string]any{}
	if err := toml.Unmarshal([]byte(b.String()), &table); err != nil {
		line := start
		var at *toml.DecodeError
		if errors.As(err, &at) {
			row, _ := at.Position()
			line += row
		}
		return nil, &MetadataError{line, "not valid TOML: " + strings.TrimPrefix(err.Error(), "toml: ")}
	}
	m := &Metadata{Line: start}
	wrong := func(key, want string, got any) error {
		return &MetadataError{keyLine(block, key, start), fmt.Sprintf("%s must be %s, not %s", key, want, tomlType(got))}
	}
	if v, ok := table["dependencies"]; ok {
		list, ok := v.([]any)
		if !ok {
			return nil, wrong("dependencies", "a list of strings", v)
		}
		m.Dependencies = []string{}
		for _, item := range list {
			text, ok := item.(string)
			if !ok {
				return nil, wrong("dependencies", "a list of strings", item)
			}
			m.Dependencies = append(m.Dependencies, text)
		}
	}
	if v, ok := table["requires-python"]; ok {
		if m.RequiresPython, ok = v.(string); !ok {
			return nil, wrong("requires-python", "a string", v)
		}
	}
	return m, nil
}

// keyLine is the line that names a top-level key, or the block's own.
func keyLine(block []string, key string, start int) int {
	for n, line := range block {
		if strings.HasPrefix(strings.TrimLeft(line, "# \t\"'"), key) {
			return start + 1 + n
		}
	}
	return start
}

func tomlType(v any) string {
	switch v.(type) {
	case string:
		return "a string"
	case int64, float64:
		return "a number"
	case bool:
		return "a boolean"
	case []any:
		return "a list"
	case map[string]any:
		return "a table"
	}
	return "a date or time"
}

// Allows says whether requires-python takes an interpreter of that version. A
// specifier that cannot be read is an error.
func (m *Metadata) Allows(version string) (bool, error) {
	if m == nil || strings.TrimSpace(m.RequiresPython) == "" {
		return true, nil
	}
	want, err := semver.PyPI.ParseConstraint(m.RequiresPython)
	if err != nil {
		return false, &MetadataError{m.Line, fmt.Sprintf("requires-python %q is no version specifier", m.RequiresPython)}
	}
	have, err := semver.PyPI.Parse(version)
	if err != nil {
		return false, fmt.Errorf("interpreter version %q: %w", version, err)
	}
	if !have.IsPrerelease() {
		return want.MatchVersion(have), nil
	}
	// The library leaves pre-releases out, as an installer does; here one is running.
	least, err := want.CalculateMinVersion()
	return want.MatchVersionPrerelease(have) && (err != nil || least.Compare(have) <= 0), nil
}
