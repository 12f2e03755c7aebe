// packages.txt: requirement lines as people write them for pip, names and
// specifiers only.

package python

import (
	"fmt"
	"strings"
)

// Requirement is one wanted package.
type Requirement struct {
	Name      string // normalised, see NormalName
	Spelled   string
	Extras    []string // as spelled
	Specifier string   // ">=1.2,<2"; empty takes any version
	Marker    string   // what follows ";"
	Line      int      // from 1
}

// RequirementError is a line that packages.txt does not take.
type RequirementError struct {
	Line int
	Text string // what stands there
	Msg  string
}

func (e *RequirementError) Error() string {
	return fmt.Sprintf("packages, line %d: %q: %s", e.Line, e.Text, e.Msg)
}

// NormalName is a distribution's name as PEP 503 compares it: lower case, each
// run of "-", "_" and "." one "-".
func NormalName(name string) string {
	var b strings.Builder
	gap := false
	for _, c := range strings.ToLower(strings.TrimSpace(name)) {
		if c == '-' || c == '_' || c == '.' {
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte('-')
		}
		gap = false
		b.WriteRune(c)
	}
	return b.String()
}

// ParsePackages reads packages.txt: a name, extras, specifiers, a marker and
// hashes a line; comments, blank lines and continuation lines. What would fetch
// something by another way than its name (-r, options, URLs, paths) is a
// *RequirementError, and so is a name that comes twice.
func ParsePackages(text string) ([]Requirement, error) {
	lines := splitLines([]byte(strings.TrimPrefix(text, "\ufeff")))
	var all []Requirement
	seen := map[string]int{}
	for i := 0; i < len(lines); i++ {
		number, line := i+1, uncomment(lines[i])
		for strings.HasSuffix(line, "\\") && i+1 < len(lines) {
			i++
			line = strings.TrimSuffix(line, "\\") + " " + uncomment(lines[i])
		}
		line = strings.TrimSpace(strings.TrimSuffix(line, "\\"))
		if line == "" {
			continue
		}
		r, msg := parseRequirement(line)
		if msg == "" && seen[r.Name] > 0 {
			msg = fmt.Sprintf("named a second time; it stands in line %d already", seen[r.Name])
		}
		if msg != "" {
			return nil, &RequirementError{number, line, msg}
		}
		r.Line, seen[r.Name] = number, number
		all = append(all, r)
	}
	return all, nil
}

// uncomment takes off a comment: # at the start or after a blank.
func uncomment(line string) string {
	for i := 0; i < len(line); i++ {
		if line[i] == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t') {
			line = line[:i]
			break
		}
	}
	return strings.TrimSpace(line)
}

func parseRequirement(line string) (r Requirement, msg string) {
	if strings.HasPrefix(line, "-") {
		return r, "options and other files are not taken; name packages only"
	}
	if at := strings.Index(line, " --hash="); at >= 0 { // pinned by the lock, which has its own file
		line = strings.TrimSpace(line[:at])
	}
	if strings.Contains(line, " --") {
		return r, "options are not taken; name packages only"
	}
	line, r.Marker, _ = strings.Cut(line, ";")
	r.Marker = strings.TrimSpace(r.Marker)
	line = strings.TrimSpace(line)
	switch {
	case strings.Contains(line, "://") || strings.Contains(line, "@"):
		return r, "a URL is not taken; name the package and its version"
	case strings.ContainsAny(line, `/\`) || strings.HasPrefix(line, ".") || strings.HasSuffix(line, ".whl") || strings.HasSuffix(line, ".tar.gz"):
		return r, "a path is not taken; name the package and its version"
	}
	end := strings.IndexFunc(line, func(c rune) bool { return !nameRune(c) })
	if end < 0 {
		end = len(line)
	}
	r.Spelled = line[:end]
	r.Name = NormalName(r.Spelled)
	if r.Name == "" || !alphanumeric(r.Spelled[0]) || !alphanumeric(r.Spelled[len(r.Spelled)-1]) {
		return r, "not a package name"
	}
	rest := strings.TrimSpace(line[end:])
	if inner, ok := strings.CutPrefix(rest, "["); ok {
		extras, after, closed := strings.Cut(inner, "]")
		if !closed {
			return r, "the list of extras is not closed"
		}
		for extra := range strings.SplitSeq(extras, ",") {
			if extra = strings.TrimSpace(extra); extra != "" {
				r.Extras = append(r.Extras, extra)
			}
		}
		rest = strings.TrimSpace(after)
	}
	if inner, ok := strings.CutPrefix(rest, "("); ok {
		rest, ok = strings.CutSuffix(inner, ")")
		if !ok {
			return r, "the bracket is not closed"
		}
	}
	r.Specifier = strings.ReplaceAll(rest, " ", "")
	if r.Specifier == "" {
		return r, ""
	}
	for clause := range strings.SplitSeq(r.Specifier, ",") {
		version := strings.TrimLeft(clause, "=!<>~")
		switch operator := clause[:len(clause)-len(version)]; operator {
		case "==", "===", "!=", "<=", ">=", "~=", "<", ">":
		default:
			return r, fmt.Sprintf("%q is no version specifier", clause)
		}
		if version == "" || strings.ContainsAny(version, " \t()[]'\"") {
			return r, fmt.Sprintf("%q is no version specifier", clause)
		}
	}
	return r, ""
}

func nameRune(c rune) bool {
	return c < 0x80 && (alphanumeric(byte(c)) || c == '-' || c == '_' || c == '.')
}

func alphanumeric(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
