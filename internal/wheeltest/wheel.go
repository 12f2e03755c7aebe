// Package wheeltest makes wheels for tests: good ones, and ones that lie.
// Nothing that ships imports it.
package wheeltest

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Wheel is a package as an index offers it. Name and Version are enough.
type Wheel struct {
	Name, Version string
	Files         map[string]string // path to content
	Requires      []string          // Requires-Dist
	Scripts       map[string]string // console scripts: name to module:function
	Tag           string            // empty is py3-none-any

	// Lies.
	SaysName string            // in METADATA, in place of Name
	Changed  map[string]string // content that RECORD does not know of
}

// Make writes the wheel into dir and gives its path.
func (w Wheel) Make(dir string) (string, error) {
	tag := w.Tag
	if tag == "" {
		tag = "py3-none-any"
	}
	stem := strings.ReplaceAll(w.Name, "-", "_") + "-" + w.Version
	info := stem + ".dist-info/"
	files := map[string]string{}
	maps.Copy(files, w.Files)
	name := w.Name
	if w.SaysName != "" {
		name = w.SaysName
	}
	metadata := fmt.Sprintf("Metadata-Version: 2.1\nName: %s\nVersion: %s\n", name, w.Version)
	for _, r := range w.Requires {
		metadata += "Requires-Dist: " + r + "\n"
	}
	files[info+"METADATA"] = metadata
	files[info+"WHEEL"] = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: " + tag + "\n"
	if len(w.Scripts) > 0 {
		files[info+"entry_points.txt"] = "[console_scripts]\n"
		for _, script := range slices.Sorted(maps.Keys(w.Scripts)) {
			files[info+"entry_points.txt"] += script + " = " + w.Scripts[script] + "\n"
		}
	}
	var record strings.Builder
	rows := csv.NewWriter(&record)
	for _, path := range slices.Sorted(maps.Keys(files)) {
		sum := sha256.Sum256([]byte(files[path]))
		_ = rows.Write([]string{path, "sha256=" + base64.RawURLEncoding.EncodeToString(sum[:]), strconv.Itoa(len(files[path]))})
	}
	_ = rows.Write([]string{info + "RECORD", "", ""})
	rows.Flush()
	files[info+"RECORD"] = record.String()
	maps.Copy(files, w.Changed)

	path := filepath.Join(dir, stem+"-"+tag+".whl")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o644)
	if err != nil {
		return "", err
	}
	z := zip.NewWriter(f)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		var to interface{ Write([]byte) (int, error) }
		if to, err = z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate}); err == nil {
			_, err = to.Write([]byte(files[name]))
		}
		if err != nil {
			break
		}
	}
	return path, errors.Join(err, z.Close(), f.Close())
}
