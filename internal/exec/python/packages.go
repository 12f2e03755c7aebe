// What is installed, read from the metadata that installers leave
// (packaging.python.org, "Recording installed projects"); no code is run for it.

package python

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const maxMetadata = 8 << 20 // of one RECORD that is read

// Distributions reads anew what Packages says, which is of when i was chosen.
func (i *Interpreter) Distributions() []Distribution { return findPackages(i.Sites) }

// findPackages lists the distributions of the given site folders, by name. As
// at import, the first folder that has one wins.
func findPackages(sites []string) []Distribution {
	var all []Distribution
	seen := map[string]bool{}
	for _, dir := range sites {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, entry := range entries {
			d, ok := readDistribution(filepath.Join(dir, entry.Name()))
			if key := NormalName(d.Name); ok && !seen[key] {
				seen[key] = true
				all = append(all, d)
			}
		}
	}
	slices.SortFunc(all, func(a, b Distribution) int { return strings.Compare(NormalName(a.Name), NormalName(b.Name)) })
	return all
}

// readDistribution reads NAME.dist-info, NAME.egg-info or the file of that name.
func readDistribution(path string) (d Distribution, ok bool) {
	header := ""
	switch filepath.Ext(path) {
	case ".dist-info":
		header = filepath.Join(path, "METADATA")
	case ".egg-info":
		header = filepath.Join(path, "PKG-INFO")
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			header = path
		}
	default:
		return d, false
	}
	eachLine(header, func(line string) bool {
		key, value, _ := strings.Cut(line, ":")
		switch strings.ToLower(key) {
		case "name":
			d.Name = strings.TrimSpace(value)
		case "version":
			d.Version = strings.TrimSpace(value)
		}
		return strings.TrimSpace(line) != "" && (d.Name == "" || d.Version == "")
	})
	if d.Name == "" {
		return d, false
	}
	d.Imports = importNames(path)
	if len(d.Imports) == 0 {
		d.Imports = []string{strings.ReplaceAll(NormalName(d.Name), "-", "_")}
	}
	return d, true
}

// importNames takes top_level.txt's word, else works it out from the list of files.
func importNames(path string) []string {
	names := map[string]bool{}
	eachLine(filepath.Join(path, "top_level.txt"), func(line string) bool {
		if line = strings.TrimSpace(line); identifier(line) {
			names[line] = true
		}
		return true
	})
	if len(names) == 0 {
		eachLine(filepath.Join(path, "RECORD"), func(line string) bool {
			file, _, _ := strings.Cut(strings.Trim(line, `"`), ",")
			top, rest, folder := strings.Cut(file, "/")
			if !folder { // module.py, module.cpython-314-x86_64-linux-gnu.so
				var ext string
				if top, ext, _ = strings.Cut(file, "."); ext != "py" && !strings.HasSuffix(ext, "so") {
					return true
				}
			} else if !strings.HasSuffix(rest, ".py") && !strings.HasSuffix(rest, ".so") {
				return true
			}
			if identifier(top) && top != "__pycache__" {
				names[top] = true
			}
			return true
		})
	}
	list := make([]string, 0, len(names))
	for name := range names {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

func identifier(s string) bool {
	for i := range len(s) {
		if c := s[i]; c != '_' && c < 0x80 && (!alphanumeric(c) || i == 0 && c <= '9') {
			return false
		}
	}
	return s != ""
}

// eachLine calls f for the lines of a file until it answers false.
func eachLine(path string, f func(line string) bool) {
	file, err := os.Open(path)
	if err != nil {
		return
	}
	defer file.Close()
	for lines := bufio.NewScanner(io.LimitReader(file, maxMetadata)); lines.Scan(); {
		if !f(strings.TrimSuffix(lines.Text(), "\r")) {
			return
		}
	}
}
