package main

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"fmt"

	"github.com/go-jose/go-jose/v3"
	"github.com/ory/fosite/token/jwt"
)

// keys sign and verify tokens. The newest one signs; old ones verify for ever here, whether others still see them or not.
type keys struct {
	jwt.DefaultSigner
	all       []jose.JSONWebKey
	published int // how many of the newest others see
}

func newKeys() (*keys, error) {
	k := &keys{}
	k.GetPrivateKey = func(context.Context) (any, error) { return k.all[len(k.all)-1], nil }
	return k, k.rotate(false)
}

// rotate signs with a new key from now on, and hides the old ones if asked to.
func (k *keys) rotate(hide bool) error {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	k.all = append(k.all, jose.JSONWebKey{
		Key: key, KeyID: fmt.Sprintf("key-%d", len(k.all)+1), Algorithm: string(jose.RS256), Use: "sig",
	})
	k.published++
	if hide {
		k.published = 1
	}
	return nil
}

// public is the document of the keys endpoint, the newest key first.
func (k *keys) public() jose.JSONWebKeySet {
	var set jose.JSONWebKeySet
	for i := range k.published {
		set.Keys = append(set.Keys, k.all[len(k.all)-1-i].Public())
	}
	return set
}

// Decode implements jwt.Signer for tokens of every key.
func (k *keys) Decode(_ context.Context, token string) (*jwt.Token, error) {
	return jwt.Parse(token, func(parsed *jwt.Token) (any, error) {
		for _, key := range k.all {
			if key.KeyID == parsed.Header["kid"] {
				return key.Public().Key, nil
			}
		}
		return nil, errors.New("no key of this provider")
	})
}

// Validate implements jwt.Signer for tokens of every key.
func (k *keys) Validate(ctx context.Context, token string) (string, error) {
	if _, err := k.Decode(ctx, token); err != nil {
		return "", err
	}
	return k.GetSignature(ctx, token)
}
