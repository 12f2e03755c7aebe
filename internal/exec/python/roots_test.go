//go:build !noembed

package python

import (
	"crypto/x509"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRoots: a machine without certificates still shows some to its scripts.
func TestRoots(t *testing.T) {
	i := embeddedInterpreter(t)
	share := filepath.Join(filepath.Dir(filepath.Dir(i.Source)), rootsFolder)
	at := filepath.Join(share, "certifi", "cacert.pem")
	data, err := os.ReadFile(at)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(data), "BEGIN CERTIFICATE"); n < 100 || !x509.NewCertPool().AppendCertsFromPEM(data) {
		t.Fatalf("%d certificates, or none that can be read", n)
	}
	r, err := embedded(t.Context(), Options{CacheDir: filepath.Dir(filepath.Dir(share)), Getenv: os.Getenv})
	if err != nil {
		t.Fatal(err)
	}
	if last := r.Sites[len(r.Sites)-1]; last != share {
		t.Fatalf("the record looks for certificates in %s last, not in %s", last, share)
	}
}
