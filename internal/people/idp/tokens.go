package idp

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"

	"cairn/internal/foundation/fault"
)

const (
	// accessLifetime is short because others than this server's API verify access tokens without asking here.
	accessLifetime = 5 * time.Minute
	// maxScriptLifetime limits tokens from AccessToken.
	maxScriptLifetime = 24 * time.Hour
	tokenUseAccess    = "access"
)

// AccessToken issues an access token for an account, for scripts. It needs the provider's folder and settings but not a
// running server. An unknown e-mail is a NotFound fault that names the accounts; the lifetime is at most a day.
func (p *Provider) AccessToken(email string, lifetime time.Duration) (string, error) {
	account, ok := p.byEmail[normalEmail(email)]
	if !ok {
		known := make([]string, len(p.options.Accounts))
		for i, other := range p.options.Accounts {
			known[i] = other.Email
		}
		return "", fault.New(fault.NotFound, "There is no account %q. The accounts are: %s.",
			email, strings.Join(known, ", "))
	}
	if lifetime < time.Second || lifetime > maxScriptLifetime {
		return "", fault.New(fault.Invalid, "The lifetime of a token is between one second and %s.", maxScriptLifetime)
	}
	ctx := op.ContextWithIssuer(context.Background(), p.options.Issuer)
	return p.accessToken(ctx, &grant{
		account: account, clientID: p.options.ClientID, sid: uuid.NewString(), authenticatedAt: p.options.Now(),
		scopes: []string{oidc.ScopeOpenID, oidc.ScopeEmail, oidc.ScopeProfile},
	}, lifetime)
}

func (p *Provider) accessToken(ctx context.Context, g *grant, lifetime time.Duration) (string, error) {
	request := accessRequest{grant: g, audience: []string{p.options.ClientID}}
	if p.options.Audience != "" && p.options.Audience != p.options.ClientID {
		request.audience = append(request.audience, p.options.Audience)
	}
	holder, ok := p.client(g.clientID)
	if !ok {
		return "", oidc.ErrInvalidClient()
	}
	return op.CreateJWT(ctx, p.options.Issuer, request, p.options.Now().Add(lifetime), newTokenID(g.family),
		holder, p.protocol.Storage())
}

// token answers the token endpoint: it exchanges an authorization code or a refresh token for new tokens.
func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	response, err := p.exchange(r)
	if err != nil {
		p.tokenError(w, r, err)
		return
	}
	writeJSON(w, response)
}

func (p *Provider) exchange(r *http.Request) (*oidc.AccessTokenResponse, error) {
	if err := p.checkClientRequest(r); err != nil {
		return nil, err
	}
	switch kind := oidc.GrantType(r.PostForm.Get("grant_type")); kind {
	case oidc.GrantTypeCode:
		return p.exchangeCode(r)
	case oidc.GrantTypeRefreshToken:
		return p.exchangeRefreshToken(r)
	default:
		return nil, oidc.ErrUnsupportedGrantType().WithDescription("grant_type is authorization_code or refresh_token")
	}
}

// checkClientRequest parses a form posted by the client. Secrets in an address end up in logs, and a client without a
// secret doesn't need an Authorization header, so both are refused before a code or a token is used.
func (p *Provider) checkClientRequest(r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return oidc.ErrInvalidRequest().WithDescription("the form cannot be read").WithParent(err)
	}
	if r.URL.RawQuery != "" {
		return oidc.ErrInvalidRequest().WithDescription("parameters belong in the body, not in the address")
	}
	if _, known := p.client(r.PostForm.Get("client_id")); !known || r.Header.Get("Authorization") != "" ||
		r.PostForm.Has("client_assertion") {
		return oidc.ErrInvalidClient().WithDescription("the client is named by client_id in the body alone")
	}
	return nil
}

func (p *Provider) exchangeCode(r *http.Request) (*oidc.AccessTokenResponse, error) {
	request, err := op.ParseAccessTokenRequest(r, p.protocol.Decoder())
	if err != nil {
		return nil, err
	}
	// Checks the code, the PKCE verifier, the client, and that the redirect address is the one in the request.
	found, _, err := op.ValidateAccessTokenRequest(r.Context(), request, p.protocol)
	if err != nil {
		return nil, err
	}
	g, ok := found.(*codeGrant)
	if !ok {
		return nil, oidc.ErrInvalidGrant()
	}
	var refreshToken string
	if slices.Contains(g.scopes, oidc.ScopeOfflineAccess) {
		id, err := p.state.startFamily(family{
			SID: g.sid, Email: g.account.Email, ClientID: g.clientID, Scopes: g.scopes, AuthenticatedAt: g.authenticatedAt,
		})
		if errors.Is(err, errNoGrant) {
			return nil, oidc.ErrInvalidGrant().WithParent(err)
		}
		if err != nil {
			return nil, err
		}
		g.family, refreshToken = id, p.refreshToken(id, 1)
	}
	return p.respond(r.Context(), g, request.Code, refreshToken)
}

func (p *Provider) exchangeRefreshToken(r *http.Request) (*oidc.AccessTokenResponse, error) {
	request, err := op.ParseRefreshTokenRequest(r, p.protocol.Decoder())
	if err != nil {
		return nil, err
	}
	found, _, err := op.ValidateRefreshTokenRequest(r.Context(), request, p.protocol)
	if err != nil {
		return nil, err
	}
	g, ok := found.(*refreshGrant)
	if !ok {
		return nil, oidc.ErrInvalidGrant()
	}
	successor, err := p.state.rotate(g.family, g.generation)
	if errors.Is(err, errNoGrant) {
		p.options.Logger.Warn("a used refresh token came again; its family has ended", "sid", g.sid)
		return nil, oidc.ErrInvalidGrant().WithParent(err)
	}
	if err != nil {
		return nil, err
	}
	return p.respond(r.Context(), g, "", p.refreshToken(g.family, successor))
}

// respond issues the tokens of a grant. The ID token is only for the client, the access token also for the API.
func (p *Provider) respond(ctx context.Context, request interface {
	op.IDTokenRequest
	granted() *grant
}, code, refreshToken string,
) (*oidc.AccessTokenResponse, error) {
	access, err := p.accessToken(ctx, request.granted(), accessLifetime)
	if err != nil {
		return nil, err
	}
	holder, ok := p.client(request.GetClientID())
	if !ok {
		return nil, oidc.ErrInvalidClient()
	}
	// The library adds the lifetime to the real time; access tokens use the provider's clock, so this one does too.
	lifetime := time.Until(p.options.Now().Add(accessLifetime))
	identity, err := op.CreateIDToken(ctx, p.options.Issuer, request, lifetime, access, code,
		p.protocol.Storage(), holder)
	if err != nil {
		return nil, err
	}
	return &oidc.AccessTokenResponse{
		AccessToken: access, IDToken: identity, RefreshToken: refreshToken, TokenType: oidc.BearerToken,
		ExpiresIn: uint64(accessLifetime.Seconds()), Scope: request.GetScopes(),
	}, nil
}
