package identity

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"
)

// signIn is the sign-in behind a token, as far as the token says.
type signIn struct {
	digest  string // of its id at the provider, or of the token where that names no id and time
	issued  time.Time
	expires time.Time // zero if unknown
	said    *claims   // in the token; nil for tokens of ours
}

func (c claims) signIn() signIn {
	found := signIn{expires: c.expires, said: &c}
	if seconds, ok := c.IssuedAt.(float64); ok {
		found.issued = time.UnixMicro(int64(seconds * 1e6))
	}
	sum := c.digest
	if c.SessionID != "" && !found.issued.IsZero() {
		sum = sha256.Sum256([]byte("sid " + c.SessionID))
	}
	found.digest = hex.EncodeToString(sum[:])
	return found
}

// ended is when sign-ins of one person ended, by digest: their tokens that were issued before are refused.
type ended map[string]time.Time

func (e ended) includes(one signIn) bool {
	before, ok := e[one.digest]
	return ok && one.issued.Before(before)
}

// refuseEnded returns Unauthenticated for a token whose sign-in has ended.
func (s *Service) refuseEnded(ctx context.Context, said claims) error {
	ids, err := s.store.ended(ctx, subjectKey{said.Issuer, said.Subject})
	if err != nil {
		return err
	}
	tokenID, _ := said.TokenID.(string)
	byProvider := s.verifier.options.Ended
	if ids.includes(said.signIn()) || (byProvider != nil && byProvider(tokenID, said.SessionID)) {
		return badToken(errors.New("signed out"))
	}
	return nil
}

// EndSignIn refuses from now on the access token of the request, and all others that were issued before to the same
// sign-in if the provider names it in tokens (sid); other servers on the database do so within two seconds.
func (s *Service) EndSignIn(ctx context.Context) error {
	caller, ok := From(ctx)
	if !ok || caller.signIn.digest == "" {
		return nil
	}
	return s.store.endSignIn(ctx, caller.AccountID, caller.signIn)
}

// CheckSignIn returns Unauthenticated if the sign-in of a caller, who came with a token some time ago, has ended since, or that token is
// no longer valid. It costs no query as long as nobody signs out.
func (s *Service) CheckSignIn(ctx context.Context, caller Caller) error {
	switch {
	case caller.token != nil:
		return s.CheckToken(ctx, caller.AccountID, caller.token.ID)
	case caller.signIn.said == nil:
		return nil
	case !caller.signIn.expires.IsZero() && !s.verifier.options.Now().Before(caller.signIn.expires):
		return badToken(errors.New("expired"))
	}
	return s.refuseEnded(ctx, *caller.signIn.said)
}
