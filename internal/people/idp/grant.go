package idp

import (
	"time"

	"github.com/google/uuid"
	"github.com/zitadel/oidc/v3/pkg/oidc"
)

// grant is what a sign-in grants to the client. An authorization code stands for one, and so does a refresh token. Its
// methods are those that the protocol library requires.
type grant struct {
	account         Account
	clientID        string
	sid             string
	scopes          []string
	authenticatedAt time.Time
	family          string // of its refresh tokens; "" without any
}

func (g *grant) granted() *grant        { return g }
func (g *grant) GetAMR() []string       { return nil }
func (g *grant) GetAudience() []string  { return []string{g.clientID} }
func (g *grant) GetAuthTime() time.Time { return g.authenticatedAt }
func (g *grant) GetClientID() string    { return g.clientID }
func (g *grant) GetScopes() []string    { return g.scopes }
func (g *grant) GetSubject() string     { return subjectOf(g.account.Email) }

// subjectOf returns a person's subject in tokens: stable, and meaningless on its own.
func subjectOf(email string) string {
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte("mailto:"+email)).String()
}

// codeGrant is a grant that waits for its authorization code; it implements op.AuthRequest.
type codeGrant struct {
	grant
	request   *oidc.AuthRequest
	expiresAt time.Time
}

func (c *codeGrant) GetID() string                      { return "" } // only the code finds it
func (c *codeGrant) GetACR() string                     { return "" }
func (c *codeGrant) GetNonce() string                   { return c.request.Nonce }
func (c *codeGrant) GetRedirectURI() string             { return c.request.RedirectURI }
func (c *codeGrant) GetResponseType() oidc.ResponseType { return c.request.ResponseType }
func (c *codeGrant) GetResponseMode() oidc.ResponseMode { return c.request.ResponseMode }
func (c *codeGrant) GetState() string                   { return c.request.State }
func (c *codeGrant) Done() bool                         { return true }
func (c *codeGrant) GetCodeChallenge() *oidc.CodeChallenge {
	return &oidc.CodeChallenge{Challenge: c.request.CodeChallenge, Method: c.request.CodeChallengeMethod}
}

// refreshGrant is a grant that came with a refresh token; it implements op.RefreshTokenRequest.
type refreshGrant struct {
	grant
	generation int
}

// SetCurrentScopes narrows the scopes of this one exchange.
func (r *refreshGrant) SetCurrentScopes(scopes []string) { r.scopes = scopes }

// accessRequest is a grant with the audience of access tokens, which is wider than that of ID tokens.
type accessRequest struct {
	*grant
	audience []string
}

// GetAudience returns the audience of the access token.
func (a accessRequest) GetAudience() []string { return a.audience }
