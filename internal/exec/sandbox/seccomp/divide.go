package seccomp

import "slices"

// Divide parts the rules for a program that needs more calls than what it
// starts: under the first part the named calls pass, the second judges them and
// nothing else. Under both together a call gets what the rules give it, for the
// kernel takes the harder of two answers. Entering the second, which is small,
// costs a process a tenth of entering all. Compile the first with [Compile] and
// the second with [CompileOver].
func Divide(rules []Rule, names []string) (first, second []Rule) {
	first, second = make([]Rule, 0, len(rules)), make([]Rule, 0, 4*len(names))
	for _, r := range rules {
		if slices.Contains(names, r.Name) {
			second = append(second, r)
		} else {
			first = append(first, r)
		}
	}
	for _, name := range names {
		first = append(first, Rule{Name: name, Action: Allow, Why: "decided by the filter that follows"})
		second = append(second, Rule{Name: name, Action: Default, Why: "what no rule matches"})
	}
	return first, second
}
