package exec

// Imports against what there is: the standard library, the packages, what lies
// beside the script. Standard modules are never findings, whatever they can do.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pyrun-dev/pyrun/internal/exec/python"
)

// judgeImports judges what the parser told of imports, and the source's own name.
func judgeImports(s *subject, imports []python.ImportFact, k knowledge) []Diagnostic {
	var found []Diagnostic
	unknown := map[int]bool{} // try statements whose body imports what is not there
	for _, i := range imports {
		for _, g := range i.Guards {
			if g.Kind == "caught" && g.Group > 0 && k.lacks(s, i) {
				unknown[g.Group] = true
			}
		}
	}
	shadowed := map[string]bool{}
	for _, i := range imports {
		top := topName(i.Name)
		switch {
		case i.Level == 0 && k.standard[top]:
			if slices.Contains(s.Local, top) && !shadowed[top] {
				shadowed[top] = true
				found = append(found, s.at(i.Place, ruleShadow, SeverityNote,
					fmt.Sprintf("import of the standard module %s, which hides the %s beside the script", shown(top), shown(top)),
					"rename the one beside the script", i.Text))
			}
			continue
		case !k.lacks(s, i):
			continue
		}
		d := k.missing(s, i)
		if why := excused(i.Guards, unknown); why != "" {
			d.Severity = SeverityNote
			d.Message, d.Fix = d.Message+"; "+why, ""
		}
		found = append(found, d)
	}
	if name := strings.TrimSuffix(baseName(s.Name), ".py"); !s.Package && name != baseName(s.Name) && k.standard[name] && name != "__main__" {
		found = append(found, Diagnostic{
			File: s.Name, Code: ruleShadowFile, Severity: SeverityNote,
			Message: fmt.Sprintf("the file is named as the standard module %s, which it hides elsewhere, though never in pyrun", name),
			Fix:     "rename it",
		})
	}
	return found
}

// lacks says whether an import finds nothing here.
func (k knowledge) lacks(s *subject, i python.ImportFact) bool {
	if i.Level > 0 {
		return !s.Package
	}
	top := topName(i.Name)
	if top == "distutils" && k.installed["_distutils_hack"] {
		return false // setuptools brings it
	}
	return !k.standard[top] && !k.installed[top] && !slices.Contains(s.Local, top)
}

// excused says why an import that finds nothing does not stop the script.
func excused(guards []python.Guard, unknown map[int]bool) string {
	for _, g := range guards {
		switch {
		case g.Kind == "caught":
			return "the script is ready for that"
		case g.Kind == "fallback" && !unknown[g.Group], g.Kind == "else" && unknown[g.Group]:
			return "another import decides whether it is reached"
		case g.Kind == "checking":
			return "only type checkers look there"
		case g.Kind == "condition":
			return "the platform or version decides whether it is reached"
		}
	}
	return ""
}

// missing is the diagnostic of an import that finds nothing.
func (k knowledge) missing(s *subject, i python.ImportFact) Diagnostic {
	problem := func(rule, fix, format string, args ...any) Diagnostic {
		return s.at(i.Place, rule, SeverityProblem, fmt.Sprintf(format, args...), fix, i.Text)
	}
	if i.Level > 0 {
		return problem(ruleRelative, "import it by its whole name: the folder of the script is on sys.path", "relative import in a script, which lies in no package")
	}
	top := topName(i.Name)
	module := shown(top)
	if m, ok := python.Moved(top, k.version); ok {
		return problem(ruleVersion, m.Instead, "import of %s, which %s (this is %s)", module, m.When, k.version)
	}
	own, brings := python.NormalName(top), python.PackageFor(top)
	var names []string // what could have been meant
	for _, p := range k.listed() {
		normal := python.NormalName(p.name)
		switch {
		case normal != own && normal != brings:
		case !p.installed:
			return problem(ruleMissing, "install it: pyrun packages install", "import of %s, %s", module, notInstalled(p.name, own))
		case len(p.imports) > 0:
			return problem(ruleOtherName, "import "+shown(p.importName()), "import of %s, but the package %s is imported as %s", module, shown(p.name), shown(p.importName()))
		}
		if p.installed {
			names = append(names, p.imports...)
		} else {
			names = append(names, p.name)
		}
	}
	message := fmt.Sprintf("import of %s, which is not an allowed package", module)
	if brings != own {
		message = fmt.Sprintf("import of %s, of the package %s, which is not allowed", module, brings)
	}
	if near, ok := python.Nearest(top, append(slices.Clone(names), s.Local...)); ok {
		return problem(ruleImport, "did you mean "+shown(near)+"?", "%s", message)
	}
	if near, ok := python.Nearest(top, k.standardNames()); ok {
		return problem(ruleImport, "did you mean "+shown(near)+", of the standard library?", "%s", message)
	}
	return problem(ruleImport, k.alternatives(brings), "%s", message)
}

func notInstalled(name, own string) string {
	if python.NormalName(name) == own {
		return "an allowed package that is not installed here"
	}
	return "from the allowed package " + shown(name) + ", which is not installed here"
}

// alternatives is what to do about a module that nothing is like.
func (k knowledge) alternatives(brings string) string {
	fix := "add " + shown(brings) + " to packages.txt and run: pyrun packages install"
	if have := installed(k.listed()); len(have) > 0 {
		return fix + "; there is: " + clip(strings.Join(have, ", "), 200)
	}
	return fix + "; there is the standard library only"
}

// standardNames are those that a slip of the fingers may have meant.
func (k knowledge) standardNames() []string {
	names := make([]string, 0, len(k.standard))
	for name := range k.standard {
		if name[0] != '_' {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func topName(module string) string {
	top, _, _ := strings.Cut(module, ".")
	return top
}

// baseName is the last part of a source's name, which is written with slashes or this system's separator.
func baseName(name string) string {
	return name[strings.LastIndexAny(name, `/\`)+1:]
}
