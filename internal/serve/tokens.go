package serve

// The token file: one name:sha256 a line, so that who reads it learns no token.

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
)

const (
	maxTokenFile = 1 << 20 // bytes
	maxTokenName = 64      // characters
)

// tokens are the lines of a file, as they were when it was last read well.
type tokens struct {
	path string
	list atomic.Pointer[[]token]
}

type token struct {
	name string
	hash [sha256.Size]byte
}

func openTokens(path string) (*tokens, error) {
	t := &tokens{path: path}
	data, err := readSmall(path, maxTokenFile)
	if err != nil {
		return nil, fmt.Errorf("read the token file: %w", err)
	}
	return t, t.load(data)
}

// load takes the file's new content, or none of it. A file without any token
// lets nobody in.
func (t *tokens) load(data []byte) error {
	list, err := parseTokens(data)
	if err != nil {
		return fmt.Errorf("token file %s: %w", t.path, err)
	}
	t.list.Store(&list)
	return nil
}

// drop lets nobody in any more.
func (t *tokens) drop() { t.list.Store(&[]token{}) }

func parseTokens(data []byte) ([]token, error) {
	var list []token
	n := 0
	for line := range bytes.Lines(data) {
		n++
		text := strings.TrimSpace(string(line))
		if text == "" || text[0] == '#' {
			continue
		}
		// What the line holds is not repeated: it may be a token in the clear.
		name, digest, ok := strings.Cut(text, ":")
		name, digest = strings.TrimSpace(name), strings.TrimSpace(digest)
		if !ok || name == "" || len(name) > maxTokenName || strings.ContainsFunc(name, notInName) {
			return nil, fmt.Errorf("line %d: is not name:sha256; a name has up to %d of a-z A-Z 0-9 . _ - @", n, maxTokenName)
		}
		sum, err := hex.DecodeString(digest)
		if err != nil || len(sum) != sha256.Size {
			return nil, fmt.Errorf(`line %d: after the name stand the 64 hex digits of the token's SHA-256: printf %%s "$TOKEN" | sha256sum`, n)
		}
		if [sha256.Size]byte(sum) == sha256.Sum256(nil) {
			return nil, fmt.Errorf("line %d: is the SHA-256 of nothing: the token was empty", n)
		}
		list = append(list, token{name, [sha256.Size]byte(sum)})
	}
	return list, nil
}

func notInName(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("._-@", r)
}

// find names who holds the token. It takes as long wherever the token stands and
// however much of it is right.
func (t *tokens) find(secret string) (name string, ok bool) {
	hash := sha256.Sum256([]byte(secret))
	at := -1
	list := *t.list.Load()
	for i := range list {
		at = subtle.ConstantTimeSelect(subtle.ConstantTimeCompare(hash[:], list[i].hash[:]), i, at)
	}
	if at < 0 {
		return "", false
	}
	return list[at].name, true
}

// readSmall reads a whole file, which may be a link, of at most so many bytes.
func readSmall(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, errors.New(path + " is not a regular file")
	}
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("%s has more than %d bytes", path, most)
	}
	return data, err
}
