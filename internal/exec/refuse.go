package exec

// Inline script metadata as policy: packages are a matter of build time, so a
// script that asks for its own is refused before anything is started. What is
// refused here is what validate finds, in the same words.

import "fmt"

// refuse refuses what policy forbids. Without an interpreter's version only what
// can be told without an interpreter.
func (e *Executor) refuse(j *job, version string) *Result {
	for _, d := range judgeMetadata(&subject{Source: Source{Name: j.name, Code: j.code}}, version) {
		if d.Severity != SeverityProblem {
			continue
		}
		text := fmt.Sprintf("%s:%d: %s", shown(j.name), d.Line, d.Message)
		if d.Fix != "" {
			text += "\n" + d.Fix
		}
		return e.refusal(j, text)
	}
	return nil
}
