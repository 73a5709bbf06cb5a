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

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/memory"

	"github.com/go-jose/go-jose/v4"
	"golang.org/x/time/rate"
)

const (
	keyFetchInterval = 10 * time.Second // one unknown key id causes at most one fetch in this time
	keyRetryInterval = time.Second      // between two tries while the provider doesn't answer
	keyFetchBurst    = 3                // further fetches allowed in a burst, so that a rotation of keys is noticed immediately
	keySetLimit      = 1 << 20          // bytes
)

// keySet verifies signatures with the provider's published keys. Known keys stay in use while the provider can't be
// reached or is slow. An unknown key id triggers a fetch: for the same id once per keyFetchInterval, and for all ids
// together keyFetchBurst times and then once per keyFetchInterval, so that made-up ids can't flood the provider. A fetch that failed is
// tried again after keyRetryInterval and counts as none of these: nobody is signed out because the provider was away.
type keySet struct {
	address string
	client  *http.Client
	now     func() time.Time
	keys    atomic.Pointer[[]jose.JSONWebKey]

	fetching  sync.Mutex
	allowance *rate.Limiter
	missing   *memory.Cache[string, struct{}] // the ids that a fetch brought no key of
	fetchedAt time.Time
	fetchErr  error
}

func newKeySet(address string, client *http.Client, now func() time.Time) *keySet {
	return &keySet{
		address: address, client: client, now: now, missing: memory.New[string, struct{}](tokensKept, now),
		allowance: rate.NewLimiter(rate.Every(keyFetchInterval), keyFetchBurst),
	}
}

var errUnknownKey = errors.New("no key of the provider verifies the signature")

// verify returns the payload of a token that is signed with a key of the provider; Unavailable when the keys can't be
// fetched.
func (set *keySet) verify(ctx context.Context, token string) ([]byte, error) {
	signature, err := jose.ParseSignedCompact(token, signingAlgorithms)
	if err != nil {
		return nil, err
	}
	if payload, ok := set.verifyWithKnown(signature); ok {
		return payload, nil
	}
	return set.refresh(ctx, signature)
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

// refresh fetches the keys, unless that has just failed, and tries again.
func (set *keySet) refresh(ctx context.Context, signature *jose.JSONWebSignature) ([]byte, error) {
	set.fetching.Lock()
	defer set.fetching.Unlock()
	if payload, ok := set.verifyWithKnown(signature); ok { // fetched while this caller waited
		return payload, nil
	}
	now, keyID := set.now(), signature.Signatures[0].Header.KeyID
	_, generation, missing := set.missing.Get(keyID)
	switch {
	case set.fetchErr != nil && now.Sub(set.fetchedAt) < keyRetryInterval:
		return nil, providerFault(set.fetchErr)
	case set.fetchErr == nil && (missing || !set.allowance.AllowN(now, 1)):
		return nil, errUnknownKey
	}
	set.fetchedAt = now
	set.fetchErr = set.fetch(context.WithoutCancel(ctx)) // the answer is for others too, even if this caller hangs up
	if set.fetchErr != nil {
		return nil, providerFault(set.fetchErr)
	}
	if payload, ok := set.verifyWithKnown(signature); ok {
		return payload, nil
	}
	set.missing.Put(keyID, struct{}{}, now.Add(keyFetchInterval), generation)
	return nil, errUnknownKey
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
		if json.Unmarshal(text, &key) == nil { // unknown kinds of keys are ignored (RFC 7517, section 5)
			keys = append(keys, key)
		}
	}
	set.keys.Store(&keys)
	return nil
}

// providerFault says that sign-ins can't be verified now. That isn't the caller's fault, so it isn't a 401.
func providerFault(cause error) error {
	unavailable := fault.Wrap(cause, fault.ProviderUnavailable, "The identity provider isn't responding, so your sign-in can't be "+
		"checked. You're still signed in. Try again in a moment.")
	unavailable.RetryAfter = keyRetryInterval
	return unavailable
}
