// packages.txt: requirement lines as people write them for pip, names and
// specifiers only. Lines are cut as pip cuts them; versions are read by the
// library that compares them, markers by pip itself (markers.go).

package python

import (
	"fmt"
	"slices"
	"strings"
)

// Requirement is one wanted package.
type Requirement struct {
	Name      string // normalised, see NormalName
	Spelled   string
	Extras    []string // as spelled
	Specifier string   // ">=1.2,<2"; empty takes any version
	Marker    string   // what follows ";"
	Hashes    []string // "sha256:...", of the files that are taken; none takes any
	Line      int      // from 1
}

// String is the requirement as pip reads it, without hashes.
func (r Requirement) String() string {
	s := r.Spelled
	if len(r.Extras) > 0 {
		s += "[" + strings.Join(r.Extras, ",") + "]"
	}
	s += r.Specifier
	if r.Marker != "" {
		s += "; " + r.Marker
	}
	return s
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
// *RequirementError. So is a name that comes twice, however it is spelled,
// unless each has a marker of its own: then Applicable tells which is meant.
func ParsePackages(text string) ([]Requirement, error) {
	text = strings.TrimPrefix(text, "\ufeff")
	if line, ok := notText(text); ok {
		return nil, &RequirementError{line, "", "this is no text in UTF-8"}
	}
	var all []Requirement
	for _, l := range logicalLines(text) {
		r, msg := parseRequirement(l.text)
		for _, before := range all {
			if msg == "" && before.Name == r.Name && (before.Marker == "" || r.Marker == "" || before.Marker == r.Marker) {
				msg = fmt.Sprintf("named a second time; it stands in line %d already%s", before.Line, spelled(before, r))
			}
		}
		if msg != "" {
			return nil, &RequirementError{l.number, l.text, msg}
		}
		r.Line = l.number
		all = append(all, r)
	}
	return all, nil
}

func spelled(a, b Requirement) string {
	if a.Spelled == b.Spelled {
		return ""
	}
	return ", spelled " + a.Spelled
}

func parseRequirement(line string) (r Requirement, msg string) {
	words := strings.Split(line, " ")
	if at := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "-") }); at >= 0 {
		if r.Hashes, msg = parseHashes(words[at:], at == 0); msg != "" {
			return r, msg
		}
		line = strings.TrimSpace(strings.Join(words[:at], " "))
	}
	line, r.Marker, _ = strings.Cut(line, ";")
	r.Marker = strings.TrimSpace(r.Marker)
	line = strings.TrimSpace(line)
	switch {
	case strings.Contains(line, "://") || strings.Contains(line, "@"):
		return r, "a URL is not taken; name the package and its version"
	case strings.ContainsAny(line, `/\`) || strings.HasPrefix(line, ".") || archive(line):
		return r, "a path is not taken; name the package and its version"
	case strings.Contains(line, "${"):
		return r, "variables are not taken; write what they stand for"
	}
	end := strings.IndexFunc(line, func(c rune) bool { return !nameRune(c) })
	if end < 0 {
		end = len(line)
	}
	r.Spelled = line[:end]
	r.Name = NormalName(r.Spelled)
	if !properName(r.Spelled) {
		return r, "not a package name"
	}
	rest := strings.TrimSpace(line[end:])
	if inner, ok := strings.CutPrefix(rest, "["); ok {
		extras, after, closed := strings.Cut(inner, "]")
		if !closed {
			return r, "the list of extras is not closed"
		}
		if r.Extras, msg = parseExtras(extras); msg != "" {
			return r, msg
		}
		rest = strings.TrimSpace(after)
	}
	r.Specifier, msg = parseSpecifier(rest)
	return r, msg
}

// parseHashes takes the one option that a requirement may have.
func parseHashes(words []string, alone bool) (hashes []string, msg string) {
	words = strings.Fields(strings.Join(words, " "))
	if option, _, _ := strings.Cut(words[0], "="); alone || option != "--hash" {
		return nil, option + " is not taken: no options, no other files; name packages only"
	}
	for i := 0; i < len(words); i++ {
		option, hash, joined := strings.Cut(words[i], "=")
		if option != "--hash" {
			return nil, option + " is not taken; after a package only --hash is"
		}
		if !joined && i+1 < len(words) {
			i++
			hash = words[i]
		}
		kind, digits, _ := strings.Cut(hash, ":")
		if kind != "sha256" && kind != "sha384" && kind != "sha512" || digits == "" {
			return nil, fmt.Sprintf("%q is no hash; write --hash=sha256:...", hash)
		}
		hashes = append(hashes, kind+":"+digits)
	}
	return hashes, ""
}

func parseExtras(list string) (extras []string, msg string) {
	if strings.TrimSpace(list) == "" {
		return nil, ""
	}
	for extra := range strings.SplitSeq(list, ",") {
		if extra = strings.TrimSpace(extra); !properName(extra) {
			return nil, fmt.Sprintf("%q is no extra", extra)
		}
		extras = append(extras, extra)
	}
	return extras, ""
}

// archive says that pip would take the word for a file.
func archive(word string) bool {
	for _, end := range []string{".whl", ".zip", ".tar.gz", ".tgz", ".tar", ".tar.bz2", ".tbz", ".tar.xz", ".txz", ".tlz", ".tar.lz", ".tar.lzma"} {
		if strings.HasSuffix(strings.ToLower(word), end) {
			return true
		}
	}
	return false
}

func properName(s string) bool {
	return s != "" && alphanumeric(s[0]) && alphanumeric(s[len(s)-1]) && strings.IndexFunc(s, func(c rune) bool { return !nameRune(c) }) < 0
}

func nameRune(c rune) bool {
	return c < 0x80 && (alphanumeric(byte(c)) || c == '-' || c == '_' || c == '.')
}

func alphanumeric(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
