//go:build noembed

// The small binary: no interpreter inside.

package python

import "context"

func embedded(context.Context, Options) (*record, error) {
	return nil, &Error{
		Kind: ErrNoEmbedded, Msg: "this pyrun was built without an interpreter of its own (noembed)",
		Remedy: "give a CPython 3.9 or newer with --python or CODE_TOOLS_PYTHON",
	}
}
