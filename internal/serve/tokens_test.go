package serve

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tokenLine is a line of the file that lets name in with the token.
func tokenLine(name, token string) string {
	return fmt.Sprintf("%s:%x\n", name, sha256.Sum256([]byte(token)))
}

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestTokens(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens")
	writeFile(t, path, "# who may call\n\n"+tokenLine("ada", "one")+
		fmt.Sprintf("  BOB : %X \r\n", sha256.Sum256([]byte("two")))+tokenLine("ada", "new"))
	k, err := openTokens(path)
	if err != nil {
		t.Fatal(err)
	}
	for token, want := range map[string]string{"one": "ada", "two": "BOB", "new": "ada", "three": "", "": "", "One": ""} {
		if name, ok := k.find(token); name != want || ok != (want != "") {
			t.Errorf("%q is %q, %v; want %q", token, name, ok, want)
		}
	}
	if err := k.load([]byte("ada:nonsense")); err == nil {
		t.Error("nonsense is taken")
	}
	if _, ok := k.find("one"); !ok {
		t.Error("after nonsense the old tokens are gone")
	}
	if err := k.load([]byte("# nobody\n")); err != nil {
		t.Error(err)
	}
	if _, ok := k.find("one"); ok {
		t.Error("a token that was taken out still lets in")
	}
}

func TestTokensRefused(t *testing.T) {
	dir := t.TempDir()
	for name, tt := range map[string]struct{ text, want string }{
		"a token in the clear": {"ada:hunter2", "line 1: after the name stand the 64 hex digits"},
		"no name":              {tokenLine("ada", "x") + tokenLine("", "y"), "line 2: is not name:sha256"},
		"only a token":         {"hunter2\n", "line 1: is not name:sha256"},
		"an odd name":          {tokenLine("a b", "x"), "line 1: is not name:sha256"},
		"a long name":          {tokenLine(strings.Repeat("a", 65), "x"), "line 1: is not name:sha256"},
		"an empty token":       {tokenLine("ada", ""), "line 1: is the SHA-256 of nothing"},
		"half a digest":        {tokenLine("ada", "x")[:30], "line 1: after the name"},
		"too large":            {strings.Repeat("#\n", maxTokenFile), "more than 1048576 bytes"},
	} {
		path := filepath.Join(dir, "tokens")
		writeFile(t, path, tt.text)
		_, err := openTokens(path)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", name, err, tt.want)
		} else if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: the error tells the token: %v", name, err)
		}
	}
	if _, err := openTokens(dir); err == nil {
		t.Error("a folder is taken for a token file")
	}
	if _, err := openTokens(filepath.Join(dir, "none")); err == nil {
		t.Error("a file that is not there is taken for a token file")
	}
}
