package identity

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"cairn/internal/foundation/fault"
)

// Scope is a part of what an account may do that its owner gives to an access token.
type Scope string

// The scopes. None includes another one.
const (
	ScopeRead  Scope = "read"  // entries, projects and downloads that the account may see
	ScopeRun   Scope = "run"   // sessions and runs
	ScopeWrite Scope = "write" // entries, projects and stars
)

// Scopes are all scopes, in the order in which tokens list them.
var Scopes = []Scope{ScopeRead, ScopeRun, ScopeWrite}

const (
	tokenPrefix = "cairn_pat_" //nolint:gosec // no secret, but what secret scanners look for
	tokenBytes  = 32           // of randomness

	tokenNameLimit = 100 // characters
	tokensLimit    = 50  // tokens of an account that haven't expired
	tokenDays      = 90
	tokenDaysLimit = 365
	// expiredShown is how long an expired token stays in the list, so that its owner sees why a program stopped working.
	expiredShown = 30 * 24 * time.Hour
)

// AccessToken is a personal access token as its owner sees it in the list, without its secret.
type AccessToken struct {
	ID         string     `json:"id" format:"uuid"`
	Name       string     `json:"name"`
	Scopes     []Scope    `json:"scopes" enum:"read,run,write"`
	CreatedAt  time.Time  `json:"createdAt"`
	ExpiresAt  time.Time  `json:"expiresAt"`
	Expired    bool       `json:"expired" doc:"It is refused, and leaves the list 30 days after it expired"`
	LastUsedAt *time.Time `json:"lastUsedAt,omitempty" doc:"To the hour; absent until it is used"`
}

// CreateToken creates an access token of the caller's account and returns it with its secret, which is stored nowhere.
func (s *Service) CreateToken(ctx context.Context, name string, scopes []Scope, days int) (AccessToken, string, error) {
	caller, err := Require(ctx)
	if err == nil {
		err = RefuseDisabled(ctx)
	}
	if err != nil {
		return AccessToken{}, "", err
	}
	name = strings.TrimSpace(name)
	switch length := utf8.RuneCountInString(name); {
	case length == 0 || length > tokenNameLimit:
		return AccessToken{}, "", fault.InvalidField("body.name", "The name has %d characters. Give it 1 to %d, such as \"Laptop\".", length, tokenNameLimit)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return AccessToken{}, "", fault.InvalidField("body.name", "The name contains characters that can't be shown. Write it like \"Laptop\".")
	case days < 1 || days > tokenDaysLimit:
		return AccessToken{}, "", fault.InvalidField("body.expires", "A token lasts 1 to %d days, not %d. Write it like %d.", tokenDaysLimit, days, tokenDays)
	case len(scopes) == 0:
		return AccessToken{}, "", fault.InvalidField("body.scopes", "The token has no scope, so it could do nothing. Choose read, run or write.")
	}
	given := slices.DeleteFunc(slices.Clone(Scopes), func(one Scope) bool { return !slices.Contains(scopes, one) })
	if len(given) != len(scopes) {
		return AccessToken{}, "", fault.InvalidField("body.scopes", "Each scope can be given once, and must be read, run or write.")
	}
	random := make([]byte, tokenBytes)
	_, _ = rand.Read(random) // never fails
	secret := tokenPrefix + base64.RawURLEncoding.EncodeToString(random)
	token, err := s.store.addToken(ctx, caller.AccountID, tokenDigest(secret), AccessToken{Name: name, Scopes: given}, days)
	if err != nil {
		return AccessToken{}, "", err
	}
	return token, secret, nil
}

// Tokens returns a part of the caller's access tokens, newest first, and how many there are.
func (s *Service) Tokens(ctx context.Context, offset, limit int) ([]AccessToken, int, error) {
	caller, _ := From(ctx)
	return s.store.tokens(ctx, caller.AccountID, offset, limit)
}

// RevokeToken ends an access token of the caller's; other servers on the database refuse it within two seconds.
func (s *Service) RevokeToken(ctx context.Context, id string) error {
	caller, _ := From(ctx)
	return s.store.removeToken(ctx, caller.AccountID, id)
}

func tokenDigest(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// isToken reports whether a bearer token claims to be one of ours.
func isToken(token string) bool { return strings.HasPrefix(token, tokenPrefix) }

// identifyToken returns the account behind one of our access tokens, without the rights of operators. It doesn't count as
// a sign-in of the account, on which its ways into sessions depend.
func (s *Service) identifyToken(ctx context.Context, token string) (Caller, error) {
	var found heldToken
	err := error(fault.New(fault.NotFound, "no such token"))
	if len(token) == len(tokenPrefix)+base64.RawURLEncoding.EncodedLen(tokenBytes) {
		found, err = s.store.heldToken(ctx, tokenDigest(token))
	}
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return Caller{}, fault.New(fault.Unauthenticated, "This access token isn't valid here: it was revoked, or it comes from another server. "+
			"Sign in on the page and create a new one.")
	case err != nil:
		return Caller{}, err
	case !s.store.db.Now().Before(found.ExpiresAt):
		return Caller{}, fault.New(fault.Unauthenticated, "This access token expired on %s. Sign in on the page and create a new one.",
			found.ExpiresAt.UTC().Format("January 2, 2006"))
	case found.account.disabled():
		return Caller{}, fault.New(fault.Unauthenticated, "An operator disabled the account of this access token, so the token doesn't work. Ask the operators.")
	}
	if err := s.store.markTokenUsed(ctx, found.ID); err != nil {
		return Caller{}, err
	}
	caller := s.caller(found.account)
	caller.Operator, caller.token = false, &found.AccessToken
	return caller, nil
}

// TokenID returns the id of the access token of ours that a request came with; "" if it came with none.
func TokenID(ctx context.Context) string {
	if caller, _ := From(ctx); caller.token != nil {
		return caller.token.ID
	}
	return ""
}

// CheckToken returns Unauthenticated if an account's access token was revoked or has expired.
func (s *Service) CheckToken(ctx context.Context, accountID, id string) error {
	stands, err := s.store.hasToken(ctx, accountID, id)
	if err == nil && !stands {
		err = fault.New(fault.Unauthenticated, "The access token was revoked or has expired.")
	}
	return err
}

// ByToken reports whether the request came with an access token of ours, so nobody has signed in for it.
func ByToken(ctx context.Context) bool {
	caller, _ := From(ctx)
	return caller.token != nil
}

// PermitGuest returns Forbidden for guests of workshops, who may call nothing but what says that they may.
func PermitGuest(ctx context.Context) error {
	if caller, _ := From(ctx); caller.Guest {
		return fault.New(fault.GuestsCannot, "Guests of a workshop can't do this. Sign in with an account of your own.")
	}
	return nil
}

// Permit returns TokenScope if the request came with an access token of ours that an operation of a scope refuses. An
// operation without a scope refuses all of them.
func Permit(ctx context.Context, scope Scope) error {
	caller, _ := From(ctx)
	switch {
	case caller.token == nil || slices.Contains(caller.token.Scopes, scope):
		return nil
	case scope == "":
		return fault.New(fault.TokenScope, "Access tokens can't do this, whatever their scopes. Sign in on the page instead.")
	}
	words := make([]string, len(caller.token.Scopes))
	for i, one := range caller.token.Scopes {
		words[i] = string(one)
	}
	return fault.New(fault.TokenScope, "This needs an access token with the scope %q; this one has %s. Create one with that scope on the page.",
		scope, fmt.Sprintf("%q", strings.Join(words, ", ")))
}
