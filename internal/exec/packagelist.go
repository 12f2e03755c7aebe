package exec

// packages.txt: which one counts, and how what is installed compares with it.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pyrun-dev/pyrun/internal/exec/python"
)

// maxPackagesFile is how large a packages.txt or its lock may be.
const maxPackagesFile = 1 << 20

// packagesText is a packages.txt and where it came from.
type packagesText struct {
	file   string // empty: the built-in list
	own    bool   // it was named, or stands in the working folder
	dir    string // the working folder
	text   string
	wanted []python.Requirement
}

// list is what an environment is made from: the file that is named, the one in
// the working folder, the one that the environment was made from before, the
// built-in list.
func (p *Packages) list(r PackagesRequest) (packagesText, error) {
	here := r.abs(python.PackagesFile)
	if p.options.PackagesFile == "" && filepath.IsAbs(here) {
		if _, err := os.Lstat(here); err == nil {
			return readListed(here, r.Dir, true)
		}
	}
	environment := r.abs(r.Target)
	if r.Target == "" {
		environment = python.Place(python.Options{})
	}
	return readList(p.options, r.Dir, environment)
}

// readList is the list that runs go by: the file that is named, the one in the
// folder of their environment, the built-in one.
func readList(o Options, dir, environment string) (packagesText, error) {
	if o.PackagesFile != "" {
		return readListed(o.PackagesFile, dir, true)
	}
	if environment != "" {
		file := filepath.Join(environment, python.PackagesFile)
		if _, err := os.Lstat(file); err == nil {
			return readListed(file, dir, false)
		}
	}
	list := packagesText{text: o.BuiltinPackages}
	return list.parse()
}

// folderOf is the folder that an interpreter stands in, with what belongs to it.
func folderOf(in *python.Interpreter) string {
	if in.Environment != "" {
		return in.Environment
	}
	return filepath.Dir(filepath.Dir(in.Source))
}

func readListed(file, dir string, own bool) (packagesText, error) {
	list := packagesText{file: file, own: own, dir: dir}
	text, err := readText(file)
	if err != nil {
		return list, unreadable(list.show(file), err)
	}
	list.text = text
	return list.parse()
}

// show is a path as a reader would write it.
func (l packagesText) show(file string) string {
	if filepath.Dir(file) == l.dir {
		return shown(filepath.Base(file))
	}
	return shown(file)
}

func (l packagesText) parse() (packagesText, error) {
	wanted, err := python.ParsePackages(l.text)
	if err != nil {
		return l, l.refused(err)
	}
	l.wanted = wanted
	return l, nil
}

// applied is the list without what is not wanted for in.
func (l packagesText) applied(ctx context.Context, o python.Options, in *python.Interpreter) (packagesText, error) {
	wanted, err := python.Applicable(ctx, o, in, l.wanted)
	if err != nil {
		return l, l.refused(err)
	}
	l.wanted = wanted
	return l, nil
}

// refused words an error about a line; another it leaves alone.
func (l packagesText) refused(err error) error {
	var line *python.RequirementError
	if errors.As(err, &line) {
		return l.wrong(line)
	}
	return err
}

// wrong names the line of the file.
func (l packagesText) wrong(e *python.RequirementError) error {
	file := l.show(l.file)
	if l.file == "" {
		file = "the built-in list"
	}
	msg := fmt.Sprintf("%s:%d: %s", file, e.Line, e.Msg)
	if e.Text != "" {
		msg = fmt.Sprintf("%s:%d: %s: %s", file, e.Line, clip(e.Text, 200), e.Msg)
	}
	return &PackagesError{Msg: msg, Refused: true, Err: e}
}

// readText reads a file that is one, is text, and is not too large. What else it is,
// the error says without the name.
func readText(file string) (string, error) {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return "", err
	case info.IsDir():
		return "", errors.New("is a folder")
	case !info.Mode().IsRegular():
		return "", errors.New("is no regular file")
	case info.Size() > maxPackagesFile:
		return "", errors.New("is larger than 1 MiB")
	}
	data, err := os.ReadFile(file)
	if err == nil && (bytes.IndexByte(data, 0) >= 0 || !utf8.Valid(data)) {
		err = errors.New("is not text")
	}
	return string(data), err
}

func unreadable(file string, err error) error {
	return &PackagesError{Msg: file + ": " + reason(err), Refused: true, Err: err}
}

// lockBeside is packages.lock.txt for packages.txt.
func lockBeside(list string) string { return strings.TrimSuffix(list, ".txt") + ".lock.txt" }

// replaceFile writes a file in one step.
func replaceFile(file, text string) error {
	f, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".new-")
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// compare puts wanted and installed packages side by side: the wanted ones first, by name.
func compare(wanted []python.Requirement, installed []python.Distribution) []PackageInfo {
	all := []PackageInfo{}
	byName := map[string]python.Distribution{}
	for _, d := range installed {
		byName[python.NormalName(d.Name)] = d
	}
	for _, r := range wanted {
		info := PackageInfo{Name: r.Spelled, Wanted: "*"}
		if r.Specifier != "" {
			info.Wanted = r.Specifier
		}
		if d, ok := byName[r.Name]; ok {
			info.Name, info.Version, info.Imports = d.Name, d.Version, d.Imports
			info.Satisfied = python.Takes(r.Specifier, d.Version)
			delete(byName, r.Name)
		}
		all = append(all, info)
	}
	for _, d := range byName {
		all = append(all, PackageInfo{Name: d.Name, Version: d.Version, Imports: d.Imports, Satisfied: true})
	}
	slices.SortFunc(all, func(a, b PackageInfo) int {
		if (a.Wanted == "") != (b.Wanted == "") {
			return strings.Compare(b.Wanted, a.Wanted)
		}
		return strings.Compare(python.NormalName(a.Name), python.NormalName(b.Name))
	})
	return all
}
