package identity_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"cairn/internal/foundation/fault"
)

func TestUnknownKeyIdsCauseNoStormOfFetches(t *testing.T) {
	t.Parallel()
	known, unknown := rsaSigner(t, "known"), rsaSigner(t, "unknown")
	w := newWorld(t, newProvider(t, known))
	w.expectGood(known.sign(t, w.claims()))
	w.clock.advance(time.Minute)

	token := unknown.sign(t, w.claims())
	var callers sync.WaitGroup
	for range 50 {
		callers.Go(func() {
			if _, err := w.identify(token); fault.KindOf(err) != fault.Unauthenticated {
				t.Errorf("got %v, want a refusal", err)
			}
		})
	}
	callers.Wait()
	if keys, _ := w.provider.requests(); keys != 2 {
		t.Errorf("%d key requests, want the first and one for 50 unknown tokens", keys)
	}
	w.clock.advance(9 * time.Second)
	w.expectKind(token, fault.Unauthenticated)
	if keys, _ := w.provider.requests(); keys != 2 {
		t.Errorf("%d key requests, want none within 10 seconds", keys)
	}
	w.clock.advance(2 * time.Second)
	w.expectKind(token, fault.Unauthenticated)
	if keys, _ := w.provider.requests(); keys != 3 {
		t.Errorf("%d key requests, want one more after 10 seconds", keys)
	}
}

func TestManyUnknownKeyIdsCauseNoStormOfFetches(t *testing.T) {
	t.Parallel()
	known := rsaSigner(t, "known")
	w := newWorld(t, newProvider(t, known))
	w.expectGood(known.sign(t, w.claims()))
	w.clock.advance(time.Minute)
	for i := range 20 {
		w.expectKind(ecdsaSigner(t, fmt.Sprint("made up ", i)).sign(t, w.claims()), fault.Unauthenticated)
	}
	if keys, _ := w.provider.requests(); keys > 4 {
		t.Errorf("%d key requests for 20 made-up key ids at once, want the first and three", keys)
	}
}

func TestKeyRotationIsPickedUpAtOnce(t *testing.T) {
	t.Parallel()
	old, fresh := rsaSigner(t, "2025"), ecdsaSigner(t, "2026")
	w := newWorld(t, newProvider(t, old))
	w.expectGood(old.sign(t, w.claims()))
	w.provider.publish(fresh) // just after the keys were fetched
	w.expectGood(fresh.sign(t, w.claims()))
}

func TestKeyRotationIsPickedUp(t *testing.T) {
	t.Parallel()
	old, fresh := rsaSigner(t, "2025"), ecdsaSigner(t, "2026")
	w := newWorld(t, newProvider(t, old))
	w.expectGood(old.sign(t, w.claims()))

	w.provider.publish(fresh)
	w.clock.advance(11 * time.Second)
	w.expectGood(fresh.sign(t, w.claims()))
	w.expectKind(old.sign(t, w.claims("sub", "another")), fault.Unauthenticated)
}

func TestKeysOfUnknownKindsAreLeftOut(t *testing.T) {
	t.Parallel()
	key := rsaSigner(t, "key")
	p := newProvider(t)
	p.keys = []any{map[string]any{"kty": "AKP", "alg": "ML-DSA-44", "kid": "tomorrow", "pub": "eA"}, key.public()}
	w := newWorld(t, p)
	w.expectGood(key.sign(t, w.claims()))
}

func TestKeysOutOfReachAreNoFaultOfTheCaller(t *testing.T) {
	t.Parallel()
	key, other := rsaSigner(t, "key"), rsaSigner(t, "other")
	w := newWorld(t, newProvider(t, key))
	w.expectGood(key.sign(t, w.claims()))
	w.provider.setDown(true)
	w.clock.advance(time.Minute)

	w.expectKind(other.sign(t, w.claims()), fault.Unavailable)
	_, err := w.identify(other.sign(t, w.claims()))
	if found, ok := err.(*fault.Fault); !ok || found.RetryAfter <= 0 {
		t.Errorf("%v says no time to come back", err)
	}
	w.expectGood(key.sign(t, w.claims("sub", "another"))) // known keys still work
	for range 2 * 3 {                                     // as often as fetches are allowed in a burst, and more
		w.clock.advance(time.Second)
		w.expectKind(other.sign(t, w.claims()), fault.Unavailable)
	}

	w.provider.setDown(false)
	w.clock.advance(time.Second)
	w.expectKind(other.sign(t, w.claims()), fault.Unauthenticated)
}

func TestCallerWhoHangsUpSpoilsNothingForOthers(t *testing.T) {
	t.Parallel()
	key := rsaSigner(t, "key")
	w := newWorld(t, newProvider(t, key))
	hold := w.provider.holdKeys()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { _, err := w.service.Identify(ctx, key.sign(t, w.claims())); done <- err }()
	<-hold
	cancel()
	hold <- struct{}{}
	<-done
	w.expectGood(key.sign(t, w.claims()))
}

func TestSlowKeyFetchHoldsNobodyElseUp(t *testing.T) {
	t.Parallel()
	key, unknown := rsaSigner(t, "key"), rsaSigner(t, "unknown")
	w := newWorld(t, newProvider(t, key))
	w.expectGood(key.sign(t, w.claims()))
	w.clock.advance(time.Minute)

	hold := w.provider.holdKeys()
	done := make(chan error)
	go func() { _, err := w.identify(unknown.sign(t, w.claims())); done <- err }()
	<-hold
	w.expectGood(key.sign(t, w.claims("sub", "another"))) // while the other request waits for the provider
	hold <- struct{}{}
	if err := <-done; fault.KindOf(err) != fault.Unauthenticated {
		t.Errorf("got %v, want a refusal", err)
	}
}

func TestDiscoveryIsTriedAgain(t *testing.T) {
	t.Parallel()
	key := rsaSigner(t, "key")
	w := newWorld(t, newProvider(t, key))
	w.provider.setDown(true)
	for range 5 {
		w.expectKind(key.sign(t, w.claims()), fault.Unavailable)
	}
	if _, tries := w.provider.requests(); tries != 1 {
		t.Errorf("%d tries within a second, want 1", tries)
	}
	w.provider.setDown(false)
	w.expectKind(key.sign(t, w.claims()), fault.Unavailable)
	w.clock.advance(time.Second)
	w.expectGood(key.sign(t, w.claims()))
}
