//go:build !noembed

// The pip that comes with pyrun, unpacked once into the cache folder.

package python

import (
	"context"
	"os"
	"path/filepath"

	embedpip "github.com/kluctl/go-embed-python/pip"
)

// A test holds both against the module. The last number of the folder's name
// counts up when unpackPip makes something else of the same files.
const (
	pipVersion = "26.1.2"
	pipLayout  = "1"
)

// ownPip is the folder that holds the package pip; sys.path has to name it.
func ownPip(ctx context.Context, o Options) (string, error) {
	dir, err := cacheDir(o)
	if err != nil {
		return "", err
	}
	if _, err := embedded(ctx, o); err != nil { // compiles it
		return "", err
	}
	root := filepath.Join(dir, "pip-"+pipVersion+"-"+pipLayout)
	if trustRoot(root) == nil {
		return root, nil
	}
	return root, unpackOnce(ctx, o, dir, root, "pip "+pipVersion, func(to string) error {
		return unpackPip(ctx, filepath.Join(dir, embeddedName()), to, root)
	})
}

// unpackPip extracts pip into the folder to, which will stand at root.
func unpackPip(ctx context.Context, interpreter, to, root string) error {
	// The library extracts below the folder for temporary files, under a name
	// that others could take first; a name with ".." in it leads to our own.
	out, err := filepath.Rel(os.TempDir(), to)
	if err != nil {
		return err
	}
	files, err := embedpip.NewPipLib("/../" + out)
	if err != nil {
		return err
	}
	if err := os.Rename(files.GetExtractedPath(), to); err != nil {
		return err
	}
	if err := compileFolder(ctx, programIn(interpreter), to, root); err != nil {
		return err
	}
	return seal(to)
}
