// Version specifiers, PEP 440. What a version is, and which versions a
// specifier takes, the library knows; it lets pass some forms that pip refuses,
// and those are refused here.

package python

import (
	"fmt"
	"strings"

	"deps.dev/util/semver"
)

// parseSpecifier checks ">=1.2, <2", in brackets or not, and writes it without blanks.
func parseSpecifier(text string) (specifier, msg string) {
	if inner, ok := strings.CutPrefix(text, "("); ok {
		if text, ok = strings.CutSuffix(inner, ")"); !ok {
			return "", "the bracket is not closed"
		}
	}
	if text = strings.TrimSpace(text); text == "" {
		return "", ""
	}
	var clauses []string
	for clause := range strings.SplitSeq(strings.TrimSuffix(text, ","), ",") {
		clause = strings.TrimSpace(clause)
		version := strings.TrimLeft(clause, "=!<>~")
		operator := clause[:len(clause)-len(version)]
		version = strings.TrimSpace(version)
		if !clauseOK(operator, version) {
			return "", badClause(clause, operator)
		}
		clauses = append(clauses, operator+version)
	}
	return strings.Join(clauses, ","), ""
}

func badClause(clause, operator string) string {
	msg := fmt.Sprintf("%q is no version specifier", clause)
	switch operator {
	case "=":
		msg += "; exactly one version is =="
	case "":
		msg += "; a version needs ==, >= or the like before it"
	}
	return msg
}

// clauseOK says whether an operator takes a version of that form.
func clauseOK(operator, version string) bool {
	if version == "" || strings.ContainsAny(version, " \t") {
		return false
	}
	plain, wild := strings.CutSuffix(version, ".*")
	_, err := semver.PyPI.Parse(plain)
	valid := err == nil && !strings.ContainsAny(plain, "*=<>~")
	local := strings.Contains(plain, "+")
	switch operator {
	case "===": // pip takes any word; a word that could be a version is enough
		return strings.IndexFunc(version, func(c rune) bool { return !nameRune(c) && c != '+' && c != '!' }) < 0
	case "==", "!=":
		return valid && (!wild || !local && onlyRelease(plain))
	case "~=":
		return valid && !wild && !local && strings.Contains(release(plain), ".")
	case "<=", ">=", "<", ">":
		return valid && !wild && !local
	}
	return false
}

// release is the leading numbers of a version: "1.2" of "1!1.2rc1".
func release(version string) string {
	version = strings.TrimLeft(version, "vV")
	if _, after, ok := strings.Cut(version, "!"); ok {
		version = after
	}
	end := strings.IndexFunc(version, func(c rune) bool { return (c < '0' || c > '9') && c != '.' })
	if end < 0 {
		return version
	}
	return strings.TrimRight(version[:end], ".")
}

func onlyRelease(version string) bool {
	return strings.HasSuffix(version, release(version)) && !strings.HasSuffix(version, ".")
}

// Takes says whether a version satisfies a specifier, as pip says it of what is
// installed: a pre-release counts where it lies in the range.
func Takes(specifier, version string) bool {
	for clause := range strings.SplitSeq(specifier, ",") {
		if clause != "" && !takesClause(clause, version) {
			return false
		}
	}
	return true
}

// takesClause compares versions. The library's own constraints, which serve a
// resolver, judge post-releases, local labels and epochs otherwise than pip.
func takesClause(clause, version string) bool {
	if exact, ok := strings.CutPrefix(clause, "==="); ok {
		return strings.EqualFold(exact, version)
	}
	wanted := strings.TrimLeft(clause, "=!<>~")
	operator := strings.TrimSuffix(clause, wanted)
	if !strings.Contains(wanted, "+") || operator != "==" && operator != "!=" {
		version, _, _ = strings.Cut(version, "+") // a local label counts only where one is asked for
	}
	have, err := semver.PyPI.Parse(version)
	if err != nil {
		return false
	}
	plain, wild := strings.CutSuffix(wanted, ".*")
	bound, err := semver.PyPI.Parse(plain)
	if err != nil {
		return false
	}
	order := have.Compare(bound)
	switch operator {
	case "==":
		return order == 0 || wild && samePrefix(plain, version)
	case "!=":
		return order != 0 && !(wild && samePrefix(plain, version))
	case "<=":
		return order <= 0
	case ">=":
		return order >= 0
	case "<": // nor a pre-release of the very version that is shut out
		if first, err := semver.PyPI.Parse(plain + ".dev0"); err == nil && !bound.IsPrerelease() && !strings.Contains(plain, "dev") {
			return have.Compare(first) < 0
		}
		return order < 0
	case ">": // nor a later issue of it
		before, _, post := strings.Cut(have.Canon(true), ".post")
		of, err := semver.PyPI.Parse(before)
		return order > 0 && (!post || err != nil || of.Compare(bound) != 0)
	case "~=":
		up := release(plain)
		up = up[:strings.LastIndexByte(up, '.')]
		return order >= 0 && samePrefix(epoch(plain)+up, version)
	}
	return false
}

// epoch is "1!" of "1!2.0".
func epoch(version string) string {
	if before, _, ok := strings.Cut(version, "!"); ok {
		return strings.TrimLeft(before, "vV") + "!"
	}
	return ""
}

// samePrefix says whether a version begins with the numbers of prefix: 1.4.2 and 1.4.
func samePrefix(prefix, version string) bool {
	want, have := strings.Split(release(prefix), "."), strings.Split(release(version), ".")
	for n, number := range want {
		if n < len(have) && strings.TrimLeft(number, "0") != strings.TrimLeft(have[n], "0") || n >= len(have) && strings.Trim(number, "0") != "" {
			return false
		}
	}
	return epoch(prefix) == epoch(version)
}
