// RECORD, the list of a distribution's files with their hashes
// (packaging.python.org, "Recording installed projects").

package python

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// recorded is a row of RECORD.
type recorded struct {
	path string // from the site folder, with slashes
	hash string // "sha256=..."; empty for what has none
	size string
}

// from is the file's path from where the .dist-info folder info is named.
func (r recorded) from(info string) string { return path.Join(path.Dir(info), r.path) }

// packageOf is the package that a .dist-info folder is named after.
func packageOf(info string) string {
	name, _, _ := strings.Cut(strings.TrimSuffix(path.Base(info), ".dist-info"), "-")
	return name
}

// readRecord reads the RECORD in a .dist-info folder.
func readRecord(root *os.Root, info string) ([]recorded, error) {
	f, err := openRegular(root, path.Join(info, "RECORD"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows := csv.NewReader(io.LimitReader(f, 64<<20))
	rows.FieldsPerRecord = -1
	var all []recorded
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		r := recorded{path: row[0]}
		if len(row) > 1 {
			r.hash = row[1]
		}
		if len(row) > 2 {
			r.size = row[2]
		}
		all = append(all, r)
	}
}

// recordCompiled adds to every RECORD the .pyc that compileFolder made, so that
// they are verified like the rest.
func recordCompiled(site string) error {
	root, err := os.OpenRoot(site)
	if err != nil {
		return err
	}
	defer root.Close()
	infos, err := distInfos(root, ".")
	if err != nil {
		return err
	}
	for _, info := range infos {
		rows, err := readRecord(root, info)
		if err != nil {
			return err
		}
		f, err := root.OpenFile(path.Join(info, "RECORD"), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		out := csv.NewWriter(f)
		for _, r := range rows {
			for _, pyc := range compiledOf(root, r.path) {
				sum, size, err := hashFile(root, pyc, sha256.New())
				if err != nil {
					return errors.Join(err, f.Close())
				}
				_ = out.Write([]string{pyc, "sha256=" + sum, strconv.FormatInt(size, 10)}) // Error tells
			}
		}
		out.Flush()
		if err := errors.Join(out.Error(), f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// compiledOf are the .pyc in the site folder of one of its modules.
func compiledOf(root *os.Root, module string) []string {
	stem, ok := strings.CutSuffix(module, ".py")
	if !ok || !filepath.IsLocal(module) {
		return nil
	}
	dir := path.Join(path.Dir(module), "__pycache__")
	entries, err := readDir(root, dir)
	if err != nil {
		return nil
	}
	var all []string
	for _, e := range entries {
		if name := e.Name(); strings.HasPrefix(name, path.Base(stem)+".cpython-") && strings.HasSuffix(name, ".pyc") {
			all = append(all, path.Join(dir, name))
		}
	}
	return all
}

// distInfos are the folders of metadata in a site folder.
func distInfos(root *os.Root, site string) ([]string, error) {
	entries, err := readDir(root, site)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, e := range entries {
		if e.IsDir() && strings.HasSuffix(e.Name(), ".dist-info") {
			all = append(all, path.Join(site, e.Name()))
		}
	}
	return all, nil
}

func readDir(root *os.Root, dir string) ([]os.DirEntry, error) {
	f, err := root.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.ReadDir(-1)
}

func encodeSum(sum []byte) string { return base64.RawURLEncoding.EncodeToString(sum) }
