// What is installed, in full: what each distribution needs, and what of its
// metadata is not as an installer leaves it. No code is run for it.

package python

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Installed is a distribution and what its metadata says it needs.
type Installed struct {
	Distribution
	Folder string // of its metadata
	Needs  []Need
}

// Need is one requirement of a distribution.
type Need struct {
	Requirement
	Extra       string // needed only by those who ask for this extra
	Conditional bool   // needed only where a marker says so, which is not looked at
}

// BrokenMetadata is what looks like a distribution and cannot be read as one.
type BrokenMetadata struct{ Path, Msg string }

// Inventory reads all metadata in the interpreter's site folders anew, by name.
// As at import, the first folder that has a distribution wins.
func (i *Interpreter) Inventory() (all []Installed, broken []BrokenMetadata) {
	seen := map[string]bool{}
	for _, dir := range i.Sites {
		entries, err := os.ReadDir(dir)
		if err != nil {
			broken = append(broken, BrokenMetadata{dir, err.Error()})
			continue
		}
		here := map[string]string{} // versions, of this folder
		for _, entry := range entries {
			path := filepath.Join(dir, entry.Name())
			if ext := filepath.Ext(path); ext != ".dist-info" && ext != ".egg-info" {
				continue
			}
			d, ok := readDistribution(path)
			key := NormalName(d.Name)
			switch {
			case !ok:
				broken = append(broken, BrokenMetadata{path, "names no package: its METADATA is missing or damaged"})
				continue
			case d.Version == "":
				broken = append(broken, BrokenMetadata{path, "names no version"})
			case here[key] != "" && here[key] != d.Version:
				broken = append(broken, BrokenMetadata{path, "is " + d.Name + " " + d.Version + " beside " + here[key] + " in the same folder"})
			}
			here[key] = d.Version
			if !seen[key] {
				seen[key] = true
				all = append(all, Installed{Distribution: d, Folder: path, Needs: readNeeds(path)})
			}
		}
	}
	slices.SortFunc(all, func(a, b Installed) int { return strings.Compare(NormalName(a.Name), NormalName(b.Name)) })
	return all, broken
}

// readNeeds takes Requires-Dist, and for older installations requires.txt.
func readNeeds(folder string) (needs []Need) {
	add := func(line, extra string, conditional bool) {
		n := Need{Extra: extra, Conditional: conditional}
		if list, err := ParsePackages(line); err == nil && len(list) == 1 {
			n.Requirement = list[0]
		} else { // a URL, say: the name is what counts here
			end := strings.IndexFunc(line, func(c rune) bool { return !nameRune(c) })
			if end < 0 {
				end = len(line)
			}
			n.Requirement = Requirement{Name: NormalName(line[:end]), Spelled: line[:end]}
			n.Conditional = true
		}
		if n.Extra == "" {
			n.Extra = extraOf(n.Marker)
		}
		n.Conditional = n.Conditional || n.Marker != "" && n.Marker != `extra == "`+n.Extra+`"` && n.Marker != "extra == '"+n.Extra+"'"
		if n.Name != "" {
			needs = append(needs, n)
		}
	}
	eachLine(filepath.Join(folder, "METADATA"), func(line string) bool {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.EqualFold(key, "Requires-Dist") {
			add(strings.TrimSpace(value), "", false)
		}
		return line != "" // behind the empty line stands the description
	})
	extra, conditional := "", false
	eachLine(filepath.Join(folder, "requires.txt"), func(line string) bool {
		line = strings.TrimSpace(line)
		if inner, ok := strings.CutPrefix(line, "["); ok {
			var marker string
			extra, marker, _ = strings.Cut(strings.TrimSuffix(inner, "]"), ":")
			conditional = marker != ""
		} else if line != "" {
			add(line, extra, conditional)
		}
		return true
	})
	return needs
}

// extraOf is the extra that a marker names, in quotes behind the word extra.
func extraOf(marker string) string {
	_, after, ok := strings.Cut(marker, "extra")
	if !ok {
		return ""
	}
	after = strings.TrimLeft(after, " =")
	if after == "" || after[0] != '\'' && after[0] != '"' {
		return ""
	}
	name, _, _ := strings.Cut(after[1:], after[:1])
	return name
}
