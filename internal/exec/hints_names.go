package exec

// Hints that speak of modules, programs and files by name.

import (
	"fmt"
	"path"
	"strings"

	"github.com/pyrun-dev/pyrun/internal/exec/python"
)

// hintModule is for imports of what is not there, and for trying to install it.
func hintModule(c clue) string {
	if h := hintInstaller(c); h != "" {
		return h
	}
	if c.verdict != VerdictError {
		return ""
	}
	module := missingModule(c)
	if module == "" {
		return ""
	}
	own, brings := python.NormalName(module), python.PackageFor(module)
	for _, p := range c.allowed {
		normal := python.NormalName(p.name)
		switch {
		case normal != own && normal != brings:
		case !p.installed:
			return fmt.Sprintf("%s is an allowed package, but it is not installed for this interpreter%s", p.name, c.flag("run: pyrun packages install"))
		case len(p.imports) > 0 && !contains(p.imports, module):
			return fmt.Sprintf("the package %s is imported as %s", p.name, p.importName())
		}
	}
	var names []string
	for _, p := range c.allowed {
		if p.installed {
			names = append(names, p.imports...)
		}
	}
	if near, ok := python.Nearest(module, names); ok {
		return fmt.Sprintf("there is no module %s here; did you mean %s?", module, near)
	}
	if len(names) == 0 {
		return module + " is not in the standard library, which is all there is here, and it cannot be installed here" + addTo(c, brings)
	}
	return fmt.Sprintf("%s is not among the allowed packages, and it cannot be installed here; there is: %s%s", module, clip(strings.Join(installed(c.allowed), ", "), 300), addTo(c, brings))
}

// addTo is for who owns the list of packages.
func addTo(c clue, name string) string {
	if !c.terminal {
		return ""
	}
	return "; add " + name + " to packages.txt and run: pyrun packages install"
}

// hintInstaller is for pip, uv and their kin called from inside.
func hintInstaller(c clue) string {
	const sorry = "nothing can be installed here: there is no network, and packages are chosen at build time in packages.txt"
	if c.verdict != VerdictError {
		return ""
	}
	said := c.said()
	switch {
	case has(said, "No module named pip", "No module named 'pip'", "No module named uv", "No module named 'uv'", "No module named ensurepip"):
		return sorry
	case has(c.code, "pip", "uv") && has(said, "directory: 'pip'", "directory: 'pip3'", "directory: 'uv'", "directory: 'conda'",
		"pip: not found", "pip3: not found", "uv: not found", "No matching distribution found",
		"Could not find a version that satisfies", "externally-managed-environment", "'pip', 'install'", "'pip install"):
		return sorry
	}
	return ""
}

// missingModule is the top name of the module that could not be imported.
func missingModule(c clue) string {
	text := c.tail
	if c.err != nil {
		if c.err.Type != "ModuleNotFoundError" {
			return ""
		}
		text = c.err.Message
	} else if !strings.Contains(text, "ModuleNotFoundError") {
		return ""
	}
	i := strings.LastIndex(text, "No module named '")
	if i < 0 {
		return ""
	}
	name, _, ok := strings.Cut(text[i+len("No module named '"):], "'")
	name, _, _ = strings.Cut(name, ".")
	if !ok || !isEnvName(name) || len(name) > 64 {
		return ""
	}
	return name
}

// hintFile is for files and programs that are not there.
func hintFile(c clue) string {
	if c.verdict != VerdictError {
		return ""
	}
	name := missingFile(c)
	if name == "" {
		return ""
	}
	if strings.Contains(c.tail, "subprocess.py") && strings.Contains(c.tail, "_execute_child") && !strings.HasPrefix(name, "/job") {
		return fmt.Sprintf("there is no program %s in this sandbox, and none can be installed: only Python and its packages are here", name)
	}
	base := path.Base(name)
	if c.terminal && c.beside != nil && c.beside(base) && !contains(c.inputs, base) {
		return fmt.Sprintf("%s lies beside %s, but a script sees only what it is given: pyrun run %s --in %s", base, shown(c.script), quoted(c.script), quoted(base))
	}
	if len(c.inputs) == 0 {
		if c.terminal {
			return "a script sees only what it is given, and nothing was: bring files in with --in FILE"
		}
		return "a script sees only the files of its request, and there were none: pass the file in"
	}
	names := make([]string, 0, 10)
	for _, n := range c.inputs[:min(10, len(c.inputs))] {
		names = append(names, shown(n))
	}
	more := ""
	if len(c.inputs) > 10 {
		more = ", ..."
	}
	return "the inputs of this run are: " + strings.Join(names, ", ") + more + "; open them by these names" + c.flag("--in FILE brings in another")
}

// missingFile is the path that was not found, when it is fit to be repeated.
func missingFile(c clue) string {
	text := c.tail
	if c.err != nil {
		if c.err.Type != "FileNotFoundError" {
			return ""
		}
		text = c.err.Message
	} else if !strings.Contains(text, "FileNotFoundError") {
		return ""
	}
	i := strings.LastIndex(text, "No such file or directory: '")
	if i < 0 {
		return ""
	}
	name, _, ok := strings.Cut(text[i+len("No such file or directory: '"):], "'")
	if !ok || name == "" || len(name) > 200 || shown(name) != name {
		return ""
	}
	return name
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}

// installed names what there is: of the packages asked for in packages.txt if
// any of them is, for they are what a reader looks for.
func installed(all []pkg) []string {
	var names, listed []string
	for _, p := range all {
		if !p.installed {
			continue
		}
		names = append(names, p.name)
		if p.listed {
			listed = append(listed, p.name)
		}
	}
	if len(listed) > 0 {
		return listed
	}
	return names
}
