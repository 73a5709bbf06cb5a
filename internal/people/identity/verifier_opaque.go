package identity

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"cairn/internal/foundation/fault"
)

const (
	opaqueLifetime  = 30 * time.Second // how long a token may be accepted after it was revoked at the provider
	refusedLifetime = 10 * time.Second // how long a refused token is refused without asking again
	profileLifetime = 5 * time.Minute
	answerLimit     = 1 << 20 // bytes
)

// subject identifies a person at a provider.
type subject struct{ issuer, id string }

// rememberAnswer caches what the provider said about a token: JWTs until they expire, opaque tokens and refusals briefly.
// Undecided tokens are checked again.
func (v *Verifier) rememberAnswer(digest [sha256.Size]byte, said claims, err error, generation uint64) {
	now := v.options.Now()
	opaque := v.options.Mode == ModeIntrospection || v.options.Mode == ModeUserinfo
	switch {
	case err == nil && opaque && (said.expires.IsZero() || said.expires.Sub(now) > opaqueLifetime):
		v.answers.Put(digest, answer{claims: said}, now.Add(opaqueLifetime), generation)
	case err == nil:
		v.answers.Put(digest, answer{claims: said}, said.expires, generation)
	case (opaque || said.Subject != "") && fault.KindOf(err) == fault.Unauthenticated: // the provider was asked
		v.answers.Put(digest, answer{err: err}, now.Add(refusedLifetime), generation)
	}
}

// introspect asks the provider whether a token is active, and whose it is (RFC 7662).
func (v *Verifier) introspect(ctx context.Context, provider *providerDocument, token string) (claims, error) {
	if provider.introspection == "" {
		return claims{}, providerFault(errors.New("the provider has no introspection endpoint"))
	}
	form := url.Values{"token": {token}, "token_type_hint": {"access_token"}}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, provider.introspection, strings.NewReader(form.Encode()))
	if err != nil {
		return claims{}, err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	id := v.options.IntrospectionID
	if id == "" {
		id = v.options.ClientID
	}
	// RFC 6749, 2.3.1: both parts are form-encoded before they become a basic header.
	request.SetBasicAuth(url.QueryEscape(id), url.QueryEscape(v.options.IntrospectionSecret))
	var said struct {
		claims

		Active   bool     `json:"active"`
		Audience audience `json:"aud"`
		Expires  int64    `json:"exp"`
	}
	status, err := v.fetchJSON(request, &said)
	switch {
	case err != nil:
		return claims{}, providerFault(err)
	case status != http.StatusOK: // 401 here is about our own secret, so it isn't the caller's fault
		return claims{}, providerFault(fmt.Errorf("introspection answered %d", status))
	case !said.Active:
		return claims{}, badToken(errors.New("the provider says that it is not active"))
	case said.Issuer != "" && said.Issuer != v.options.Issuer:
		return claims{}, badToken(errors.New("made by another issuer"))
	}
	if err := v.checkPurpose(said.Audience, said.claims); err != nil {
		return claims{}, badToken(err)
	}
	said.Issuer = v.options.Issuer
	if said.Expires != 0 {
		said.expires = time.Unix(said.Expires, 0)
		if !v.options.Now().Before(said.expires) {
			return claims{}, badToken(errors.New("expired"))
		}
	}
	return said.claims, nil
}

// audience is the aud claim, a string or a list of strings.
type audience []string

// UnmarshalJSON accepts both forms.
func (a *audience) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*a = audience{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(a))
}

// askUserinfo calls the provider's userinfo endpoint with a token: the person described there is the caller.
func (v *Verifier) askUserinfo(ctx context.Context, provider *providerDocument, token string) (claims, error) {
	if provider.userinfo == "" {
		return claims{}, providerFault(errors.New("the provider has no userinfo endpoint"))
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, provider.userinfo, nil)
	if err != nil {
		return claims{}, err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	var said claims
	status, err := v.fetchJSON(request, &said)
	switch {
	case err != nil:
		return claims{}, providerFault(err)
	case status == http.StatusUnauthorized || status == http.StatusForbidden || status == http.StatusBadRequest:
		return claims{}, badToken(fmt.Errorf("userinfo answered %d", status))
	case status != http.StatusOK:
		return claims{}, providerFault(fmt.Errorf("userinfo answered %d", status))
	case said.Subject == "":
		return claims{}, providerFault(errors.New("userinfo names no subject"))
	}
	said.Issuer = v.options.Issuer
	return said, nil
}

// addProfile fetches the e-mail and name that a token lacks, and caches them per subject.
func (v *Verifier) addProfile(ctx context.Context, provider *providerDocument, token string, said *claims) error {
	if provider.userinfo == "" {
		return nil
	}
	who := subject{said.Issuer, said.Subject}
	profile, generation, ok := v.profiles.Get(who)
	if !ok {
		var err error
		if profile, err = v.askUserinfo(ctx, provider, token); err != nil {
			return err
		}
		if profile.Subject != said.Subject { // OpenID Connect Core, 5.3.2
			return badToken(errors.New("userinfo describes somebody else"))
		}
		v.profiles.Put(who, profile, v.options.Now().Add(profileLifetime), generation)
	}
	said.Email, said.EmailVerified = profile.Email, profile.EmailVerified
	if said.Name == "" {
		said.Name = profile.Name
	}
	return nil
}

func (v *Verifier) fetchJSON(request *http.Request, target any) (status int, err error) {
	request.Header.Set("Accept", "application/json")
	response, err := v.options.Client.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return response.StatusCode, nil
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, answerLimit)).Decode(target); err != nil {
		return 0, fmt.Errorf("%s: %w", request.URL.Path, err)
	}
	return response.StatusCode, nil
}
