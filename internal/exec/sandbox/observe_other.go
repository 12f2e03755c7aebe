//go:build !linux || !(amd64 || arm64)

package sandbox

// Ask surveys this machine for runs with a network. It changes nothing.
func Ask(Network) Survey { return Survey{} }
