package idp

import (
	"time"

	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"
)

// supportedScopes returns the scopes that a request may name; others are ignored.
func supportedScopes() []string {
	return []string{oidc.ScopeOpenID, oidc.ScopeEmail, oidc.ScopeProfile, oidc.ScopeOfflineAccess}
}

// client is the only client as the protocol library sees it: a page without a secret.
type client struct {
	options *Options
}

func (c client) GetID() string                       { return c.options.ClientID }
func (c client) RedirectURIs() []string              { return c.options.RedirectURIs }
func (c client) PostLogoutRedirectURIs() []string    { return c.options.PostLogoutRedirectURIs }
func (c client) ApplicationType() op.ApplicationType { return op.ApplicationTypeUserAgent }
func (c client) AuthMethod() oidc.AuthMethod         { return oidc.AuthMethodNone }
func (c client) ResponseTypes() []oidc.ResponseType {
	return []oidc.ResponseType{oidc.ResponseTypeCode}
}
func (c client) AccessTokenType() op.AccessTokenType  { return op.AccessTokenTypeJWT }
func (c client) IDTokenLifetime() time.Duration       { return accessLifetime }
func (c client) LoginURL(string) string               { return c.options.Issuer + loginPath }
func (c client) IsScopeAllowed(string) bool           { return false }
func (c client) IDTokenUserinfoClaimsAssertion() bool { return true }
func (c client) ClockSkew() time.Duration             { return 0 }

// DevMode is true because plain http is fine on loopback; Options.check refuses it elsewhere.
func (c client) DevMode() bool { return true }

func (c client) GrantTypes() []oidc.GrantType {
	return []oidc.GrantType{oidc.GrantTypeCode, oidc.GrantTypeRefreshToken}
}

func (c client) RestrictAdditionalIdTokenScopes() func([]string) []string { return sameScopes }

func (c client) RestrictAdditionalAccessTokenScopes() func([]string) []string { return sameScopes }

func sameScopes(scopes []string) []string { return scopes }
