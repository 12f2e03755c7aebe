package serve

// JSON web tokens: signed by an issuer, for us, and not past their time.

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/MicahParks/jwkset"
	"github.com/MicahParks/keyfunc/v3"
	"github.com/golang-jwt/jwt/v5"
	"golang.org/x/time/rate"
)

const (
	clockSkew   = 30 * time.Second
	keysEvery   = time.Hour // the keys are fetched again
	keysTimeout = 5 * time.Second
	keysAfter   = time.Minute // between two fetches for a key that is not known
	maxKeys     = 1 << 20     // bytes of the answer
	maxSubject  = 256         // bytes
)

// jwts checks tokens with an issuer's keys. While the issuer is down the keys it
// gave last are good; before it gave any, no token can be judged.
type jwts struct {
	parser *jwt.Parser
	keys   keyfunc.Keyfunc
}

func openJWKS(ctx context.Context, e Exposure, out *slog.Logger) (*jwts, error) {
	u, err := url.Parse(e.JWKSURL)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, fmt.Errorf("jwks_url %q: is not a web address", e.JWKSURL)
	}
	if u.Scheme == "http" && !newOrigins(nil, nil).answers("http://"+u.Host) {
		out.WarnContext(ctx, "the issuer's keys come without TLS: whoever stands on the way can make tokens", "jwks_url", e.JWKSURL)
	}
	said := &once{log: out, what: "fetch the issuer's keys"}
	return openKeys(ctx, e, rate.NewLimiter(rate.Every(keysAfter), 1), said)
}

func openKeys(ctx context.Context, e Exposure, unknown *rate.Limiter, said *once) (*jwts, error) {
	storage, err := jwkset.NewStorageFromHTTP(e.JWKSURL, jwkset.HTTPClientStorageOptions{
		Client:                    &http.Client{Transport: bounded{http.DefaultTransport}, CheckRedirect: staysSecure},
		Ctx:                       ctx,
		HTTPTimeout:               keysTimeout,
		NoErrorReturnFirstHTTPReq: true,
		RefreshErrorHandler:       func(_ context.Context, err error) { said.say(err) },
		RefreshInterval:           keysEvery,
		Storage:                   &keys{Storage: jwkset.NewMemoryStorage(), said: said},
	})
	if err != nil {
		return nil, fmt.Errorf("read the issuer's keys: %w", err)
	}
	client, err := jwkset.NewHTTPClient(jwkset.HTTPClientOptions{
		HTTPURLs:          map[string]jwkset.Storage{e.JWKSURL: storage},
		RateLimitWaitMax:  keysTimeout, // also bounds the fetch
		RefreshUnknownKID: unknown,
	})
	if err != nil {
		return nil, fmt.Errorf("read the issuer's keys: %w", err)
	}
	k, err := keyfunc.New(keyfunc.Options{Ctx: ctx, Storage: client})
	if err != nil {
		return nil, fmt.Errorf("read the issuer's keys: %w", err)
	}
	return &jwts{keys: k, parser: jwt.NewParser(
		// Only signatures whose key cannot sign for us too.
		jwt.WithValidMethods([]string{"RS256", "ES256", "EdDSA"}),
		jwt.WithIssuer(e.JWTIssuer), jwt.WithAudience(e.JWTAudience),
		jwt.WithExpirationRequired(), jwt.WithIssuedAt(), jwt.WithLeeway(clockSkew),
	)}, nil
}

// verify names the token's subject, marked so that it is nobody's of the token file.
func (j *jwts) verify(token string) (string, error) {
	var claims jwt.RegisteredClaims
	_, err := j.parser.ParseWithClaims(token, &claims, j.keys.Keyfunc)
	if err == nil {
		if claims.Subject == "" || len(claims.Subject) > maxSubject {
			return "", errors.New("the token names nobody: its sub is empty or too long")
		}
		return "jwt:" + claims.Subject, nil
	}
	for _, known := range []struct {
		is   error
		text string
	}{
		{jwt.ErrTokenMalformed, "the token is not a JSON web token"},
		{jwt.ErrTokenSignatureInvalid, "the token's signature is not the issuer's, or of a kind that is not taken: RS256, ES256, EdDSA"},
		{jwt.ErrTokenExpired, "the token has expired"},
		{jwt.ErrTokenNotValidYet, "the token is not valid yet"},
		{jwt.ErrTokenUsedBeforeIssued, "the token is not valid yet"},
		{jwt.ErrTokenInvalidIssuer, "the token is of another issuer"},
		{jwt.ErrTokenInvalidAudience, "the token is for somebody else"},
		{jwt.ErrTokenRequiredClaimMissing, "the token lacks a claim: it needs iss, aud, exp and sub"},
	} {
		if errors.Is(err, known.is) {
			return "", errors.New(known.text)
		}
	}
	if all, rerr := j.keys.Storage().KeyReadAll(context.Background()); rerr != nil || len(all) == 0 {
		return "", errKeys
	}
	return "", errors.New("the token's key is none of the issuer's")
}

// keys keeps the old ones when an answer holds none: that is no way to revoke
// them, but what a broken server sends.
type keys struct {
	jwkset.Storage
	said *once
}

func (k *keys) KeyReplaceAll(ctx context.Context, given []jwkset.JWK) error {
	if len(given) == 0 {
		return errors.New("the answer holds no key")
	}
	err := k.Storage.KeyReplaceAll(ctx, given)
	if err == nil {
		k.said.well()
	}
	return err
}

// bounded cuts an answer off where it can be no list of keys any more.
type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		res.Body = http.MaxBytesReader(nil, res.Body, maxKeys)
	}
	return res, err
}

// staysSecure follows no redirection out of TLS.
func staysSecure(r *http.Request, via []*http.Request) error {
	if len(via) >= 5 {
		return errors.New("redirected too often")
	}
	if via[0].URL.Scheme == "https" && r.URL.Scheme != "https" {
		return errors.New("redirected away from TLS")
	}
	return nil
}

// once says that something went wrong when it begins to, not each time.
type once struct {
	log  *slog.Logger
	what string

	mu   sync.Mutex
	last string
}

func (o *once) say(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if text := err.Error(); text != o.last {
		o.last = text
		o.log.Error(o.what+": what was there before goes on", "error", text)
	}
}

// well forgets the last fault, and says that it is over.
func (o *once) well() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.last != "" {
		o.last = ""
		o.log.Info(o.what + ": it works again")
	}
}
