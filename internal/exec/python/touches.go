package python

// Touches says whether the sandbox shows something for the interpreter at a
// path, above it or below it.
func (i *Interpreter) Touches(path string) bool {
	near := func(shown string) bool { return shown == path || below(shown, path) || below(path, shown) }
	for _, m := range i.Mounts {
		if near(m.Target) {
			return true
		}
	}
	for _, l := range i.Links {
		if near(l.Path) {
			return true
		}
	}
	return false
}
