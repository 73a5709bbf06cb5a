package idp

import (
	"context"
	"crypto"
	"embed"
	"encoding/base64"
	"io/fs"
	"net/http"
	"net/url"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/rs/cors"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"
	"golang.org/x/time/rate"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"
)

// The paths below the issuer.
const (
	authorizePath = "/authorize"
	loginPath     = "/login"
	tokenPath     = "/token"
	userinfoPath  = "/userinfo"
	keysPath      = "/keys"
	revokePath    = "/revoke"
	logoutPath    = "/end_session"
)

const maxBody = 64 << 10

//go:embed assets
var embedded embed.FS

// Provider is an identity provider for a few clients and a fixed list of accounts.
type Provider struct {
	options   Options
	byEmail   map[string]Account
	bySubject map[string]Account
	path      string // of the issuer, "" or "/idp"
	macKey    []byte
	key       signingKey
	state     *state
	codes     *codes
	protocol  *op.Provider
	pages     *pages

	crossOrigin *http.CrossOriginProtection
	perAddress  *httpapi.RateLimit
	perAccount  *httpapi.RateLimit // for each address
	slow        httpapi.Turns      // of attempts beyond these limits, by address
	pause       func(context.Context, time.Duration)
	hashing     chan struct{} // limits concurrent password checks: each takes memory on purpose
}

// New returns a provider. An Invalid fault names every invalid option; other faults are about files in Options.Dir. Any
// number of processes may call AccessToken on one folder, but only one may serve Handler.
func New(options Options) (*Provider, error) {
	options = options.withDefaults()
	if err := options.check(); err != nil {
		return nil, err
	}
	if err := openDir(options.Dir); err != nil {
		return nil, err
	}
	p := &Provider{
		options: options, byEmail: map[string]Account{}, bySubject: map[string]Account{}, codes: newCodes(),
		crossOrigin: http.NewCrossOriginProtection(),
		perAddress:  httpapi.NewRateLimit(rate.Every(addressEvery), addressAttempts),
		perAccount:  httpapi.NewRateLimit(rate.Every(accountEvery), accountAttempts),
		pause:       sleep,
		hashing:     make(chan struct{}, 2),
	}
	for _, account := range options.Accounts {
		p.byEmail[account.Email] = account
		p.bySubject[subjectOf(account.Email)] = account
	}
	issuer, err := url.Parse(options.Issuer)
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "The issuer is not an address.")
	}
	p.path = issuer.Path
	// Behind a proxy the Host header may differ from the address that people use.
	if err := p.crossOrigin.AddTrustedOrigin(originOf(options.Issuer)); err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "The issuer is not an address.")
	}
	if p.pages, err = newPages(options, p.path); err != nil {
		return nil, err
	}
	if err := p.loadFiles(); err != nil {
		return nil, err
	}
	// The encryption key is for opaque tokens and the library's own codes, which aren't used here. Plain http was checked
	// above.
	p.protocol, err = op.NewProvider(&op.Config{CodeMethodS256: true, GrantTypeRefreshToken: true},
		storage{provider: p}, op.StaticIssuer(options.Issuer), op.WithAllowInsecure(), op.WithLogger(options.Logger))
	if err != nil {
		return nil, fault.Wrap(err, fault.Internal, "The embedded identity provider cannot start.")
	}
	return p, nil
}

func (p *Provider) loadFiles() error {
	private, err := loadSigningKey(p.options.Dir)
	if err != nil {
		return err
	}
	public := jose.JSONWebKey{Key: &private.PublicKey}
	thumbprint, err := public.Thumbprint(crypto.SHA256)
	if err != nil {
		return fault.Wrap(err, fault.Internal, "The identity provider's signing key cannot be used.")
	}
	p.key = signingKey{id: base64.RawURLEncoding.EncodeToString(thumbprint), private: private}
	if p.macKey, err = loadMACKey(p.options.Dir); err != nil {
		return err
	}
	p.state, err = loadState(p.options.Dir, p.options.Now)
	return err
}

// Ended reports whether an access token (jti), or the login that it is of (sid), has ended before the token expires: by
// signing out or by revocation.
func (p *Provider) Ended(tokenID, sid string) bool { return p.state.ended(tokenID, sid) }

// Handler answers everything below the issuer's path, including that path: mount it at "/idp/" without stripping. It
// sets its own headers for framing, caching and CORS. The limit of sign-ins per address uses Request.RemoteAddr, so set
// that first if you trust a proxy.
func (p *Provider) Handler() http.Handler {
	mux := http.NewServeMux()
	page := func(method, path string, handler http.HandlerFunc) { mux.Handle(method+" "+p.path+path, handler) }
	page("GET", authorizePath, p.authorize)
	page("GET", loginPath, p.showLogin)
	page("POST", loginPath, p.login)
	page("GET", logoutPath, p.logout)
	page("POST", logoutPath, p.logout)

	// For scripts of the page, and of pages of the allowed origins. By default the library would answer any origin.
	sharing := cors.New(cors.Options{
		AllowOriginFunc: p.options.maySend,
		AllowedMethods:  []string{http.MethodGet, http.MethodPost},
		AllowedHeaders:  []string{"Authorization", "Content-Type"},
		MaxAge:          600,
	})
	api := func(path string, handler http.HandlerFunc, methods ...string) {
		for _, method := range methods {
			mux.Handle(method+" "+p.path+path, sharing.Handler(handler))
		}
		mux.Handle("OPTIONS "+p.path+path, sharing.Handler(http.HandlerFunc(
			func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })))
	}
	api(oidc.DiscoveryEndpoint, p.discovery, "GET")
	api(keysPath, p.keys, "GET")
	api(tokenPath, p.token, "POST")
	api(userinfoPath, p.userinfo, "GET", "POST")
	api(revokePath, p.revoke, "POST")

	page("GET", "/style.css", p.pages.serveStyle)
	page("GET", "/mark", p.pages.serveMark)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Cache-Control", "no-store")
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		if isUnknownPath(mux, r) {
			p.pages.message(w, http.StatusNotFound, p.home(), "There is no page at this address",
				"It belongs to the sign-in server of "+p.options.Product()+". Go back there, and sign in with its Login button.")
			return
		}
		mux.ServeHTTP(w, r.WithContext(op.ContextWithIssuer(r.Context(), p.options.Issuer)))
	})
}

// isUnknownPath distinguishes a page that doesn't exist from a path with other methods.
func isUnknownPath(mux *http.ServeMux, r *http.Request) bool {
	if r.Method != http.MethodGet {
		return false
	}
	_, asked := mux.Handler(r)
	posted := r.Clone(r.Context())
	posted.Method = http.MethodPost
	_, taken := mux.Handler(posted)
	return asked == "" && taken == ""
}

// discovery lists what exists. The library's own answer would also name endpoints and flows that don't.
func (p *Provider) discovery(w http.ResponseWriter, _ *http.Request) {
	at := func(path string) string { return p.options.Issuer + path }
	public := []oidc.AuthMethod{oidc.AuthMethodNone}
	w.Header().Set("Cache-Control", "public, max-age=300")
	writeJSON(w, &oidc.DiscoveryConfiguration{
		Issuer:                                 p.options.Issuer,
		AuthorizationEndpoint:                  at(authorizePath),
		TokenEndpoint:                          at(tokenPath),
		UserinfoEndpoint:                       at(userinfoPath),
		JwksURI:                                at(keysPath),
		RevocationEndpoint:                     at(revokePath),
		EndSessionEndpoint:                     at(logoutPath),
		ScopesSupported:                        supportedScopes(),
		ResponseTypesSupported:                 []string{string(oidc.ResponseTypeCode)},
		ResponseModesSupported:                 []string{string(oidc.ResponseModeQuery)},
		GrantTypesSupported:                    p.ownClient().GrantTypes(),
		SubjectTypesSupported:                  []string{"public"},
		IDTokenSigningAlgValuesSupported:       []string{string(jose.RS256)},
		TokenEndpointAuthMethodsSupported:      public,
		RevocationEndpointAuthMethodsSupported: public,
		CodeChallengeMethodsSupported:          []oidc.CodeChallengeMethod{oidc.CodeChallengeMethodS256},
		ClaimsSupported: []string{
			"sub", "iss", "aud", "exp", "iat", "auth_time", "nonce", "azp", "sid", "email", "email_verified", "name",
		},
	})
}

func (p *Provider) keys(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "public, max-age=300")
	op.Keys(w, r, p.protocol.Storage())
}

func assets() (fs.FS, error) { return fs.Sub(embedded, "assets") }
