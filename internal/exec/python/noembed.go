//go:build noembed

// The small binary: no interpreter inside.

package python

import "context"

func embeddedName() string { return "" }

func embedded(context.Context, Options) (*record, error) {
	return nil, &Error{
		Kind: ErrNoEmbedded, Msg: "this pyrun was built without an interpreter of its own (noembed)",
		Remedy: "give a CPython 3.9 or newer with --python or CODE_TOOLS_PYTHON",
	}
}

// ownPip is none: an interpreter has to bring its own.
func ownPip(context.Context, Options) (string, error) { return "", nil }
