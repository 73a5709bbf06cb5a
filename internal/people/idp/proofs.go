package idp

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-jose/go-jose/v4"
)

// refreshToken returns the token of a generation. Tokens aren't stored: the MAC proves that this provider issued them.
func (p *Provider) refreshToken(id string, generation int) string {
	plain := id + "." + strconv.Itoa(generation)
	return plain + "." + p.mac("refresh", plain)
}

// parseRefreshToken parses a token from refreshToken; ok is false for anything else.
func (p *Provider) parseRefreshToken(token string) (id string, generation int, ok bool) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 || !p.macMatches(parts[2], "refresh", parts[0]+"."+parts[1]) {
		return "", 0, false
	}
	generation, err := strconv.Atoi(parts[1])
	return parts[0], generation, err == nil
}

// mac authenticates words with the provider's key; the first word names the purpose.
func (p *Provider) mac(words ...string) string {
	sum := hmac.New(sha256.New, p.macKey)
	for _, word := range words {
		_, _ = fmt.Fprintf(sum, "%d:%s", len(word), word)
	}
	return base64.RawURLEncoding.EncodeToString(sum.Sum(nil))
}

func (p *Provider) macMatches(given string, words ...string) bool {
	return hmac.Equal([]byte(given), []byte(p.mac(words...)))
}

// claims are the claims of our own tokens that are used here.
type claims struct {
	Issuer          string `json:"iss"`
	Subject         string `json:"sub"`
	AuthorizedParty string `json:"azp"`
	ID              string `json:"jti"`
	SID             string `json:"sid"`
	TokenUse        string `json:"token_use"`
	Expiry          int64  `json:"exp"`
}

// verify parses a token that this provider signed, expired or not. It reads nothing before the signature is checked,
// because the library's own parser trusts the shape of unverified claims.
func (p *Provider) verify(token string) (claims, error) {
	var read claims
	signed, err := jose.ParseSigned(token, []jose.SignatureAlgorithm{jose.RS256})
	if err != nil {
		return read, err
	}
	payload, err := signed.Verify(&p.key.private.PublicKey)
	if err != nil {
		return read, err
	}
	if err := json.Unmarshal(payload, &read); err != nil {
		return read, err
	}
	if read.Issuer != p.options.Issuer {
		return read, errors.New("the token is of another issuer")
	}
	return read, nil
}
