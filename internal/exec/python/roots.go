//go:build !noembed

package python

import (
	"bufio"
	"encoding/pem"
	"os"
	"path/filepath"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// rootsFolder, in the unpacked tree, is laid out like a folder of packages with certifi in it.
const rootsFolder = "share"

// writeRoots puts certificates beside the interpreter, for machines that have
// none: libraries load them at import, though nothing can be reached. Those the
// browsers trust only up to a date are left out, as a file cannot say that.
func writeRoots(dir string) error {
	at := filepath.Join(dir, rootsFolder, "certifi", "cacert.pem")
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(at, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	for root := range bundle.Roots() {
		if root.Constraint != nil {
			continue
		}
		if err := pem.Encode(w, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}
