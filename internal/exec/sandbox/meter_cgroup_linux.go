//go:build amd64 || arm64

package sandbox

type hierarchy struct{}

func findCgroups([]byte) *hierarchy { return nil }

func newMeter(h *hierarchy, l Limits) (meter, error) { return newSampler(l.Memory), nil }
