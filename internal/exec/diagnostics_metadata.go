package exec

// Inline script metadata as findings. `pyrun run` refuses with the same words.

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pyrun-dev/pyrun/internal/exec/python"
)

const fixDependencies = "packages are installed at build time from packages.txt, never by a script; remove the dependencies line"

// judgeMetadata holds a source's block of metadata against policy, and against
// the interpreter's version unless that is empty.
func judgeMetadata(s *subject, version string) []Diagnostic {
	meta, err := python.ParseMetadata(s.Code)
	if err != nil {
		return []Diagnostic{s.metadataError(err)}
	}
	if meta == nil {
		return nil
	}
	var found []Diagnostic
	problem := func(line int, rule, message, fix string) {
		found = append(found, s.at(s.lineRange(line), rule, SeverityProblem, message, fix, ""))
	}
	if len(meta.Dependencies) > 0 {
		names := make([]string, 0, len(meta.Dependencies))
		for _, d := range meta.Dependencies[:min(len(meta.Dependencies), 100)] {
			names = append(names, shown(d))
		}
		problem(meta.Line, ruleDependencies, "inline dependencies are refused: "+clip(strings.Join(names, ", "), 2048), fixDependencies)
	}
	if version != "" && meta.RequiresPython != "" {
		ok, err := meta.Allows(version)
		switch {
		case err != nil:
			found = append(found, s.metadataError(err))
		case !ok:
			problem(meta.RequiresLine, rulePython, fmt.Sprintf("the script requires Python %s, but this is %s", shown(meta.RequiresPython), version),
				"choose another interpreter with --python, or change requires-python")
		}
	}
	for _, key := range meta.Unknown {
		d := s.at(s.lineRange(key.Line), ruleKey, SeverityNote, "unknown key in the inline metadata: "+shown(key.Name), "", "")
		if near, ok := python.Nearest(key.Name, []string{"dependencies", "requires-python", "tool"}); ok {
			d.Fix = "did you mean " + near + "?"
		}
		found = append(found, d)
	}
	return found
}

// metadataError places an error of ParseMetadata or Allows.
func (s *subject) metadataError(err error) Diagnostic {
	line, rule, fix := 1, ruleTOML, ""
	switch {
	case errors.Is(err, python.ErrBlocks):
		rule, fix = ruleBlocks, "keep one block, or give the other another type"
	case errors.Is(err, python.ErrType):
		rule = ruleType
	case errors.Is(err, python.ErrSpecifier):
		rule, fix = ruleSpecifier, `write it as in: requires-python = ">=3.12"`
	}
	message := err.Error()
	var at *python.MetadataError
	if errors.As(err, &at) {
		line, message = at.Line, at.Msg
	}
	return s.at(s.lineRange(line), rule, SeverityProblem, "the inline script metadata cannot be read: "+clip(toValid([]byte(message)), 500), fix, "")
}

// lineRange is a line without its leading and trailing blanks.
func (s *subject) lineRange(n int) python.Span {
	if n < 1 || n > s.lines() {
		return python.Span{}
	}
	text := []rune(strings.TrimRight(toValid(s.line(n)), " \t\f"))
	start := 0
	for start < len(text) && strings.ContainsRune(" \t\f", text[start]) {
		start++
	}
	return python.Span{n, start + 1, n, len(text) + 1}
}
