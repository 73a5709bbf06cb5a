package identity_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb/sqldbtest"
	"cairn/internal/people/identity"

	"github.com/go-jose/go-jose/v4"
)

const clientID = "data-catalog-portal"

// provider is a small OpenID provider. Its discovery and keys can be changed, broken and counted.
type provider struct {
	t      *testing.T
	server *httptest.Server

	mu             sync.Mutex
	keys           []any // what the key document lists
	down           bool
	hold           chan struct{} // while set, a key request sends when it arrives, and receives before it is answered
	keyRequests    int
	discoveryTries int
}

func newProvider(t *testing.T, keys ...signer) *provider {
	p := &provider{t: t}
	p.publish(keys...)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.discoveryTries++
		p.mu.Unlock()
		p.answer(w, func() any {
			return map[string]any{"issuer": p.server.URL, "jwks_uri": p.server.URL + "/keys"}
		})
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.keyRequests++
		hold := p.hold
		p.mu.Unlock()
		if hold != nil {
			hold <- struct{}{}
			<-hold
		}
		p.answer(w, func() any { return map[string]any{"keys": p.keys} })
	})
	p.server = httptest.NewServer(mux)
	t.Cleanup(p.server.Close)
	return p
}

func (p *provider) answer(w http.ResponseWriter, document func() any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.down {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	_ = json.NewEncoder(w).Encode(document())
}

func (p *provider) publish(keys ...signer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keys = nil
	for _, key := range keys {
		p.keys = append(p.keys, key.public())
	}
}

func (p *provider) setDown(down bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down = down
}

func (p *provider) holdKeys() (hold chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hold = make(chan struct{})
	return p.hold
}

func (p *provider) requests() (keys, discovery int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.keyRequests, p.discoveryTries
}

// signer is a key pair of the provider.
type signer struct {
	id        string
	algorithm jose.SignatureAlgorithm
	private   any
	publicKey any
}

func rsaSigner(t *testing.T, id string) signer {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return signer{id: id, algorithm: jose.RS256, private: key, publicKey: &key.PublicKey}
}

func ecdsaSigner(t *testing.T, id string) signer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return signer{id: id, algorithm: jose.ES256, private: key, publicKey: &key.PublicKey}
}

func (s signer) public() jose.JSONWebKey {
	return jose.JSONWebKey{Key: s.publicKey, KeyID: s.id, Algorithm: string(s.algorithm), Use: "sig"}
}

func (s signer) sign(t *testing.T, said map[string]any) string {
	t.Helper()
	signing, err := jose.NewSigner(jose.SigningKey{Algorithm: s.algorithm, Key: s.private},
		(&jose.SignerOptions{}).WithType("JWT").WithHeader("kid", s.id))
	if err != nil {
		t.Fatal(err)
	}
	payload, err := json.Marshal(said)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := signing.Sign(payload)
	if err != nil {
		t.Fatal(err)
	}
	token, err := signed.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// clock is a clock that tests move.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// world is a service that trusts the provider.
type world struct {
	t        *testing.T
	provider *provider
	clock    *clock
	service  *identity.Service
}

func newWorld(t *testing.T, p *provider, adjust ...func(*identity.VerifierOptions)) *world {
	t.Helper()
	w := &world{t: t, provider: p, clock: newClock()}
	options := identity.VerifierOptions{
		Issuer: p.server.URL, ClientID: clientID, Client: &http.Client{Timeout: time.Minute}, Now: w.clock.Now,
	}
	for _, change := range adjust {
		change(&options)
	}
	store := identity.NewStore(sqldbtest.SQLite(t, w.clock.Now))
	w.service = identity.NewService(store, identity.NewVerifier(options), identity.Policy{})
	return w
}

// claims returns the claims of a valid access token, changed by pairs of name and value; a nil value removes a claim.
func (w *world) claims(pairs ...any) map[string]any {
	said := map[string]any{
		"iss": w.provider.server.URL, "sub": "subject-1", "aud": clientID, "email": "Ada@Example.org", "email_verified": true,
		"name": "Ada", "sid": "login-1", "iat": w.clock.Now().Unix(), "exp": w.clock.Now().Add(time.Hour).Unix(),
	}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] == nil {
			delete(said, pairs[i].(string))
		} else {
			said[pairs[i].(string)] = pairs[i+1]
		}
	}
	return said
}

func (w *world) identify(token string) (identity.Caller, error) {
	return w.service.Identify(context.Background(), token)
}

func (w *world) expectKind(token string, want fault.Kind) {
	w.t.Helper()
	caller, err := w.identify(token)
	if err == nil {
		w.t.Fatalf("accepted as %+v, want a refusal", caller)
	}
	if kind := fault.KindOf(err); kind != want {
		w.t.Fatalf("kind %d (%v), want %d", kind, err, want)
	}
}

func (w *world) expectGood(token string) identity.Caller {
	w.t.Helper()
	caller, err := w.identify(token)
	if err != nil {
		w.t.Fatal(err)
	}
	return caller
}
