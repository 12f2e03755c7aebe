package sandbox

// Machine is what building walls has to know of this machine, and what of a
// first run can be made before its policy is known. One serves one Launcher.
type Machine struct{ machine }

// Look begins to look at the machine in the background, so that a program that
// still reads its arguments does not wait for it later. It never fails: what
// is missing is an error of Start. Without a Launcher it must be closed.
func Look() *Machine {
	m := &Machine{}
	m.init("")
	m.begin(true)
	return m
}

// Close gives back what was made ahead and not used. A Launcher does it itself.
func (m *Machine) Close() error { return m.close() }
