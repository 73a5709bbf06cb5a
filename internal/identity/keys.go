package identity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"cairn/internal/fault"

	"github.com/go-jose/go-jose/v4"
)

const (
	keyFetchInterval = 10 * time.Second // an unknown key id causes at most one fetch in this time
	keySetLimit      = 1 << 20          // bytes
)

// keySet verifies signatures with the provider's published keys. Keys once seen go on serving while the provider
// cannot be reached; an unknown key id makes it look again, but never more than once in keyFetchInterval.
type keySet struct {
	address string
	client  *http.Client
	now     func() time.Time

	mutex     sync.Mutex
	keys      jose.JSONWebKeySet
	fetchedAt time.Time
	fetchErr  error
}

var errUnknownKey = errors.New("no key of the provider verifies the signature")

// VerifySignature implements oidc.KeySet.
func (set *keySet) VerifySignature(ctx context.Context, token string) ([]byte, error) {
	signature, err := jose.ParseSigned(token, signingAlgorithms)
	if err != nil {
		return nil, err
	}
	keyID := signature.Signatures[0].Header.KeyID

	set.mutex.Lock()
	defer set.mutex.Unlock()
	if payload, ok := set.verify(signature, keyID); ok {
		return payload, nil
	}
	if set.now().Sub(set.fetchedAt) >= keyFetchInterval {
		set.fetchedAt = set.now()
		set.fetchErr = set.fetch(ctx)
		if payload, ok := set.verify(signature, keyID); ok {
			return payload, nil
		}
	}
	if set.fetchErr != nil {
		return nil, providerFault(set.fetchErr)
	}
	return nil, errUnknownKey
}

func (set *keySet) verify(signature *jose.JSONWebSignature, keyID string) ([]byte, bool) {
	for _, key := range set.keys.Keys {
		if keyID != "" && key.KeyID != keyID {
			continue
		}
		if payload, err := signature.Verify(key); err == nil {
			return payload, true
		}
	}
	return nil, false
}

func (set *keySet) fetch(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, set.address, nil)
	if err != nil {
		return err
	}
	response, err := set.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("keys: %s", response.Status)
	}
	var keys jose.JSONWebKeySet
	if err := json.NewDecoder(io.LimitReader(response.Body, keySetLimit)).Decode(&keys); err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	set.keys = keys
	return nil
}

// providerFault says that sign-ins cannot be checked now: it is not the caller's fault, so it is no 401.
func providerFault(cause error) error {
	unavailable := fault.Wrap(cause, fault.Unavailable, "The identity provider does not answer, so your sign-in cannot be "+
		"checked. Try again in a moment.")
	unavailable.RetryAfter = keyFetchInterval
	return unavailable
}
