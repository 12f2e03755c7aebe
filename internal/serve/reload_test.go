package serve

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io/fs"
	"log/slog"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// logged is a log that a test reads.
type logged struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func (l *logged) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.b = bytes.Buffer{}
}

func (l *logged) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// late is how long something may take that happens at once on a machine with nothing
// else to do: only what never happens takes so long.
const late = time.Minute

// eventually waits until ok.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(late); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

// pair makes a certificate for localhost with its key, valid until then.
func pair(t testing.TB, name string, until time.Time) (cert, key string) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{"localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: until, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, k.Public(), k)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})),
		string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}))
}

// content is a File that remembers what it was given.
type content struct {
	mu   sync.Mutex
	text string
}

func (c *content) load(data []byte) error {
	if strings.HasPrefix(string(data), "bad") {
		return errors.New(string(data))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.text = string(data)
	return nil
}

func (c *content) is(text string) func() bool {
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.text == text
	}
}

func reloading(t *testing.T, log *logged, files ...File) {
	t.Helper()
	r := newReloader(log.logger(), files)
	goOn(t, r)
}

func goOn(t *testing.T, r *reloader) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var done sync.WaitGroup
	done.Go(func() { r.run(ctx) })
	t.Cleanup(func() { cancel(); done.Wait() })
}

func TestReload(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	writeFile(t, path, "first")
	var c content
	var log logged
	reloading(t, &log, File{Path: path, Load: c.load})

	writeFile(t, path, "second")
	eventually(t, "a file that was written anew", c.is("second"))
	writeFile(t, path+".new", "third")
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a file that was put in its place", c.is("third"))

	writeFile(t, path, "bad one")
	eventually(t, "a bad file is told of", func() bool { return strings.Contains(log.String(), "bad one") })
	for range 3 { // whatever else happens beside it
		writeFile(t, path+".other", "x")
		time.Sleep(settle + settle/2)
	}
	if n := strings.Count(log.String(), "bad one"); n != 1 {
		t.Errorf("a bad file is told of %d times", n)
	}
	if !c.is("third")() {
		t.Error("a bad file was taken")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a file that is gone is told of", func() bool { return strings.Contains(log.String(), "no such file") })
	writeFile(t, path, "third")
	eventually(t, "it works again", func() bool { return strings.Contains(log.String(), "works again") })
	writeFile(t, path, "fourth")
	eventually(t, "the next good one", c.is("fourth"))
}

// A file that is taken away and put back at once was never gone; one that stays
// away is, and lets nobody in by what it said until it comes back, even unchanged.
func TestReloadGone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens")
	writeFile(t, path, tokenLine("ada", "one"))
	tokens, err := openTokens(path)
	if err != nil {
		t.Fatal(err)
	}
	var log logged
	known := func() bool { _, ok := tokens.find("one"); return ok }
	r := newReloader(log.logger(), []File{{Path: path, Load: tokens.load, Gone: tokens.drop}})
	r.every, r.gone = 20*time.Millisecond, 3*time.Second
	goOn(t, r)
	take := func() {
		t.Helper()
		if err := os.Rename(path, path+".away"); err != nil {
			t.Fatal(err)
		}
	}
	put := func() {
		t.Helper()
		if err := os.Rename(path+".away", path); err != nil {
			t.Fatal(err)
		}
	}
	take()
	eventually(t, "it is missed", func() bool { return strings.Contains(log.String(), "no such file") })
	if !known() {
		t.Error("a file that is being replaced is believed to be gone")
	}
	put()
	eventually(t, "it is found", func() bool { return strings.Contains(log.String(), "works again") })
	take()
	eventually(t, "its token is good no more", func() bool { return !known() })
	time.Sleep(100 * time.Millisecond)
	if n := strings.Count(log.String(), "is gone"); n != 1 {
		t.Errorf("told of %d times:\n%s", n, &log)
	}
	put()
	eventually(t, "it is good again", known)
}

// Kubernetes does not write the files of a Secret: beside them it swaps a link
// that they lead through.
func TestReloadBehindASwappedLink(t *testing.T) {
	dir := t.TempDir()
	for _, v := range []string{"..1", "..2"} {
		if err := os.Mkdir(filepath.Join(dir, v), 0o755); err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(dir, v, "tokens"), "content of "+v)
	}
	for link, to := range map[string]string{"..data": "..1", "tokens": "..data/tokens", "..data_tmp": "..2"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	var c content
	var log logged
	reloading(t, &log, File{Path: filepath.Join(dir, "tokens"), Load: c.load})
	if err := os.Rename(filepath.Join(dir, "..data_tmp"), filepath.Join(dir, "..data")); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the link was swapped", c.is("content of ..2"))
}

// Where the kernel tells of nothing, looking does.
func TestReloadByLooking(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	writeFile(t, path, "first")
	var c content
	var log logged
	r := newReloader(log.logger(), []File{{Path: path, Load: c.load}})
	_ = r.watcher.Close()
	r.watcher, r.every = nil, time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	var done sync.WaitGroup
	done.Go(func() { r.run(ctx) })
	defer done.Wait()
	defer cancel()
	writeFile(t, path, "second")
	eventually(t, "the file was looked at", c.is("second"))
}

func TestCertificate(t *testing.T) {
	dir := t.TempDir()
	certPath, keyPath := filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	put := func(cert, key string) {
		writeFile(t, certPath, cert)
		writeFile(t, keyPath, key)
	}
	cert, key := pair(t, "first", time.Now().Add(time.Hour))
	put(cert, key)
	c, err := openCertificate(certPath, keyPath)
	if err != nil {
		t.Fatal(err)
	}
	is := func(name string) {
		t.Helper()
		p, err := c.config().GetCertificate(nil)
		if err != nil || p.Leaf.Subject.CommonName != name {
			t.Errorf("%v, want %s", p.Leaf.Subject, name)
		}
	}
	is("first")
	second, secondKey := pair(t, "second", time.Now().Add(time.Hour))
	expired, expiredKey := pair(t, "expired", time.Now().Add(-time.Minute))
	for _, tt := range []struct{ cert, key, err string }{
		{"garbage", "garbage", "failed to find"},
		{second, key, "does not match"}, // in the midst of a change
		{expired, expiredKey, "expired on"},
		{cert, "", "failed to find"},
	} {
		put(tt.cert, tt.key)
		if err := c.reload(); err == nil || !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%v, want %s", err, tt.err)
		}
		is("first")
	}
	put(second, secondKey)
	if err := c.reload(); err != nil {
		t.Error(err)
	}
	is("second")
	put("garbage", "garbage")
	if _, err := openCertificate(certPath, keyPath); err == nil {
		t.Error("a server begins with garbage")
	}
}

// A file is gone too when its folder is, or its mode keeps us out; a lack of
// descriptors is nobody's decision.
func TestReloadIsGone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens")
	_, missing := readSmall(path, maxPEM)
	writeFile(t, path, "a file")
	_, within := readSmall(filepath.Join(path, "tokens"), maxPEM)
	for err, want := range map[error]bool{
		missing: true, within: true, &fs.PathError{Op: "open", Err: syscall.EACCES}: true,
		&fs.PathError{Op: "open", Err: syscall.EMFILE}: false, &fs.PathError{Op: "read", Err: syscall.EIO}: false,
	} {
		if isGone(err) != want {
			t.Errorf("%v: gone is %v", err, !want)
		}
	}
	if isGone(nil) {
		t.Error("a file that can be read is gone")
	}
}
