package serve

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/MicahParks/jwkset"
	"github.com/golang-jwt/jwt/v5"
	"golang.org/x/time/rate"
)

// issuer makes tokens, and serves its public keys.
type issuer struct {
	t      testing.TB
	url    string
	answer atomic.Pointer[string] // instead of the keys
	asked  atomic.Int32
	keys   atomic.Pointer[map[string]crypto.Signer]
}

const (
	testIssuer   = "https://issuer.example"
	testAudience = "https://py.example.org/mcp"
)

func newIssuer(t testing.TB) *issuer {
	t.Helper()
	i := &issuer{t: t}
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	i.keys.Store(&map[string]crypto.Signer{"ed": ed})
	srv := httptest.NewServer(http.HandlerFunc(i.serve))
	t.Cleanup(srv.Close)
	i.url = srv.URL
	return i
}

func (i *issuer) serve(w http.ResponseWriter, _ *http.Request) {
	i.asked.Add(1)
	if a := i.answer.Load(); a != nil {
		if *a == "" {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		_, _ = w.Write([]byte(*a))
		return
	}
	var set jwkset.JWKSMarshal
	for kid, key := range *i.keys.Load() {
		jwk, err := jwkset.NewJWKFromKey(key.Public(), jwkset.JWKOptions{Metadata: jwkset.JWKMetadataOptions{KID: kid}})
		if err != nil {
			i.t.Error(err)
			return
		}
		set.Keys = append(set.Keys, jwk.Marshal())
	}
	_ = json.NewEncoder(w).Encode(set)
}

// add makes one more key that the issuer serves.
func (i *issuer) add(kid string, key crypto.Signer) {
	all := maps.Clone(*i.keys.Load())
	all[kid] = key
	i.keys.Store(&all)
}

// token is a good one, changed.
func (i *issuer) token(method jwt.SigningMethod, kid string, change func(jwt.MapClaims)) string {
	i.t.Helper()
	now := time.Now()
	claims := jwt.MapClaims{
		"iss": testIssuer, "aud": []string{"other", testAudience}, "sub": "ada",
		"exp": now.Add(time.Minute).Unix(), "nbf": now.Unix(), "iat": now.Unix(),
	}
	if change != nil {
		change(claims)
	}
	token := jwt.NewWithClaims(method, claims)
	token.Header["kid"] = kid
	var key any = (*i.keys.Load())[kid]
	switch method.Alg() {
	case "none":
		key = jwt.UnsafeAllowNoneSignatureType
	case "HS256":
		key = []byte((*i.keys.Load())["ed"].Public().(ed25519.PublicKey))
	}
	s, err := token.SignedString(key)
	if err != nil {
		i.t.Fatal(err)
	}
	return s
}

func (i *issuer) open(unknown *rate.Limiter) *jwts {
	i.t.Helper()
	log := slog.New(slog.DiscardHandler)
	ctx, cancel := context.WithCancel(context.Background())
	i.t.Cleanup(cancel)
	j, err := openKeys(ctx, Exposure{JWKSURL: i.url, JWTIssuer: testIssuer, JWTAudience: testAudience}, unknown, &once{log: log})
	if err != nil {
		i.t.Fatal(err)
	}
	return j
}

func TestJWT(t *testing.T) {
	i := newIssuer(t)
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	rs, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	i.add("ec", ec)
	i.add("rs", rs)
	j := i.open(rate.NewLimiter(0, 0))
	set := func(name string, value any) func(jwt.MapClaims) {
		return func(c jwt.MapClaims) {
			if c[name] = value; value == nil {
				delete(c, name)
			}
		}
	}
	at := func(d time.Duration) int64 { return time.Now().Add(d).Unix() }
	tampered := i.token(jwt.SigningMethodEdDSA, "ed", nil)
	for _, tt := range []struct {
		name, token string
		caller, err string
	}{
		{name: "EdDSA", token: i.token(jwt.SigningMethodEdDSA, "ed", nil), caller: "jwt:ada"},
		{name: "ES256", token: i.token(jwt.SigningMethodES256, "ec", nil), caller: "jwt:ada"},
		{name: "RS256", token: i.token(jwt.SigningMethodRS256, "rs", nil), caller: "jwt:ada"},
		{name: "one audience", token: i.token(jwt.SigningMethodEdDSA, "ed", set("aud", testAudience)), caller: "jwt:ada"},
		{name: "a clock a little behind", token: i.token(jwt.SigningMethodEdDSA, "ed", set("exp", at(-20*time.Second))), caller: "jwt:ada"},
		{name: "a clock a little ahead", token: i.token(jwt.SigningMethodEdDSA, "ed", set("nbf", at(20*time.Second))), caller: "jwt:ada"},
		{name: "expired", token: i.token(jwt.SigningMethodEdDSA, "ed", set("exp", at(-time.Minute))), err: "has expired"},
		{name: "not yet", token: i.token(jwt.SigningMethodEdDSA, "ed", set("nbf", at(time.Minute))), err: "not valid yet"},
		{name: "issued in the future", token: i.token(jwt.SigningMethodEdDSA, "ed", set("iat", at(time.Minute))), err: "not valid yet"},
		{name: "for ever", token: i.token(jwt.SigningMethodEdDSA, "ed", set("exp", nil)), err: "lacks a claim"},
		{name: "for somebody else", token: i.token(jwt.SigningMethodEdDSA, "ed", set("aud", "other")), err: "for somebody else"},
		{name: "for nobody", token: i.token(jwt.SigningMethodEdDSA, "ed", set("aud", nil)), err: "lacks a claim"},
		{name: "of another issuer", token: i.token(jwt.SigningMethodEdDSA, "ed", set("iss", "https://evil.example")), err: "another issuer"},
		{name: "of no issuer", token: i.token(jwt.SigningMethodEdDSA, "ed", set("iss", nil)), err: "lacks a claim"},
		{name: "nobody's", token: i.token(jwt.SigningMethodEdDSA, "ed", set("sub", nil)), err: "names nobody"},
		{name: "somebody's with a long name", token: i.token(jwt.SigningMethodEdDSA, "ed", set("sub", strings.Repeat("a", 300))), err: "names nobody"},
		{name: "unsigned", token: i.token(jwt.SigningMethodNone, "ed", nil), err: "signature is not the issuer's"},
		{name: "signed with the public key", token: i.token(jwt.SigningMethodHS256, "ed", nil), err: "signature is not the issuer's"},
		{name: "signed otherwise", token: i.token(jwt.SigningMethodRS512, "rs", nil), err: "signature is not the issuer's"},
		{name: "changed", token: tampered[:len(tampered)-4] + "AAAA", err: "signature is not the issuer's"},
		{name: "no token", token: "a.b.c", err: "not a JSON web token"},
	} {
		caller, err := j.verify(tt.token)
		if caller != tt.caller || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: %q, %v", tt.name, caller, err)
		}
	}
	_, other, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	i.add("later", other)
	if _, err := j.verify(i.token(jwt.SigningMethodEdDSA, "later", nil)); err == nil || errors.Is(err, errKeys) || !strings.Contains(err.Error(), "none of the issuer's") {
		t.Errorf("an unknown key: %v", err)
	}
}

// A key that is not known is asked for, but not for every token; what the issuer
// gave before stays good while it is down or talks nonsense.
func TestJWKSComesAndGoes(t *testing.T) {
	i := newIssuer(t)
	down, empty, garbage := "", `{"keys":[]}`, `<html>`
	i.answer.Store(&down)
	j := i.open(rate.NewLimiter(rate.Every(time.Hour), 1))
	good := i.token(jwt.SigningMethodEdDSA, "ed", nil)
	if _, err := j.verify(good); !errors.Is(err, errKeys) {
		t.Fatalf("before there is any key: %v", err)
	}
	asked := i.asked.Load()
	if _, err := j.verify(good); !errors.Is(err, errKeys) || i.asked.Load() != asked {
		t.Fatalf("the second within a minute: %v, asked %d more times", err, i.asked.Load()-asked)
	}

	i.answer.Store(nil)
	j = i.open(rate.NewLimiter(rate.Inf, 1))
	if _, err := j.verify(good); err != nil {
		t.Fatalf("the issuer is up: %v", err)
	}
	asked = i.asked.Load()
	if _, err := j.verify(good); err != nil || i.asked.Load() != asked {
		t.Errorf("a known key: %v, asked %d more times", err, i.asked.Load()-asked)
	}
	_, next, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	i.add("next", next)
	if _, err := j.verify(i.token(jwt.SigningMethodEdDSA, "next", nil)); err != nil {
		t.Errorf("a key that came later: %v", err)
	}
	_, unknown, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	i.add("third", unknown)
	third := i.token(jwt.SigningMethodEdDSA, "third", nil)
	for _, answer := range []*string{&down, &empty, &garbage} {
		i.answer.Store(answer)
		if _, err := j.verify(third); err == nil || errors.Is(err, errKeys) {
			t.Errorf("answer %q: an unknown key: %v", *answer, err)
		}
		if _, err := j.verify(good); err != nil {
			t.Errorf("answer %q: the old key: %v", *answer, err)
		}
	}
}
