package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/ory/fosite"
	"github.com/ory/fosite/compose"
	"github.com/ory/fosite/handler/oauth2"
	"github.com/ory/fosite/handler/openid"
	"github.com/ory/fosite/storage"
)

// gatewayClient is the resource server that may ask about tokens.
const gatewayClient = "cairn-gateway"

// provider answers one request at a time: its library's memory is not safe against two that race for one token.
type provider struct {
	options options
	issuer  string
	keys    *keys
	memory  *storage.MemoryStore
	oauth   fosite.OAuth2Provider
	routes  *http.ServeMux

	mutex     sync.Mutex
	logins    map[string]*login  // by the value of the cookie
	waiting   map[string]waiting // sign-ins at the login page, by the number in its form
	disturbed map[string]string  // by path
	counts    map[string]int
}

func newProvider(o options, issuer string) (*provider, error) {
	signing, err := newKeys()
	if err != nil {
		return nil, err
	}
	p := &provider{
		options: o, issuer: issuer, keys: signing, memory: storage.NewMemoryStore(), routes: http.NewServeMux(),
		logins: map[string]*login{}, waiting: map[string]waiting{}, disturbed: map[string]string{}, counts: map[string]int{},
	}
	config := &fosite.Config{
		GlobalSecret: []byte(rand.Text() + rand.Text()), IDTokenIssuer: issuer, AccessTokenIssuer: issuer,
		AccessTokenLifespan: o.accessLifetime, IDTokenLifespan: o.accessLifetime, EnforcePKCE: true, HashCost: 4,
		RefreshTokenScopes: []string{"offline_access"}, ScopeStrategy: fosite.ExactScopeStrategy,
	}
	config.ClientSecretsHasher = &fosite.BCrypt{Config: config}
	if err := p.setClients(config); err != nil {
		return nil, err
	}
	core := oauth2.CoreStrategy(compose.NewOAuth2HMACStrategy(config))
	if o.tokens == "jwt" {
		core = &oauth2.DefaultJWTStrategy{Signer: signing, HMACSHAStrategy: core, Config: config}
	}
	p.oauth = compose.Compose(config, store{p.memory, p}, &compose.CommonStrategy{
		CoreStrategy: core, Signer: signing, OpenIDConnectTokenStrategy: &openid.DefaultStrategy{Signer: signing, Config: config},
	},
		compose.OAuth2AuthorizeExplicitFactory, compose.OAuth2RefreshTokenGrantFactory, compose.OpenIDConnectExplicitFactory,
		compose.OpenIDConnectRefreshFactory, compose.OAuth2TokenIntrospectionFactory, compose.OAuth2TokenRevocationFactory,
		compose.OAuth2PKCEFactory)
	p.mount()
	return p, nil
}

func (p *provider) setClients(config *fosite.Config) error {
	portal := &fosite.DefaultClient{
		ID: p.options.clientID, Public: true, ResponseTypes: []string{"code"}, GrantTypes: []string{"authorization_code"},
		RedirectURIs: []string{p.options.redirectURI}, Scopes: []string{"openid", "profile", "email", "offline_access"},
	}
	if p.options.refresh {
		portal.GrantTypes = append(portal.GrantTypes, "refresh_token")
	}
	p.memory.Clients[portal.ID] = portal
	if p.options.introspectionSecret == "" {
		return nil
	}
	secret, err := config.ClientSecretsHasher.Hash(context.Background(), []byte(p.options.introspectionSecret))
	p.memory.Clients[gatewayClient] = &fosite.DefaultClient{ID: gatewayClient, Secret: secret}
	return err
}

func (p *provider) mount() {
	for pattern, handler := range map[string]http.HandlerFunc{
		"GET /.well-known/openid-configuration": p.discovery,
		"GET /authorize":                        p.authorize,
		"POST /login":                           p.signIn,
		"POST /token":                           p.token,
		"GET /userinfo":                         p.userinfo,
		"POST /userinfo":                        p.userinfo,
		"POST /introspect":                      p.introspect,
		"POST /revoke":                          p.revoke,
		"GET /keys":                             p.publicKeys,
		"GET /logout":                           p.logout,
		"POST /logout":                          p.logout,
		"GET /test/requests":                    p.tellRequests,
		"DELETE /test/requests":                 p.forgetRequests,
		"PUT /test/client":                      p.changeClient,
		"PUT /test/disturbances":                p.disturb,
		"POST /test/rotate-keys":                p.rotateKeys,
		"POST /test/end-access-tokens":          p.endAccessTokens,
		"POST /test/end-logins":                 p.endLogins,
	} {
		p.routes.HandleFunc(pattern, handler)
	}
}

// ServeHTTP counts requests, breaks them when a test asked for that, and lets the client's pages read the answers.
func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.options.origin != "" && r.Header.Get("Origin") == p.options.origin {
		w.Header().Set("Access-Control-Allow-Origin", p.options.origin)
		w.Header().Set("Vary", "Origin")
		if r.Method == http.MethodOptions {
			w.Header().Set("Access-Control-Allow-Methods", "GET, POST")
			w.Header().Set("Access-Control-Allow-Headers", "Authorization, Content-Type")
			w.WriteHeader(http.StatusNoContent)
			return
		}
	}
	recorder := &statusRecorder{ResponseWriter: w, status: http.StatusOK}
	switch p.disturbed[r.URL.Path] {
	case "unavailable":
		http.Error(recorder, "Out of order.", http.StatusServiceUnavailable)
	case "nonsense":
		writeJSON(recorder, map[string]string{"message": "This is not what you asked for."})
	default:
		p.routes.ServeHTTP(recorder, r)
	}
	if !strings.HasPrefix(r.URL.Path, "/test/") {
		p.count(r, recorder.status)
	}
}

type statusRecorder struct {
	http.ResponseWriter
	status int
}

// WriteHeader implements http.ResponseWriter.
func (s *statusRecorder) WriteHeader(status int) {
	s.status = status
	s.ResponseWriter.WriteHeader(status)
}

func writeJSON(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(value)
}

// loginOf gives the login of a session id while it lasts.
func (p *provider) loginOf(sid string) *login {
	for _, one := range p.logins {
		if one.sid == sid {
			return one
		}
	}
	return nil
}

// waiting is a sign-in request whose user is at the login page.
type waiting struct {
	query string
	since time.Time
}
