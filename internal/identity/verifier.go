package identity

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"cairn/internal/fault"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"
)

// signingAlgorithms are those of public keys: a token signed with a shared secret, or with none, is never accepted.
var signingAlgorithms = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512, jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
}

// VerifierOptions say whose tokens are good here.
type VerifierOptions struct {
	Issuer          string // exactly as the discovery document and the tokens say
	ClientID        string // accepted as audience or authorised party (azp)
	Audience        string // also accepted as audience; may be empty
	TrustEmail      bool   // e-mails count although the token does not call them verified
	RequireTokenUse bool   // tokens must say token_use=access, as those of the embedded provider do
	Client          *http.Client
	Now             func() time.Time
}

// Verifier checks access tokens. It finds the provider by discovery at the first token and keeps trying until that
// works; it is safe for use by many goroutines.
type Verifier struct {
	options VerifierOptions

	mutex       sync.Mutex
	tokens      *oidc.IDTokenVerifier // nil until discovery worked
	triedAt     time.Time
	discoverErr error
	verified    map[[sha256.Size]byte]claims
}

// verifiedLimit bounds the cache of verified tokens; when it is full, it starts anew.
const verifiedLimit = 10_000

// claims are what a verified access token says.
type claims struct {
	Issuer        string `json:"iss"`
	Subject       string `json:"sub"`
	Email         string `json:"email"`
	EmailVerified any    `json:"email_verified"` // some providers write it as text
	Name          string `json:"name"`
	SessionID     string `json:"sid"`
	TokenUse      string `json:"token_use"`
	Type          string `json:"typ"`
	AuthorizedFor string `json:"azp"`
	ClientID      string `json:"client_id"`
	Nonce         string `json:"nonce"`
	TokenHash     string `json:"at_hash"`

	expires time.Time
}

// NewVerifier makes a verifier; it contacts nobody yet.
func NewVerifier(options VerifierOptions) *Verifier {
	return &Verifier{options: options, verified: map[[sha256.Size]byte]claims{}}
}

// Verify checks an access token: Unauthenticated when it is not good, Unavailable when that cannot be found out now.
func (v *Verifier) verify(ctx context.Context, token string) (claims, error) {
	digest := sha256.Sum256([]byte(token))
	v.mutex.Lock()
	known, ok := v.verified[digest]
	v.mutex.Unlock()
	if ok && v.options.Now().Before(known.expires) {
		return known, nil
	}

	tokens, err := v.tokenVerifier(ctx)
	if err != nil {
		return claims{}, err
	}
	verified, err := tokens.Verify(ctx, token)
	if err != nil {
		if found, ok := errors.AsType[*fault.Fault](err); ok {
			return claims{}, found
		}
		return claims{}, badToken(err)
	}
	var result claims
	if err := verified.Claims(&result); err != nil {
		return claims{}, badToken(err)
	}
	if err := v.checkPurpose(verified, result); err != nil {
		return claims{}, badToken(err)
	}
	result.expires = verified.Expiry

	v.mutex.Lock()
	defer v.mutex.Unlock()
	if len(v.verified) >= verifiedLimit {
		clear(v.verified)
	}
	v.verified[digest] = result
	return result, nil
}

// checkPurpose refuses tokens that the provider made for somebody else or for another use.
func (v *Verifier) checkPurpose(token *oidc.IDToken, said claims) error {
	ours := []string{v.options.ClientID}
	if v.options.Audience != "" {
		ours = append(ours, v.options.Audience)
	}
	forUs := slices.ContainsFunc(token.Audience, func(audience string) bool { return slices.Contains(ours, audience) }) ||
		slices.Contains(ours, said.AuthorizedFor)
	switch {
	case said.Subject == "":
		return errors.New("no subject")
	case !forUs:
		return errors.New("made for another audience")
	case v.options.RequireTokenUse && said.TokenUse != "access",
		said.TokenUse != "" && said.TokenUse != "access",
		strings.EqualFold(said.Type, "ID"), said.Nonce != "", said.TokenHash != "":
		return errors.New("an ID token is no access token")
	}
	return nil
}

func badToken(cause error) error {
	return fault.Wrap(cause, fault.Unauthenticated, "Your sign-in has expired or is not valid here. Please sign in again.")
}

// tokenVerifier finds the provider, at most once in keyFetchInterval while that fails.
func (v *Verifier) tokenVerifier(ctx context.Context) (*oidc.IDTokenVerifier, error) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	if v.tokens != nil {
		return v.tokens, nil
	}
	if v.discoverErr != nil && v.options.Now().Sub(v.triedAt) < keyFetchInterval {
		return nil, providerFault(v.discoverErr)
	}
	v.triedAt = v.options.Now()
	provider, err := oidc.NewProvider(oidc.ClientContext(ctx, v.options.Client), v.options.Issuer)
	v.discoverErr = err
	if err != nil {
		return nil, providerFault(err)
	}
	var document struct {
		KeysAddress string `json:"jwks_uri"`
	}
	if err := provider.Claims(&document); err != nil {
		return nil, providerFault(err)
	}
	keys := &keySet{address: document.KeysAddress, client: v.options.Client, now: v.options.Now}
	algorithms := make([]string, len(signingAlgorithms))
	for i, algorithm := range signingAlgorithms {
		algorithms[i] = string(algorithm)
	}
	v.tokens = oidc.NewVerifier(v.options.Issuer, keys, &oidc.Config{
		SkipClientIDCheck: true, SupportedSigningAlgs: algorithms, Now: v.options.Now, // checkPurpose looks at the audience
	})
	return v.tokens, nil
}

// Authenticate puts the caller of a request into its context. Without an Authorization header the request stays
// anonymous. With optional, so does one with a bad token.
func (s *Service) Authenticate(request *http.Request, optional bool) (context.Context, error) {
	ctx := request.Context()
	header := request.Header.Get("Authorization")
	if header == "" || optional {
		return ctx, nil
	}
	scheme, token, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") || strings.TrimSpace(token) == "" {
		return ctx, fault.New(fault.Unauthenticated, "The Authorization header must be \"Bearer\" and an access token.")
	}
	caller, err := s.Identify(ctx, strings.TrimSpace(token))
	if err != nil {
		return ctx, err
	}
	return With(ctx, caller), nil
}
