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
	case "===":
		return true
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
	have, err := semver.PyPI.Parse(version)
	for clause := range strings.SplitSeq(specifier, ",") {
		if exact, ok := strings.CutPrefix(clause, "==="); ok {
			if !strings.EqualFold(exact, version) {
				return false
			}
			continue
		}
		if clause == "" {
			continue
		}
		want, bad := semver.PyPI.ParseConstraint(clause)
		if err != nil || bad != nil || !want.MatchVersionPrerelease(have) {
			return false
		}
	}
	return true
}
