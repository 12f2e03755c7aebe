package sandbox

import "fmt"

// New makes a Launcher. Native costs one waiting thread and looks at the
// machine at the first Start; a system without it answers ErrUnsupported.
func New(o Options) (*Launcher, error) {
	var (
		impl launcher
		err  error
	)
	switch o.Backend {
	case Native:
		impl, err = newNative(o)
	case None:
		if o.Machine != nil {
			_ = o.Machine.Close() // nothing of it is needed
		}
		impl, err = newPlain(o)
	default:
		err = fmt.Errorf("sandbox: no backend %q; there are native and none", o.Backend)
	}
	if err != nil {
		return nil, err
	}
	return &Launcher{impl: impl}, nil
}
