package serve

// What validate_code and check_environment say, in the lines that clients of the
// first Python runner know.

import (
	"fmt"
	"strings"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

const (
	maxDiagnostics = 20
	policyLine     = "policy: offline sandbox (no runtime installs)"
	artifactsLine  = "Write binaries to ARTIFACTS_DIR; they return in JSON field artifacts[]."
)

// reportText is VALID or INVALID first; env may be nil.
func reportText(r *exec.Report, env *exec.Environment) string {
	var problems, notes []exec.Diagnostic
	for _, d := range r.Diagnostics {
		if d.Severity == exec.SeverityProblem {
			problems = append(problems, d)
		} else {
			notes = append(notes, d)
		}
	}
	var b strings.Builder
	if len(problems) > 0 {
		b.WriteString("INVALID: ")
		diagnostics(&b, problems, "")
		return strings.TrimSuffix(b.String(), "\n")
	}
	b.WriteString("VALID\n" + policyLine + "\n")
	if env != nil {
		names := installed(env)
		fmt.Fprintf(&b, "preinstalled_packages (%d): %s\n", len(names), strings.Join(names, ", "))
	}
	if len(notes) > 0 {
		diagnostics(&b, notes, "note: ")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func diagnostics(b *strings.Builder, list []exec.Diagnostic, prefix string) {
	for i, d := range list {
		if i == maxDiagnostics {
			fmt.Fprintf(b, "and %d more\n", len(list)-i)
			return
		}
		b.WriteString(prefix)
		if d.Line > 0 {
			fmt.Fprintf(b, "line %d", d.Line)
			if d.Column > 0 {
				fmt.Fprintf(b, ", column %d", d.Column)
			}
			b.WriteString(": ")
		}
		fmt.Fprintf(b, "%s [%s]\n", d.Message, d.Code)
		if d.Text != "" {
			fmt.Fprintf(b, "    %s\n", strings.TrimSpace(d.Text))
		}
		if d.Fix != "" {
			fmt.Fprintf(b, "    fix: %s\n", d.Fix)
		}
	}
}

// environmentText names what is there, not what a list wishes for.
func environmentText(e *exec.Environment) string {
	var b strings.Builder
	line := func(name, format string, args ...any) { fmt.Fprintf(&b, name+": "+format+"\n", args...) }
	if in := e.Interpreter; in != nil {
		line("Python version", "%s", in.Version)
		embedded := ""
		if in.Embedded {
			embedded = " (embedded)"
		}
		line("Runtime interpreter", "%s%s", in.Path, embedded)
	} else {
		line("Python version", "none was found")
	}
	platform := e.System.OS + " " + e.System.Arch
	if e.System.Kernel != "" {
		platform += ", kernel " + e.System.Kernel
	}
	line("Platform", "%s", platform)
	line("Sandbox backend", "%s", e.Sandbox.Backend)
	line("Sandbox status", "%s", sandboxStatus(e))
	network := "none: no sockets, no package install"
	if e.Sandbox.Network == "loopback" {
		network = "loopback only: no egress, no package install"
	}
	if e.Sandbox.Backend == "none" {
		network = "not restricted"
	}
	line("Network", "%s", network)
	l := e.Limits
	line("Default timeout", "%gs", l.TimeoutSeconds)
	line("Max timeout", "%gs", l.MaxTimeoutSeconds)
	line("Max memory", "%s (held by %s)", bytesWord(l.MemoryBytes), l.Memory)
	line("Max processes", "%d", l.Processes)
	line("Max disk", "%s, one file %s", bytesWord(l.DiskBytes), bytesWord(l.FileBytes))
	line("Max stdout/stderr", "%d bytes", l.OutputBytes)
	line("Max artifact file", "%d bytes", l.ArtifactBytes)
	line("Max input file", "%d bytes", l.InputFileBytes)
	line("Max input files", "%d", l.InputFiles)
	names := installed(e)
	if len(names) == 0 {
		b.WriteString("Preinstalled packages: none, only the standard library\n")
	} else {
		b.WriteString("Preinstalled packages (import these only):\n")
		for _, name := range names {
			b.WriteString("  - " + name + "\n")
		}
	}
	for _, f := range e.Findings {
		kind := "Problem"
		if f.Severity == exec.SeverityNote {
			kind = "Note"
		}
		line(kind, "%s", f.Message)
		if f.Remedy != "" {
			line("  Remedy", "%s", f.Remedy)
		}
	}
	b.WriteString(artifactsLine)
	return b.String()
}

func sandboxStatus(e *exec.Environment) string {
	var held, missing []string
	for _, w := range e.Walls {
		if w.Held {
			held = append(held, w.Name)
		} else {
			missing = append(missing, w.Name)
		}
	}
	switch {
	case e.Sandbox.Backend == "none":
		return "no walls: a script can do whatever this server can"
	case len(missing) > 0:
		return "broken, nothing is run: missing " + strings.Join(missing, ", ")
	case len(held) == 0:
		return "not tried, nothing is run"
	}
	return "every wall was tried and holds: " + strings.Join(held, ", ")
}

// installed names what can be imported: "scikit-learn 1.5 (import sklearn)".
func installed(e *exec.Environment) []string {
	var names []string
	for _, p := range e.Packages {
		if p.Version == "" || p.Wanted == "" {
			continue
		}
		name := p.Name + " " + p.Version
		if len(p.Imports) > 0 && !strings.EqualFold(p.Imports[0], p.Name) {
			name += " (import " + p.Imports[0] + ")"
		}
		names = append(names, name)
	}
	return names
}
