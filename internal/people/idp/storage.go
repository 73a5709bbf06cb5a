package idp

import (
	"context"
	"crypto/rsa"
	"errors"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"
)

// storage provides what the protocol library's token functions need: the client, the grant behind a code or a refresh
// token, the claims and the signing key.
type storage struct {
	unused
	provider *Provider
}

// GetClientByClientID returns a registered client.
func (s storage) GetClientByClientID(_ context.Context, id string) (op.Client, error) {
	found, ok := s.provider.client(id)
	if !ok {
		return nil, errors.New("no such client")
	}
	return found, nil
}

// AuthRequestByCode removes a code with its grant: a second attempt, or one with the wrong verifier, finds nothing.
func (s storage) AuthRequestByCode(_ context.Context, code string) (op.AuthRequest, error) {
	found, ok := s.provider.codes.redeem(code, s.provider.options.Now())
	if !ok || s.provider.state.ended("", found.sid) {
		return nil, errors.New("no such code, or used, or older than a minute, or signed out since")
	}
	return found, nil
}

// TokenRequestByRefreshToken returns the grant of a refresh token. It doesn't use the token up; refresh does.
func (s storage) TokenRequestByRefreshToken(_ context.Context, token string) (op.RefreshTokenRequest, error) {
	id, generation, ok := s.provider.parseRefreshToken(token)
	if !ok {
		return nil, errNoGrant
	}
	found, ok := s.provider.state.familyOf(id)
	account, known := s.provider.byEmail[found.Email]
	if !ok || !known {
		return nil, errNoGrant
	}
	clientID := found.ClientID
	if clientID == "" {
		clientID = s.provider.options.ClientID
	}
	return &refreshGrant{
		grant: grant{
			account: account, clientID: clientID, sid: found.SID, scopes: found.Scopes,
			authenticatedAt: found.AuthenticatedAt, family: id,
		},
		generation: generation,
	}, nil
}

// GetPrivateClaimsFromRequest returns the claims that distinguish an access token from an ID token and name the person.
func (s storage) GetPrivateClaimsFromRequest(_ context.Context, request op.TokenRequest, _ []string,
) (map[string]any, error) {
	holder, ok := request.(interface{ granted() *grant })
	if !ok {
		return nil, errors.New("not a grant of this provider")
	}
	g := holder.granted()
	return map[string]any{
		"token_use": tokenUseAccess, "sid": g.sid,
		"email": g.account.Email, "email_verified": true, "name": g.account.Name,
	}, nil
}

// SetUserinfoFromRequest adds the claims to an ID token that name the person and the login.
func (s storage) SetUserinfoFromRequest(_ context.Context, info *oidc.UserInfo, request op.IDTokenRequest, _ []string,
) error {
	holder, ok := request.(interface{ granted() *grant })
	if !ok {
		return errors.New("not a grant of this provider")
	}
	g := holder.granted()
	*info = userInfo(g.account)
	info.AppendClaims("sid", g.sid)
	return nil
}

// SetUserinfoFromScopes adds nothing: SetUserinfoFromRequest, which is called after it, knows more.
func (s storage) SetUserinfoFromScopes(context.Context, *oidc.UserInfo, string, string, []string) error {
	return nil
}

// SigningKey returns the key that signs tokens.
func (s storage) SigningKey(context.Context) (op.SigningKey, error) { return s.provider.key, nil }

// SignatureAlgorithms returns the key's algorithm.
func (s storage) SignatureAlgorithms(context.Context) ([]jose.SignatureAlgorithm, error) {
	return []jose.SignatureAlgorithm{jose.RS256}, nil
}

// KeySet returns the public keys.
func (s storage) KeySet(context.Context) ([]op.Key, error) {
	return []op.Key{publicKey{s.provider.key}}, nil
}

// signingKey is the private key with its id, the thumbprint of the public key.
type signingKey struct {
	id      string
	private *rsa.PrivateKey
}

func (k signingKey) ID() string                                  { return k.id }
func (k signingKey) Key() any                                    { return k.private }
func (k signingKey) SignatureAlgorithm() jose.SignatureAlgorithm { return jose.RS256 }

// publicKey is the public half of a signing key.
type publicKey struct{ signingKey }

func (k publicKey) Key() any                           { return &k.private.PublicKey }
func (k publicKey) Algorithm() jose.SignatureAlgorithm { return jose.RS256 }
func (k publicKey) Use() string                        { return oidc.KeyUseSignature }

// unused refuses the calls of the library's interface for endpoints and flows that don't exist here.
type unused struct{}

var errUnused = errors.New("this provider does not offer that")

func (unused) CreateAuthRequest(context.Context, *oidc.AuthRequest, string) (op.AuthRequest, error) {
	return nil, errUnused
}

func (unused) AuthRequestByID(context.Context, string) (op.AuthRequest, error) { return nil, errUnused }
func (unused) SaveAuthCode(context.Context, string, string) error              { return errUnused }
func (unused) DeleteAuthRequest(context.Context, string) error                 { return errUnused }
func (unused) CreateAccessToken(context.Context, op.TokenRequest) (string, time.Time, error) {
	return "", time.Time{}, errUnused
}

func (unused) CreateAccessAndRefreshTokens(context.Context, op.TokenRequest, string,
) (string, string, time.Time, error) {
	return "", "", time.Time{}, errUnused
}
func (unused) TerminateSession(context.Context, string, string) error { return errUnused }
func (unused) RevokeToken(context.Context, string, string, string) *oidc.Error {
	return oidc.ErrServerError().WithParent(errUnused)
}

func (unused) GetRefreshTokenInfo(context.Context, string, string) (string, string, error) {
	return "", "", errUnused
}
func (unused) AuthorizeClientIDSecret(context.Context, string, string) error { return errUnused }
func (unused) SetUserinfoFromToken(context.Context, *oidc.UserInfo, string, string, string) error {
	return errUnused
}

func (unused) SetIntrospectionFromToken(context.Context, *oidc.IntrospectionResponse, string, string, string) error {
	return errUnused
}

func (unused) GetKeyByIDAndClientID(context.Context, string, string) (*jose.JSONWebKey, error) {
	return nil, errUnused
}

func (unused) ValidateJWTProfileScopes(context.Context, string, []string) ([]string, error) {
	return nil, errUnused
}

func (unused) GetPrivateClaimsFromScopes(context.Context, string, string, []string) (map[string]any, error) {
	return nil, errUnused
}
func (unused) Health(context.Context) error { return nil }
