package exec

// A look at the last statement of a script, without an interpreter: good
// enough for a hint, and wrong only towards silence.

import "strings"

// endsInExpression says whether the last line is an expression whose value was
// dropped. A bare call of a plain name, like main(), is not: it did something.
func endsInExpression(code string) bool {
	lines := strings.Split(strings.ReplaceAll(code, "\r", "\n"), "\n")
	last := ""
	for i := len(lines) - 1; i >= 0 && last == ""; i-- {
		if t := strings.TrimSpace(lines[i]); t != "" && t[0] != '#' {
			last = strings.TrimRight(lines[i], " \t")
		}
	}
	if last == "" || last[0] == ' ' || last[0] == '\t' || strings.ContainsAny(last, `;\`) {
		return false
	}
	if strings.ContainsAny(last[:1], `)]}"'@`) { // the end of something longer, or a text
		return false
	}
	word := last[:wordEnd(last)]
	switch word {
	case "import", "from", "def", "class", "if", "for", "while", "with", "try", "except", "finally", "else", "elif",
		"return", "raise", "pass", "break", "continue", "del", "assert", "global", "nonlocal", "async", "match", "case", "type", "print", "exit", "quit":
		return false
	}
	if word != "" && strings.HasPrefix(last[len(word):], "(") && strings.HasSuffix(last, ")") {
		return false
	}
	return balanced(last)
}

// balanced says whether a line has whole brackets and texts, and no assignment.
func balanced(line string) bool {
	depth := 0
	var quote byte
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '#':
			return depth == 0
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			if depth--; depth < 0 {
				return false
			}
		case c == '=' && depth == 0:
			compared := i+1 < len(line) && line[i+1] == '='
			if !compared && (i == 0 || !strings.ContainsRune("=!<>", rune(line[i-1]))) {
				return false
			}
			if compared {
				i++
			}
		case c == ':' && depth == 0:
			return false
		}
	}
	return depth == 0 && quote == 0
}

func wordEnd(s string) int {
	for i := range len(s) {
		if !isEnvName("_" + s[i:i+1]) {
			return i
		}
	}
	return len(s)
}
