package ui

import (
	"encoding/xml"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

// EnvironmentGitHub prints findings as annotations of GitHub Actions.
func (u *UI) EnvironmentGitHub(e *exec.Environment) error {
	var b strings.Builder
	for _, f := range e.Findings {
		level := "error"
		if f.Severity == exec.SeverityNote {
			level = "notice"
		}
		b.WriteString(Annotation{Level: level, Title: "pyrun check: " + f.Area, Message: told(f)}.String())
	}
	_, err := io.WriteString(u.out, b.String())
	return err
}

// told is a finding as lines.
func told(f exec.Finding) string {
	text := Clean(f.Message)
	if f.Why != "" {
		text += "\nwhy: " + Clean(f.Why)
	}
	if f.Remedy != "" {
		text += "\nfix: " + Clean(f.Remedy)
	}
	return text
}

// EnvironmentJUnit prints e as a JUnit report: a suite for each area, a case for
// the interpreter, each wall, each wanted package and each import, and one for
// every other problem. A package of the built-in list that is not installed has
// none, as nobody has asked for it.
func (u *UI) EnvironmentJUnit(e *exec.Environment) error {
	var all junit.Testsuites
	all.Name = "pyrun check"
	for _, area := range []string{"interpreter", "walls", "limits", "packages", "imports"} {
		s := junit.Testsuite{Name: area, ID: len(all.Suites), Time: "0.000"}
		for _, c := range cases(e, area) {
			c.Classname = "pyrun." + area
			s.AddTestcase(c)
		}
		if len(s.Testcases) > 0 {
			all.AddSuite(s)
		}
	}
	if _, err := io.WriteString(u.out, xml.Header); err != nil {
		return err
	}
	return all.WriteXML(u.out)
}

func cases(e *exec.Environment, area string) (list []junit.Testcase) {
	told := map[int]bool{} // findings that have a case
	add := func(name string, about func(exec.Finding) bool) *junit.Testcase {
		c := junit.Testcase{Name: Clean(name)}
		for i, f := range e.Findings {
			if f.Area == area && about(f) {
				told[i] = true
				c.Failure = failed(c.Failure, f)
			}
		}
		list = append(list, c)
		return &list[len(list)-1]
	}
	switch area {
	case "interpreter":
		if e.Interpreter != nil {
			add("CPython "+e.Interpreter.Version, func(exec.Finding) bool { return false })
		}
	case "walls":
		for _, w := range e.Walls {
			add(w.Name, func(f exec.Finding) bool { return f.Wall == w.Name })
		}
	case "packages", "imports":
		for _, p := range e.Packages {
			about := func(f exec.Finding) bool { return f.Package == p.Name }
			switch {
			case area == "imports" && p.Import != nil:
				add(p.Name, about).Time = strconv.FormatFloat(float64(p.Import.DurationMS)/1000, 'f', 3, 64)
			case area == "packages" && p.Wanted != "" && (p.Version != "" || slices.ContainsFunc(e.Findings, about)):
				add(p.Name, about)
			}
		}
	}
	for i, f := range e.Findings {
		if f.Area == area && !told[i] && f.Severity == exec.SeverityProblem {
			add(f.Message, func(other exec.Finding) bool { return other == f })
		}
	}
	return list
}

// failed adds a finding to what a case has failed with so far; notes fail nothing.
func failed(so *junit.Result, f exec.Finding) *junit.Result {
	switch {
	case f.Severity != exec.SeverityProblem:
		return so
	case so == nil:
		return &junit.Result{Message: Clean(f.Message), Type: f.Area, Data: told(f)}
	}
	so.Data += "\n\n" + told(f)
	return so
}
