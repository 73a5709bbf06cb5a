package identity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"cairn/internal/fault"

	"github.com/go-jose/go-jose/v4"
)

const (
	keyFetchInterval = 10 * time.Second // an unknown key id causes at most one fetch in this time
	keySetLimit      = 1 << 20          // bytes
)

// keySet verifies signatures with the provider's published keys. Keys once seen go on serving while the provider
// cannot be reached, or is slow; an unknown key id makes it look again, but never more than once in keyFetchInterval.
type keySet struct {
	address string
	client  *http.Client
	now     func() time.Time
	keys    atomic.Pointer[[]jose.JSONWebKey]

	fetching  sync.Mutex
	fetchedAt time.Time
	fetchErr  error
}

var errUnknownKey = errors.New("no key of the provider verifies the signature")

// verify gives what a token says when a key of the provider signed it; an Unavailable fault when the keys cannot be had.
func (set *keySet) verify(ctx context.Context, token string) ([]byte, error) {
	signature, err := jose.ParseSignedCompact(token, signingAlgorithms)
	if err != nil {
		return nil, err
	}
	if payload, ok := set.verifyWithKnown(signature); ok {
		return payload, nil
	}
	if err := set.refresh(ctx); err != nil {
		return nil, providerFault(err)
	}
	if payload, ok := set.verifyWithKnown(signature); ok {
		return payload, nil
	}
	return nil, errUnknownKey
}

func (set *keySet) verifyWithKnown(signature *jose.JSONWebSignature) ([]byte, bool) {
	known := set.keys.Load()
	if known == nil {
		return nil, false
	}
	keyID := signature.Signatures[0].Header.KeyID
	for _, key := range *known {
		if keyID != "" && key.KeyID != keyID {
			continue
		}
		if payload, err := signature.Verify(key); err == nil {
			return payload, true
		}
	}
	return nil, false
}

// refresh fetches the keys unless that was just done, and tells how the last fetch went.
func (set *keySet) refresh(ctx context.Context) error {
	set.fetching.Lock()
	defer set.fetching.Unlock()
	if set.now().Sub(set.fetchedAt) >= keyFetchInterval {
		set.fetchedAt = set.now()
		set.fetchErr = set.fetch(context.WithoutCancel(ctx)) // the answer is for others too, should this caller hang up
	}
	return set.fetchErr
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
	var document struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, keySetLimit)).Decode(&document); err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	keys := make([]jose.JSONWebKey, 0, len(document.Keys))
	for _, text := range document.Keys {
		var key jose.JSONWebKey
		if json.Unmarshal(text, &key) == nil { // keys of unknown kinds are not for us (RFC 7517, section 5)
			keys = append(keys, key)
		}
	}
	set.keys.Store(&keys)
	return nil
}

// providerFault says that sign-ins cannot be checked now: it is not the caller's fault, so it is no 401.
func providerFault(cause error) error {
	unavailable := fault.Wrap(cause, fault.Unavailable, "The identity provider does not answer, so your sign-in cannot be "+
		"checked. Try again in a moment.")
	unavailable.RetryAfter = keyFetchInterval
	return unavailable
}
