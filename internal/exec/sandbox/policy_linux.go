//go:build amd64 || arm64

package sandbox

import "strings"

// writable says whether the script may write at a path.
func writable(pol Policy, at string) bool {
	for _, d := range pol.Sealed {
		if below(at, d) {
			return false
		}
	}
	for _, d := range pol.Writable {
		if below(at, d.Path) {
			return true
		}
	}
	return false
}

// nested says whether a writable directory lies in another one.
func nested(pol Policy, at string) bool {
	for _, d := range pol.Writable {
		if d.Path != at && below(at, d.Path) {
			return true
		}
	}
	return false
}

func below(at, dir string) bool { return at == dir || strings.HasPrefix(at, dir+"/") }
