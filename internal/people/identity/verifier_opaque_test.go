package identity_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
)

// opaqueProvider answers introspection and userinfo as tests set it.
type opaqueProvider struct {
	*provider

	mu       sync.Mutex
	answers  map[string]any // of introspection, by token
	profiles map[string]any // of userinfo, by token
	status   int            // when set, both endpoints answer with it
	asked    map[string]int // by endpoint
}

const (
	gatewayID     = "cairn-gateway"
	gatewaySecret = "s3cret & more"
)

func newOpaqueProvider(t *testing.T) *opaqueProvider {
	t.Helper()
	p := &opaqueProvider{
		provider: &provider{t: t}, answers: map[string]any{}, profiles: map[string]any{}, asked: map[string]int{},
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{
			"issuer": p.server.URL, "jwks_uri": p.server.URL + "/keys",
			"introspection_endpoint": p.server.URL + "/introspect", "userinfo_endpoint": p.server.URL + "/userinfo",
		})
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"keys": p.keys})
	})
	mux.HandleFunc("POST /introspect", func(w http.ResponseWriter, r *http.Request) {
		id, secret, _ := r.BasicAuth()
		if id != gatewayID || secret != "s3cret+%26+more" { // form-encoded, as RFC 6749 requires
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		p.reply(w, "introspect", p.answers, r.FormValue("token"), map[string]any{"active": false})
	})
	mux.HandleFunc("GET /userinfo", func(w http.ResponseWriter, r *http.Request) {
		p.reply(w, "userinfo", p.profiles, r.Header.Get("Authorization"), nil)
	})
	p.server = httptest.NewServer(mux)
	t.Cleanup(p.server.Close)
	return p
}

func (p *opaqueProvider) reply(w http.ResponseWriter, endpoint string, known map[string]any, key string, otherwise any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked[endpoint]++
	if p.status != 0 {
		w.WriteHeader(p.status)
		return
	}
	answer, ok := known[key]
	if !ok && otherwise == nil {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if !ok {
		answer = otherwise
	}
	_ = json.NewEncoder(w).Encode(answer)
}

func (p *opaqueProvider) change(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

func (p *opaqueProvider) count(endpoint string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked[endpoint]
}

func introspecting(options *identity.VerifierOptions) {
	options.Mode, options.IntrospectionID, options.IntrospectionSecret = identity.ModeIntrospection, gatewayID, gatewaySecret
}

func (w *world) introspected(pairs ...any) map[string]any {
	said := map[string]any{
		"active": true, "sub": "ada", "client_id": clientID, "exp": w.clock.Now().Add(time.Hour).Unix(),
		"email": "ada@example.org", "email_verified": true, "sid": "laptop",
	}
	for i := 0; i < len(pairs); i += 2 {
		if said[pairs[i].(string)] = pairs[i+1]; pairs[i+1] == nil {
			delete(said, pairs[i].(string))
		}
	}
	return said
}

func TestIntrospectionDecidesAboutOpaqueTokens(t *testing.T) {
	t.Parallel()
	p := newOpaqueProvider(t)
	w := newWorld(t, p.provider, introspecting)
	for name, test := range map[string]struct {
		said any
		kind fault.Kind
	}{
		"inactive":                 {w.introspected("active", false), fault.Unauthenticated},
		"of another client":        {w.introspected("client_id", "other"), fault.Unauthenticated},
		"of nobody in particular":  {w.introspected("client_id", nil), fault.Unauthenticated},
		"without a subject":        {w.introspected("sub", nil), fault.Unauthenticated},
		"expired":                  {w.introspected("exp", w.clock.Now().Add(-time.Second).Unix()), fault.Unauthenticated},
		"of another issuer":        {w.introspected("iss", "https://evil.example"), fault.Unauthenticated},
		"an ID token":              {w.introspected("nonce", "n"), fault.Unauthenticated},
		"answered with nonsense":   {"nonsense", fault.Unavailable},
		"for the audience as text": {w.introspected("client_id", "other", "aud", clientID), -1},
		"for one of the audiences": {w.introspected("client_id", "other", "aud", []string{"x", clientID}), -1},
		"good":                     {w.introspected(), -1},
	} {
		t.Run(name, func(t *testing.T) {
			p.change(func() { p.answers[name] = test.said })
			caller, err := w.identify(name)
			if test.kind == -1 {
				if err != nil || caller.Email != "ada@example.org" || caller.Login != "laptop" {
					t.Errorf("got %+v, %v", caller, err)
				}
				return
			}
			if err == nil || fault.KindOf(err) != test.kind {
				t.Errorf("got %v, want kind %d", err, test.kind)
			}
		})
	}
}

func TestIntrospectedTokensAreKeptForMomentsOnly(t *testing.T) {
	t.Parallel()
	p := newOpaqueProvider(t)
	w := newWorld(t, p.provider, introspecting)
	p.change(func() { p.answers["token"] = w.introspected() })
	w.expectGood("token")
	w.expectGood("token")
	w.expectKind("made up", fault.Unauthenticated)
	w.expectKind("made up", fault.Unauthenticated)
	if asked := p.count("introspect"); asked != 2 {
		t.Errorf("asked %d times, want once for each token", asked)
	}
	p.change(func() { p.answers = map[string]any{} }) // revoked
	w.clock.advance(31 * time.Second)
	w.expectKind("token", fault.Unauthenticated)
	p.change(func() { p.status = http.StatusInternalServerError })
	w.clock.advance(11 * time.Second)
	w.expectKind("token", fault.Unavailable)
}

func TestWrongSecretAtIntrospectionIsNoFaultOfTheCaller(t *testing.T) {
	t.Parallel()
	p := newOpaqueProvider(t)
	w := newWorld(t, p.provider, introspecting, func(o *identity.VerifierOptions) { o.IntrospectionSecret = "wrong" })
	p.change(func() { p.answers["token"] = w.introspected() })
	w.expectKind("token", fault.Unavailable)
}

func TestUserinfoDecidesAboutOpaqueTokens(t *testing.T) {
	t.Parallel()
	p := newOpaqueProvider(t)
	w := newWorld(t, p.provider, func(o *identity.VerifierOptions) { o.Mode = identity.ModeUserinfo })
	p.change(func() {
		p.profiles["Bearer token"] = map[string]any{"sub": "ada", "email": "Ada@Example.org", "email_verified": true, "name": "Ada"}
		p.profiles["Bearer nobody"] = map[string]any{"email": "ada@example.org", "email_verified": true}
	})
	caller, err := w.identify("token")
	if err != nil || caller.Email != "ada@example.org" || caller.Name != "Ada" {
		t.Errorf("got %+v, %v", caller, err)
	}
	w.expectKind("made up", fault.Unauthenticated)
	w.expectKind("nobody", fault.Unavailable)
	p.change(func() { p.status = http.StatusBadGateway })
	w.expectGood("token")
	w.clock.advance(31 * time.Second)
	w.expectKind("token", fault.Unavailable)
}

func TestTokenWithoutAnEmailIsLookedUpOnce(t *testing.T) {
	t.Parallel()
	p := newOpaqueProvider(t)
	key := rsaSigner(t, "key")
	p.publish(key)
	w := newWorld(t, p.provider)
	first := key.sign(t, w.claims("email", nil, "email_verified", nil, "sub", "ada", "jti", "1"))
	second := key.sign(t, w.claims("email", nil, "email_verified", nil, "sub", "ada", "jti", "2"))
	stranger := key.sign(t, w.claims("email", nil, "email_verified", nil, "sub", "bob"))
	p.change(func() {
		p.profiles["Bearer "+first] = map[string]any{"sub": "ada", "email": "ada@example.org", "email_verified": true}
		p.profiles["Bearer "+stranger] = map[string]any{"sub": "ada", "email": "ada@example.org", "email_verified": true}
	})
	for _, token := range []string{first, second, first} {
		if caller, err := w.identify(token); err != nil || caller.Email != "ada@example.org" {
			t.Errorf("got %+v, %v", caller, err)
		}
	}
	if asked := p.count("userinfo"); asked != 1 {
		t.Errorf("userinfo was asked %d times for one subject", asked)
	}
	w.expectKind(stranger, fault.Unauthenticated) // userinfo describes somebody else
}
