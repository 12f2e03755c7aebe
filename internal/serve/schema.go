package serve

// The tools as a model sees them: names, words and input schemas. Every word is
// paid for in each conversation. Types are never lists of types, which some
// clients refuse.

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

// The names of the tools.
const (
	toolExecute  = "execute_python"
	toolValidate = "validate_code"
	toolCheck    = "check_environment"
	toolRun      = "run_python"
)

// instructions are read by a model once, before any tool.
func (s *Server) instructions() string {
	return "pyrun runs Python in a sandbox. Every call is a fresh process that keeps nothing: send all of the code and files each time. " +
		"There is no network and nothing can be installed. print() what you want to know."
}

// tool describes one tool; env is nil while the machine has not been looked at.
func (s *Server) tool(name string, env *exec.Environment) *mcp.Tool {
	b := s.options.Bounds
	yes, no := true, false
	reads := &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: &no, OpenWorldHint: &no}
	runs := &mcp.ToolAnnotations{DestructiveHint: &yes, OpenWorldHint: &no}
	t := &mcp.Tool{Name: name}
	switch name {
	case toolExecute:
		t.Title, t.Annotations = "Run Python", runs
		t.Description = "Run Python code in a sandbox; returns JSON with stdout, stderr, exit_code, value of the last expression, artifacts, hint. " +
			"Files given in `files` lie in the working folder and in $INPUTS_DIR. Files written to $ARTIFACTS_DIR come back, and so does every open matplotlib figure. " +
			s.network() + fmt.Sprintf(" Each call starts fresh. Limits: %s memory, %d processes, %s of each output. ", bytesWord(b.Memory), b.Processes, bytesWord(b.MaxOutputBytes)) +
			packagesWord(env)
		t.InputSchema = schema([]string{"code"}, []property{
			{"code", `{"type":"string","description":"Python source. print() results."}`},
			{"timeout", b.timeoutSchema()},
			{"files", fmt.Sprintf(`{"type":"array","maxItems":%d,"description":"Input files, read-only. At most %s each, %s in all.","items":{"type":"object","properties":{`+
				`"path":{"type":"string","description":"Relative, such as data/sales.csv."},`+
				`"content":{"type":"string","description":"Text; or"},`+
				`"content_base64":{"type":"string","description":"bytes."}},"required":["path"],"additionalProperties":false}}`,
				b.MaxInputs, bytesWord(b.MaxInputBytes), bytesWord(b.MaxInputsTotal))},
			{"stdin", `{"type":"string","description":"Standard input; empty without it."}`},
			{"args", `{"type":"array","items":{"type":"string"},"description":"sys.argv[1:]."}`},
			{"artifacts", `{"type":"string","enum":["auto","inline"],"description":"auto: images as images, small files as text. inline: every file as base64."}`},
		})
	case toolValidate:
		t.Title, t.Annotations = "Check Python code", reads
		t.Description = "Check Python code without running it: syntax, imports against the installed packages, inline dependencies (which are refused). Answers VALID, or INVALID with line and reason."
		t.InputSchema = schema([]string{"code"}, []property{{"code", `{"type":"string","description":"Python source."}`}})
	case toolCheck:
		t.Title, t.Annotations = "Look at the sandbox", reads
		t.Description = "Report the interpreter, the sandbox, its limits, and the packages with their versions and import names."
		t.InputSchema = schema(nil, nil)
	case toolRun:
		t.Title, t.Annotations = "Run Python (standard library)", runs
		t.Description = "Run Python code with the standard library only; returns its output as text. " + s.network()
		t.InputSchema = schema([]string{"code"}, []property{
			{"code", `{"type":"string","description":"Python source. print() results."}`},
			{"timeout", b.timeoutSchema()},
		})
	default:
		return nil
	}
	return t
}

// timeoutSchema names no bounds that a client could refuse by itself: a value
// outside is clamped, and said.
func (b Bounds) timeoutSchema() string {
	return fmt.Sprintf(`{"type":"number","default":%d,"description":"Seconds of wall clock, 1 to %d."}`, seconds(b.DefaultTimeout), seconds(b.MaxTimeout))
}

type property struct{ name, schema string }

// schema keeps the order of the properties, in which models fill them in.
func schema(required []string, properties []property) json.RawMessage {
	var b strings.Builder
	b.WriteString(`{"type":"object","properties":{`)
	for i, p := range properties {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:%s", p.name, p.schema)
	}
	b.WriteString("}")
	if len(required) > 0 {
		fmt.Fprintf(&b, `,"required":["%s"]`, strings.Join(required, `","`))
	}
	b.WriteString(`,"additionalProperties":false}`)
	return json.RawMessage(b.String())
}

func (s *Server) network() string {
	if s.options.Bounds.Network == "none" {
		return "No network, no sockets."
	}
	return "No network (only its own loopback)."
}

// packagesWord names what can be imported, by what it is imported as.
func packagesWord(env *exec.Environment) string {
	if env == nil {
		return "Packages: see check_environment; nothing can be installed."
	}
	var names []string
	for _, p := range env.Packages {
		if p.Version == "" || p.Wanted == "" {
			continue
		}
		name := p.Name
		if len(p.Imports) > 0 && !strings.EqualFold(p.Imports[0], p.Name) {
			name += " (import " + p.Imports[0] + ")"
		}
		names = append(names, name)
	}
	python := "Python"
	if env.Interpreter != nil {
		python += " " + env.Interpreter.Version
	}
	if len(names) == 0 {
		return python + ", standard library only; nothing can be installed."
	}
	return python + " with " + strings.Join(names, ", ") + "; nothing can be installed."
}
