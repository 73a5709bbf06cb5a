package main

import (
	"context"
	"maps"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/ory/fosite"
	"github.com/ory/fosite/handler/oauth2"
	"github.com/ory/fosite/handler/openid"
	"github.com/ory/fosite/storage"
	"github.com/ory/fosite/token/jwt"
)

// session is what the library keeps with a code or token, and makes tokens from.
type session struct {
	*openid.DefaultSession
	sid     string
	account account
	access  map[string]any // what access tokens say beside their times
}

func (p *provider) newSession(l *login, requestedAt time.Time) *session {
	identity := map[string]any{}
	access := map[string]any{"sub": l.account.subject, "azp": p.options.clientID}
	if p.options.audience != "" {
		access["aud"] = p.options.audience
	}
	for _, said := range []map[string]any{identity, access} {
		if p.options.sid {
			said["sid"] = l.sid
		}
		if p.options.emailClaims {
			maps.Copy(said, l.account.claims())
		}
	}
	return &session{
		DefaultSession: &openid.DefaultSession{
			Claims: &jwt.IDTokenClaims{
				Issuer: p.issuer, Subject: l.account.subject, RequestedAt: requestedAt, AuthTime: l.at, Extra: identity,
			},
			Headers: jwt.NewHeaders(), Subject: l.account.subject, Username: l.account.email,
		},
		sid: l.sid, account: l.account, access: access,
	}
}

// emptySession is for the library to fill.
func emptySession() *session { return &session{DefaultSession: openid.NewDefaultSession()} }

// Clone implements fosite.Session.
func (s *session) Clone() fosite.Session {
	other := *s
	other.DefaultSession, _ = s.DefaultSession.Clone().(*openid.DefaultSession)
	return &other
}

// GetJWTHeader implements oauth2.JWTSessionContainer: RFC 9068 gives access tokens a type of their own.
func (s *session) GetJWTHeader() *jwt.Headers {
	return &jwt.Headers{Extra: map[string]any{"typ": "at+jwt"}}
}

// GetJWTClaims implements oauth2.JWTSessionContainer.
func (s *session) GetJWTClaims() jwt.JWTClaimsContainer {
	said := accessClaims{"jti": uuid.NewString()}
	maps.Copy(said, s.access)
	return said
}

// GetExtraClaims implements fosite.ExtraClaimsSession: what introspection says beside the standard answer.
func (s *session) GetExtraClaims() map[string]any {
	said := maps.Clone(s.access)
	said["iss"] = s.Claims.Issuer
	return said
}

// accessClaims are those of a JWT access token. The library's own type cannot leave the audience out.
type accessClaims map[string]any

// With implements jwt.JWTClaimsContainer.
func (c accessClaims) With(expiry time.Time, scope, _ []string) jwt.JWTClaimsContainer {
	c["exp"], c["scope"] = expiry.Unix(), strings.Join(scope, " ")
	return c
}

// WithDefaults implements jwt.JWTClaimsContainer.
func (c accessClaims) WithDefaults(issuedAt time.Time, issuer string) jwt.JWTClaimsContainer {
	c["iat"], c["iss"] = issuedAt.Unix(), issuer
	return c
}

// WithScopeField implements jwt.JWTClaimsContainer.
func (c accessClaims) WithScopeField(jwt.JWTScopeFieldEnum) jwt.JWTClaimsContainer { return c }

// ToMapClaims implements jwt.JWTClaimsContainer.
func (c accessClaims) ToMapClaims() jwt.MapClaims { return jwt.MapClaims(c) }

// store is the library's memory, in which tokens end with the login that they came from.
type store struct {
	*storage.MemoryStore
	provider *provider
}

// GetAccessTokenSession implements oauth2.AccessTokenStorage.
func (s store) GetAccessTokenSession(ctx context.Context, signature string, into fosite.Session) (fosite.Requester, error) {
	requester, err := s.MemoryStore.GetAccessTokenSession(ctx, signature, into)
	if err == nil && !s.provider.alive(requester) {
		return nil, fosite.ErrNotFound
	}
	return requester, err
}

// GetRefreshTokenSession implements oauth2.RefreshTokenStorage.
func (s store) GetRefreshTokenSession(ctx context.Context, signature string, into fosite.Session) (fosite.Requester, error) {
	requester, err := s.MemoryStore.GetRefreshTokenSession(ctx, signature, into)
	if err == nil && !s.provider.alive(requester) {
		return nil, fosite.ErrNotFound
	}
	return requester, err
}

func (p *provider) alive(requester fosite.Requester) bool {
	kept, ok := requester.GetSession().(*session)
	return ok && p.loginOf(kept.sid) != nil
}

var (
	_ openid.Session             = (*session)(nil)
	_ oauth2.JWTSessionContainer = (*session)(nil)
	_ fosite.ExtraClaimsSession  = (*session)(nil)
)
