package exec

// Packages: what is wanted against what is installed.

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pyrun-dev/pyrun/internal/exec/python"
)

const remedyInstall = "pyrun packages install"

// packages compares.
func (e *Executor) packages(ctx context.Context, env *Environment, in *python.Interpreter) {
	all, broken := in.Inventory()
	list, err := e.wanted(ctx, in)
	if err != nil {
		f := findingOf("packages", err)
		if f.Remedy == "" {
			f.Remedy = "name a list with one package a line: --packages-file FILE"
		}
		env.find(f)
		list.wanted = nil // what could not be read is no list to hold against what is installed
	}
	stock := map[string]python.Installed{}
	installed := make([]python.Distribution, 0, len(all))
	for _, d := range all {
		stock[python.NormalName(d.Name)] = d
		installed = append(installed, d.Distribution)
	}
	env.Packages = compare(list.wanted, installed)
	if err == nil {
		env.compare(list, stock)
	}
	for _, b := range broken {
		f := Finding{Area: "packages", Severity: SeverityProblem, Message: shown(b.Path) + " " + b.Msg, Remedy: "make the environment anew: " + remedyInstall}
		if list.file == "" { // a Python that somebody else looks after
			f.Severity = SeverityNote
		}
		env.find(f)
	}
}

// compare finds what is missing, of the wrong version, needed and not there, or
// there and not needed.
func (env *Environment) compare(list packagesText, stock map[string]python.Installed) {
	var missing []string
	for _, r := range list.wanted {
		d, ok := stock[r.Name]
		switch {
		case ok && python.Takes(r.Specifier, d.Version):
		case ok:
			env.find(Finding{
				Area: "packages", Severity: SeverityProblem, Package: d.Name,
				Message: fmt.Sprintf("%s %s is installed, and %s is wanted", d.Name, d.Version, r.Specifier), Remedy: remedyInstall,
			})
		case list.file == "":
			missing = append(missing, r.Spelled)
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
	needed := env.needs(list.wanted, stock)
	if list.file == "" {
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
			Message: fmt.Sprintf("installed, but neither listed in %s nor needed by what is: %s", filepath.Base(list.file), strings.Join(extra, ", ")),
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
	if n.Conditional || ok && python.Takes(n.Specifier, has.Version) {
		return
	}
	f := Finding{Area: "packages", Severity: SeverityProblem, Package: d.Name, Remedy: remedyInstall}
	f.Message = fmt.Sprintf("%s needs %s%s, which is not installed", d.Name, n.Spelled, n.Specifier)
	if ok {
		f.Message = fmt.Sprintf("%s needs %s%s, and %s is installed", d.Name, n.Spelled, n.Specifier, has.Version)
	}
	env.find(f)
}
