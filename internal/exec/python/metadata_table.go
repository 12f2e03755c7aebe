// What stands in a block of metadata: TOML with two keys, and a version specifier.

package python

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"deps.dev/util/semver"
	"github.com/pelletier/go-toml/v2"
)

// maxUnknown is how many unknown keys are named; a block may have a hundred thousand.
const maxUnknown = 16

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
		return nil, &MetadataError{line, ErrTOML, "not valid TOML: " + strings.TrimPrefix(err.Error(), "toml: ")}
	}
	m := &Metadata{Line: start, RequiresLine: start}
	wrong := func(key, want string, got any) error {
		return &MetadataError{keyLine(block, key, start), ErrType, fmt.Sprintf("%s must be %s, not %s", key, want, tomlType(got))}
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
		m.RequiresLine = keyLine(block, "requires-python", start)
	}
	if v, ok := table["tool"]; ok {
		if _, ok := v.(map[string]any); !ok {
			return nil, wrong("tool", "a table", v)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(table)) {
		switch key {
		case "dependencies", "requires-python", "tool":
		default:
			if len(m.Unknown) == maxUnknown {
				return m, nil
			}
			m.Unknown = append(m.Unknown, UnknownKey{key, keyLine(block, key, start)})
		}
	}
	return m, nil
}

// keyLine is the line that names a top-level key, or the block's own.
func keyLine(block []string, key string, start int) int {
	for n, line := range block {
		rest, ok := strings.CutPrefix(strings.TrimLeft(line, "# \t\"'["), key)
		if ok && rest != "" && strings.ContainsRune(" \t\"'=.]", rune(rest[0])) {
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
		return false, &MetadataError{m.RequiresLine, ErrSpecifier, fmt.Sprintf("requires-python %q is no version specifier", m.RequiresPython)}
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
