package serve

// TLS with a certificate that can be replaced while the server runs.

import (
	"crypto/tls"
	"fmt"
	"sync/atomic"
	"time"
)

const maxPEM = 1 << 20 // bytes of a certificate chain or a key

type certificate struct {
	certPath, keyPath string
	pair              atomic.Pointer[tls.Certificate]
}

func openCertificate(certPath, keyPath string) (*certificate, error) {
	c := &certificate{certPath: certPath, keyPath: keyPath}
	return c, c.reload()
}

// reload takes what the files hold now, if it is a pair.
func (c *certificate) reload() error {
	cert, err := readSmall(c.certPath, maxPEM)
	if err != nil {
		return fmt.Errorf("read the certificate: %w", err)
	}
	key, err := readSmall(c.keyPath, maxPEM)
	if err != nil {
		return fmt.Errorf("read the certificate's key: %w", err)
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return fmt.Errorf("certificate %s with key %s: %w", c.certPath, c.keyPath, err)
	}
	if time.Now().After(pair.Leaf.NotAfter) && c.pair.Load() != nil {
		return fmt.Errorf("certificate %s: expired on %s", c.certPath, pair.Leaf.NotAfter.Format(time.DateOnly))
	}
	c.pair.Store(&pair)
	return nil
}

func (c *certificate) config() *tls.Config {
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.pair.Load(), nil },
	}
}
