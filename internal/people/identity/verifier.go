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

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/foundation/memory"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"
	"golang.org/x/sync/singleflight"
)

// signingAlgorithms are asymmetric: a token signed with a shared secret, or unsigned, is never accepted.
var signingAlgorithms = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512, jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
}

// TokenMode is how access tokens are checked.
type TokenMode string

// The modes. Opaque tokens need one of the last two.
const (
	ModeJWT           TokenMode = "jwt"           // by signature and claims
	ModeIntrospection TokenMode = "introspection" // by asking the provider (RFC 7662)
	ModeUserinfo      TokenMode = "userinfo"      // by using the token at the provider; the intended audience stays unknown
)

// tokensKept bounds what is remembered of tokens, of their subjects, and of key ids.
const tokensKept = 10_000

// VerifierOptions say which tokens are accepted.
type VerifierOptions struct {
	Issuer          string // exactly as in the discovery document and the tokens
	ClientID        string // accepted as audience or authorized party (azp)
	Audience        string // also accepted as audience; may be empty
	TrustEmail      bool   // e-mails count even if the token doesn't call them verified
	RequireTokenUse bool   // tokens must have token_use=access, as those of the embedded provider do
	Mode            TokenMode
	// The credentials for introspection; ClientID when IntrospectionID is empty.
	IntrospectionID, IntrospectionSecret string
	// Ended reports whether the embedded provider ended a token (jti) or its sign-in (sid) early; nil with other providers.
	Ended  func(tokenID, signIn string) bool
	Client *http.Client
	Now    func() time.Time
}

// Verifier checks access tokens. It discovers the provider at the first token, and retries until that works. It is safe
// for concurrent use.
type Verifier struct {
	options VerifierOptions

	answers  *memory.Cache[[sha256.Size]byte, answer] // by digest of the token
	profiles *memory.Cache[subject, claims]
	asking   singleflight.Group

	mu          sync.Mutex
	found       *providerDocument // nil until discovery succeeds
	triedAt     time.Time
	discoverErr error
}

// answer is a cached result for a token.
type answer struct {
	claims claims
	err    error // Unauthenticated
}

// claims are the claims of a verified access token.
type claims struct {
	Issuer        string `json:"iss"`
	Subject       string `json:"sub"`
	Email         string `json:"email"`
	EmailVerified any    `json:"email_verified"` // some providers send a string
	Name          string `json:"name"`
	SessionID     string `json:"sid"`
	TokenID       any    `json:"jti"` // a string by the standard
	IssuedAt      any    `json:"iat"` // a number by the standard
	TokenUse      string `json:"token_use"`
	Type          string `json:"typ"`
	AuthorizedFor string `json:"azp"`
	ClientID      string `json:"client_id"`
	Nonce         string `json:"nonce"`
	TokenHash     string `json:"at_hash"`

	expires time.Time
	digest  [sha256.Size]byte // of the token
}

// NewVerifier returns a verifier; it contacts nobody yet.
func NewVerifier(options VerifierOptions) *Verifier {
	return &Verifier{
		options: options, answers: memory.New[[sha256.Size]byte, answer](tokensKept, options.Now),
		profiles: memory.New[subject, claims](tokensKept, options.Now),
	}
}

// verify checks an access token: Unauthenticated when it is invalid, Unavailable when that can't be decided now.
func (v *Verifier) verify(ctx context.Context, token string) (claims, error) {
	digest := sha256.Sum256([]byte(token))
	known, generation, ok := v.answers.Get(digest)
	if ok {
		return known.claims, known.err
	}
	// Concurrent requests with the same new token ask the provider once. The answer is for all of them, even if one hangs
	// up.
	found, err, _ := v.asking.Do(string(digest[:]), func() (any, error) {
		said, err := v.askProvider(context.WithoutCancel(ctx), token)
		said.digest = digest
		v.rememberAnswer(digest, said, err, generation)
		return said, err
	})
	said, _ := found.(claims)
	return said, err
}

func (v *Verifier) askProvider(ctx context.Context, token string) (claims, error) {
	provider, err := v.provider(ctx)
	if err != nil {
		return claims{}, err
	}
	var said claims
	switch v.options.Mode {
	case ModeIntrospection:
		said, err = v.introspect(ctx, provider, token)
	case ModeUserinfo:
		said, err = v.askUserinfo(ctx, provider, token)
	default:
		said, err = v.verifyJWT(ctx, provider, token)
	}
	if err == nil && said.Email == "" && v.options.Mode != ModeUserinfo {
		err = v.addProfile(ctx, provider, token, &said)
	}
	return said, err
}

// verifyJWT checks a token with the provider's published keys.
func (v *Verifier) verifyJWT(ctx context.Context, provider *providerDocument, token string) (claims, error) {
	payload, err := provider.keys.verify(ctx, token)
	if err != nil {
		if found, ok := errors.AsType[*fault.Fault](err); ok {
			return claims{}, found
		}
		return claims{}, badToken(err)
	}
	// The library loses the kinds of a key set's errors, so it gets a payload that is already verified, and checks the
	// rest.
	verified, err := oidc.NewVerifier(v.options.Issuer, verifiedPayload(payload), &oidc.Config{
		SkipClientIDCheck: true, SupportedSigningAlgs: algorithmNames(), Now: v.options.Now, // checkPurpose checks the audience
	}).Verify(ctx, token)
	if err != nil {
		return claims{}, badToken(err)
	}
	var result claims
	if err := verified.Claims(&result); err != nil {
		return claims{}, badToken(err)
	}
	if err := v.checkPurpose(verified.Audience, result); err != nil {
		return claims{}, badToken(err)
	}
	result.expires = verified.Expiry
	return result, nil
}

// checkPurpose refuses tokens that the provider issued for somebody else or for another use.
func (v *Verifier) checkPurpose(audience []string, said claims) error {
	ours := []string{v.options.ClientID}
	if v.options.Audience != "" {
		ours = append(ours, v.options.Audience)
	}
	forUs := slices.ContainsFunc(audience, func(one string) bool { return slices.Contains(ours, one) }) ||
		slices.Contains(ours, said.AuthorizedFor) || slices.Contains(ours, said.ClientID)
	switch {
	case said.Subject == "":
		return errors.New("no subject")
	case !forUs:
		return errors.New("made for another audience")
	case v.options.RequireTokenUse && said.TokenUse != "access",
		said.TokenUse != "" && said.TokenUse != "access",
		strings.EqualFold(said.Type, "ID"), said.Nonce != "", said.TokenHash != "":
		return errors.New("an ID token isn't an access token")
	}
	return nil
}

func badToken(cause error) error {
	return fault.Wrap(cause, fault.Unauthenticated, "Your sign-in has expired or isn't valid here. Sign in again.")
}

// providerDocument is the part of the discovery document that is used here.
type providerDocument struct {
	keys          *keySet
	introspection string
	userinfo      string
}

// provider returns the discovery document; while discovery fails, it tries once per keyRetryInterval.
func (v *Verifier) provider(ctx context.Context) (*providerDocument, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.found != nil {
		return v.found, nil
	}
	if v.discoverErr != nil && v.options.Now().Sub(v.triedAt) < keyRetryInterval {
		return nil, providerFault(v.discoverErr)
	}
	v.triedAt = v.options.Now()
	v.found, v.discoverErr = v.discoverProvider(ctx)
	if v.discoverErr != nil {
		return nil, providerFault(v.discoverErr)
	}
	return v.found, nil
}

func (v *Verifier) discoverProvider(ctx context.Context) (*providerDocument, error) {
	provider, err := oidc.NewProvider(oidc.ClientContext(ctx, v.options.Client), v.options.Issuer)
	if err != nil {
		return nil, err
	}
	var document struct {
		KeysAddress   string `json:"jwks_uri"`
		Introspection string `json:"introspection_endpoint"`
		Userinfo      string `json:"userinfo_endpoint"`
	}
	if err := provider.Claims(&document); err != nil {
		return nil, err
	}
	return &providerDocument{
		keys:          newKeySet(document.KeysAddress, v.options.Client, v.options.Now),
		introspection: document.Introspection, userinfo: document.Userinfo,
	}, nil
}

// verifiedPayload is an oidc.KeySet for a token whose signature is already verified.
type verifiedPayload []byte

// VerifySignature implements oidc.KeySet.
func (p verifiedPayload) VerifySignature(context.Context, string) ([]byte, error) { return p, nil }

func algorithmNames() []string {
	names := make([]string, len(signingAlgorithms))
	for i, algorithm := range signingAlgorithms {
		names[i] = string(algorithm)
	}
	return names
}

// Authenticate adds the caller of a request to its context. Without an Authorization header the request stays
// anonymous; with optional, so does one with a bad token.
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
	httpapi.NameAccount(ctx, caller.AccountID)
	return With(ctx, caller), nil
}
