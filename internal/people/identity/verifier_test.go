package identity_test

import (
	"context"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb/sqldbtest"
	"cairn/internal/people/identity"
	"cairn/internal/people/idp"

	"github.com/go-jose/go-jose/v4"
)

func TestGoodTokensAreAccepted(t *testing.T) {
	t.Parallel()
	rsaKey, ecKey := rsaSigner(t, "rsa"), ecdsaSigner(t, "ec")
	w := newWorld(t, newProvider(t, rsaKey, ecKey), func(o *identity.VerifierOptions) { o.Audience = "cairn-api" })
	cases := map[string]string{
		"RS256":                        rsaKey.sign(t, w.claims()),
		"ES256":                        ecKey.sign(t, w.claims()),
		"one of several audiences":     rsaKey.sign(t, w.claims("aud", []string{"account", clientID})),
		"the configured audience":      rsaKey.sign(t, w.claims("aud", "cairn-api")),
		"authorised party alone (azp)": rsaKey.sign(t, w.claims("aud", "account", "azp", clientID)),
		"no audience, but azp":         rsaKey.sign(t, w.claims("aud", nil, "azp", clientID)),
		"marked as access token":       rsaKey.sign(t, w.claims("token_use", "access", "typ", "Bearer")),
		"nbf in the past":              rsaKey.sign(t, w.claims("nbf", w.clock.Now().Add(-time.Hour).Unix())),
	}
	for name, token := range cases {
		t.Run(name, func(t *testing.T) {
			w := *w
			w.t = t
			caller := w.expectGood(token)
			if caller.Email != "ada@example.org" || caller.Name != "Ada" || caller.Login != "login-1" || caller.AccountID == "" {
				t.Errorf("got %+v", caller)
			}
		})
	}
}

func TestBadTokensAreRefused(t *testing.T) {
	t.Parallel()
	key, stranger := rsaSigner(t, "key"), rsaSigner(t, "key")
	w := newWorld(t, newProvider(t, key))
	hour := func(hours int) int64 { return w.clock.Now().Add(time.Duration(hours) * time.Hour).Unix() }
	cases := map[string]string{
		"wrong issuer":            key.sign(t, w.claims("iss", "https://evil.example")),
		"issuer with a slash":     key.sign(t, w.claims("iss", w.provider.server.URL+"/")),
		"wrong audience":          key.sign(t, w.claims("aud", "another")),
		"wrong audience and azp":  key.sign(t, w.claims("aud", "another", "azp", "another")),
		"no audience":             key.sign(t, w.claims("aud", nil)),
		"audience as a prefix":    key.sign(t, w.claims("aud", clientID+"-2")),
		"expired":                 key.sign(t, w.claims("exp", hour(-1))),
		"no expiry":               key.sign(t, w.claims("exp", nil)),
		"not yet valid":           key.sign(t, w.claims("nbf", hour(1))),
		"no subject":              key.sign(t, w.claims("sub", nil)),
		"another key, same id":    stranger.sign(t, w.claims()),
		"ID token: nonce":         key.sign(t, w.claims("nonce", "n-1")),
		"ID token: at_hash":       key.sign(t, w.claims("at_hash", "aGFzaA")),
		"ID token: token_use":     key.sign(t, w.claims("token_use", "id")),
		"ID token: typ":           key.sign(t, w.claims("typ", "ID")),
		"alg none":                unsigned(`{"alg":"none","typ":"JWT"}`, `{"iss":"`+w.provider.server.URL+`","aud":"`+clientID+`"}`),
		"alg None":                unsigned(`{"alg":"None"}`, `{}`),
		"HS256 by the public key": signedWithPublicKey(t, key, w.claims()),
		"garbage":                 "garbage",
		"two dots":                "..",
		"claims of wrong types":   key.sign(t, w.claims("email", []int{1})),
	}
	for name, token := range cases {
		t.Run(name, func(t *testing.T) {
			w := *w
			w.t = t
			w.expectKind(token, fault.Unauthenticated)
		})
	}
	w.expectGood(key.sign(t, w.claims())) // the world itself is sound
}

func unsigned(header, payload string) string {
	encode := base64.RawURLEncoding.EncodeToString
	return encode([]byte(header)) + "." + encode([]byte(payload)) + "."
}

// signedWithPublicKey is the classic forgery: a shared-secret signature made with the provider's public key.
func signedWithPublicKey(t *testing.T, key signer, said map[string]any) string {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(key.publicKey)
	if err != nil {
		t.Fatal(err)
	}
	secret := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	return signer{id: key.id, algorithm: jose.HS256, private: secret}.sign(t, said)
}

func TestAcceptedTokenStopsAtItsExpiry(t *testing.T) {
	t.Parallel()
	key := rsaSigner(t, "key")
	w := newWorld(t, newProvider(t, key))
	token := key.sign(t, w.claims("exp", w.clock.Now().Add(time.Minute).Unix()))
	w.expectGood(token)
	w.clock.advance(59 * time.Second)
	w.expectGood(token)
	w.clock.advance(2 * time.Second)
	w.expectKind(token, fault.Unauthenticated)
}

func TestEmbeddedProvidersTokensMustSayThatTheyAreAccessTokens(t *testing.T) {
	t.Parallel()
	key := rsaSigner(t, "key")
	w := newWorld(t, newProvider(t, key), func(o *identity.VerifierOptions) { o.RequireTokenUse = true })
	w.expectKind(key.sign(t, w.claims()), fault.Unauthenticated)
	w.expectGood(key.sign(t, w.claims("token_use", "access")))
}

func TestTokensOfTheEmbeddedProvider(t *testing.T) {
	t.Parallel()
	var handler http.Handler
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	embedded, err := idp.New(idp.Options{
		Issuer: server.URL + "/idp", ClientID: clientID, Dir: filepath.Join(t.TempDir(), "idp"), ChooseAccount: true,
		Accounts: []idp.Account{{Email: "ada@example.org", Name: "Ada"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	handler = embedded.Handler()
	token, err := embedded.AccessToken("ada@example.org", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	verifier := identity.NewVerifier(identity.VerifierOptions{
		Issuer: server.URL + "/idp", ClientID: clientID, RequireTokenUse: true, Client: server.Client(), Now: time.Now,
	})
	service := identity.NewService(identity.NewStore(sqldbtest.SQLite(t, time.Now)), verifier, identity.Policy{Auto: true})
	caller, err := service.Identify(context.Background(), token)
	if err != nil {
		t.Fatal(err)
	}
	if caller.Email != "ada@example.org" || !caller.Enabled || caller.Login == "" {
		t.Errorf("got %+v", caller)
	}
}
