package exec

// Packages: what is wanted against what is installed.

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pyrun-dev/pyrun/internal/exec/python"
)

const remedyInstall = "pyrun packages install"

// wants is the list of packages that counts.
type wants struct {
	list []python.Requirement
	file string // empty: the list that is compiled in, which is an offer and nobody's word
}

// wanted reads the list named, else the one beside the environment, else takes
// the built-in one. What was named or lies there and cannot be read is an error.
func (e *Executor) wanted(in *python.Interpreter) (wants, error) {
	w := wants{file: e.options.PackagesFile}
	if w.file == "" {
		beside := in.Environment
		if beside == "" {
			beside = filepath.Dir(filepath.Dir(in.Source))
		}
		beside = filepath.Join(beside, python.PackagesFile)
		if _, err := os.Lstat(beside); err == nil {
			w.file = beside
		}
	}
	text := e.options.BuiltinPackages
	if w.file != "" {
		var err error
		if text, err = readPackages(w.file); err != nil {
			return w, fmt.Errorf("read %s: %w", shown(w.file), err)
		}
	}
	var err error
	w.list, err = python.ParsePackages(text)
	if err != nil && w.file != "" {
		err = fmt.Errorf("read %s: %w", shown(w.file), err)
	}
	return w, err
}

// readPackages is readText with its errors as the end of a sentence.
func readPackages(file string) (string, error) {
	text, err := readText(file)
	switch {
	case errors.As(err, new(*fs.PathError)):
		return "", errors.New(reason(err))
	case err != nil:
		return "", fmt.Errorf("it %w", err)
	}
	return text, nil
}

// packages compares.
func (e *Executor) packages(env *Environment, in *python.Interpreter) {
	all, broken := in.Inventory()
	w, err := e.wanted(in)
	if err != nil {
		env.find(Finding{
			Area: "packages", Severity: SeverityProblem, Message: err.Error(),
			Remedy: "name a list with one package a line: --packages-file FILE",
		})
	}
	stock := map[string]python.Installed{}
	for _, d := range all {
		stock[python.NormalName(d.Name)] = d
	}
	for _, r := range w.list {
		env.Packages = append(env.Packages, packageInfo(r, stock))
	}
	slices.SortFunc(env.Packages, func(a, b PackageInfo) int {
		return strings.Compare(python.NormalName(a.Name), python.NormalName(b.Name))
	})
	for _, d := range all {
		if !slices.ContainsFunc(w.list, func(r python.Requirement) bool { return r.Name == python.NormalName(d.Name) }) {
			env.Packages = append(env.Packages, PackageInfo{Name: d.Name, Version: d.Version, Imports: d.Imports, Satisfied: true})
		}
	}
	if err == nil {
		env.compare(w, stock)
	}
	for _, b := range broken {
		f := Finding{Area: "packages", Severity: SeverityProblem, Message: shown(b.Path) + " " + b.Msg, Remedy: "make the environment anew: " + remedyInstall}
		if w.file == "" { // a Python that somebody else looks after
			f.Severity = SeverityNote
		}
		env.find(f)
	}
}

func packageInfo(r python.Requirement, stock map[string]python.Installed) PackageInfo {
	p := PackageInfo{Name: r.Spelled, Wanted: r.Specifier}
	if p.Wanted == "" {
		p.Wanted = "*"
	}
	if d, ok := stock[r.Name]; ok {
		p.Name, p.Version, p.Imports = d.Name, d.Version, d.Imports
		p.Satisfied = r.Specifier == "" || r.Takes(d.Version)
	}
	return p
}

// compare finds what is missing, of the wrong version, needed and not there, or
// there and not needed.
func (env *Environment) compare(w wants, stock map[string]python.Installed) {
	var missing []string
	for _, r := range w.list {
		d, ok := stock[r.Name]
		switch {
		case ok && (r.Specifier == "" || r.Takes(d.Version)):
		case ok:
			env.find(Finding{
				Area: "packages", Severity: SeverityProblem, Package: d.Name,
				Message: fmt.Sprintf("%s %s is installed, and %s is wanted", d.Name, d.Version, r.Specifier), Remedy: remedyInstall,
			})
		case w.file == "":
			missing = append(missing, r.Spelled)
		case r.Marker != "":
			env.find(Finding{
				Area: "packages", Severity: SeverityNote, Package: r.Spelled,
				Message: r.Spelled + " is not installed; it is wanted only where " + shown(r.Marker),
			})
		default:
			env.find(Finding{
				Area: "packages", Severity: SeverityProblem, Package: r.Spelled,
				Message: r.Spelled + " is wanted and not installed", Remedy: remedyInstall,
			})
		}
	}
	switch {
	case len(stock) == 0 && len(missing) > 0:
		env.find(Finding{
			Area: "packages", Severity: SeverityNote, Remedy: remedyInstall,
			Message: "no package is installed, scripts have the standard library; the built-in list offers " + strings.Join(missing, ", "),
		})
	case len(missing) > 0:
		env.find(Finding{
			Area: "packages", Severity: SeverityNote, Remedy: remedyInstall,
			Message: "of the built-in list these are not installed: " + strings.Join(missing, ", "),
		})
	}
	needed := env.needs(w.list, stock)
	if w.file == "" {
		return // what else this Python holds is not for the built-in list to judge
	}
	var extra []string
	for name, d := range stock {
		if !needed[name] && !isTool(name) {
			extra = append(extra, d.Name)
		}
	}
	if len(extra) > 0 {
		slices.Sort(extra)
		env.find(Finding{
			Area: "packages", Severity: SeverityProblem,
			Message: fmt.Sprintf("installed, but neither listed in %s nor needed by what is: %s", filepath.Base(w.file), strings.Join(extra, ", ")),
			Why:     "whatever is installed can be imported by scripts",
			Remedy:  "list them, or make the environment anew: " + remedyInstall,
		})
	}
}

// isTool knows what venv puts into every environment it makes.
func isTool(name string) bool { return name == "pip" || name == "setuptools" || name == "wheel" }

// needs walks from what is wanted to all that it needs. Where a marker decides,
// the answer is yes for what is there and no for what is not, so that nothing is
// found that is not so.
func (env *Environment) needs(list []python.Requirement, stock map[string]python.Installed) map[string]bool {
	needed := map[string]bool{}
	asked := map[string]bool{} // "name[extra]"
	var walk func(r python.Requirement)
	walk = func(r python.Requirement) {
		d, ok := stock[r.Name]
		for _, extra := range append([]string{""}, r.Extras...) {
			key := r.Name + "[" + python.NormalName(extra) + "]"
			if !ok || asked[key] {
				continue
			}
			needed[r.Name], asked[key] = true, true
			for _, n := range d.Needs {
				if python.NormalName(n.Extra) != python.NormalName(extra) {
					continue
				}
				env.unmet(d, n, stock)
				walk(n.Requirement)
			}
		}
	}
	for _, r := range list {
		walk(r)
	}
	return needed
}

// unmet finds a need that is certain and not met.
func (env *Environment) unmet(d python.Installed, n python.Need, stock map[string]python.Installed) {
	has, ok := stock[n.Name]
	if n.Conditional || ok && (n.Specifier == "" || n.Takes(has.Version)) {
		return
	}
	f := Finding{Area: "packages", Severity: SeverityProblem, Package: d.Name, Remedy: remedyInstall}
	f.Message = fmt.Sprintf("%s needs %s%s, which is not installed", d.Name, n.Spelled, n.Specifier)
	if ok {
		f.Message = fmt.Sprintf("%s needs %s%s, and %s is installed", d.Name, n.Spelled, n.Specifier, has.Version)
	}
	env.find(f)
}
