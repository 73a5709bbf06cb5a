package identity_test

import (
	"context"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
	"cairn/internal/people/identity"
)

// eachPair runs a test with two services that follow one database, as two servers do.
func eachPair(t *testing.T, test func(t *testing.T, here, there *world, key signer, db *sqldb.DB)) {
	t.Helper()
	key := ecdsaSigner(t, "key")
	here := newWorld(t, newProvider(t, key))
	sqldbtest.EachAt(t, here.clock.Now, func(t *testing.T, db *sqldb.DB) {
		pair := [2]*world{}
		for i := range pair {
			store := identity.NewStore(db)
			feed := sqldb.NewFeed(db, slog.New(slog.DiscardHandler))
			store.Follow(feed)
			go feed.Run(t.Context())
			pair[i] = &world{t: t, provider: here.provider, clock: here.clock}
			pair[i].service = identity.NewService(store, identity.NewVerifier(identity.VerifierOptions{
				Issuer: here.provider.server.URL, ClientID: clientID, Client: &http.Client{Timeout: time.Minute}, Now: here.clock.Now,
			}), identity.Policy{})
		}
		test(t, pair[0], pair[1], key, db)
	})
}

// signOut ends the sign-in of a token.
func (w *world) signOut(token string) {
	w.t.Helper()
	if err := w.service.EndSignIn(identity.With(context.Background(), w.expectGood(token))); err != nil {
		w.t.Fatal(err)
	}
}

// expectRefusedSoon waits until another server knows that a token has ended.
func (w *world) expectRefusedSoon(token string) {
	w.t.Helper()
	deadline := time.After(time.Minute)
	for {
		_, err := w.identify(token)
		if fault.KindOf(err) == fault.Unauthenticated {
			return
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-deadline:
			w.t.Fatalf("the token is accepted still (%v)", err)
		}
	}
}

func TestTokensEndWithTheirSignIn(t *testing.T) {
	t.Parallel()
	eachPair(t, func(t *testing.T, here, there *world, key signer, db *sqldb.DB) {
		earlier := key.sign(t, here.claims("jti", "earlier"))
		here.clock.advance(time.Minute)
		presented := key.sign(t, here.claims("jti", "presented", "email", "ada@new.example"))
		elsewhere := key.sign(t, here.claims("sid", "login-2"))
		stranger := key.sign(t, here.claims("sub", "subject-2", "email", "bob@example.org"))
		for _, token := range []string{earlier, presented, elsewhere, stranger} {
			here.expectGood(token)
			there.expectGood(token)
		}
		here.signOut(presented)
		for _, token := range []string{presented, earlier} {
			here.expectKind(token, fault.Unauthenticated)
			there.expectRefusedSoon(token)
		}
		for _, w := range []*world{here, there} {
			w.expectGood(stranger)
			w.expectGood(elsewhere)
		}
		here.clock.advance(time.Second)
		again := key.sign(t, here.claims()) // the provider kept the sign-in
		here.expectGood(again)
		there.expectGood(again)
		here.signOut(again)
		there.expectRefusedSoon(again)
	})
}

// Many providers name no sign-in in their tokens, or say no time: then the token itself ends.
func TestTokensWithoutASignInEndAlone(t *testing.T) {
	t.Parallel()
	eachPair(t, func(t *testing.T, here, there *world, key signer, db *sqldb.DB) {
		for name, pairs := range map[string][]any{
			"no sid": {"sid", nil}, "no time": {"iat", nil}, "neither": {"sid", nil, "iat", nil}, "ahead": {"iat", here.clock.Now().Add(time.Minute).Unix()},
		} {
			token := key.sign(t, here.claims(append(pairs, "jti", name)...))
			other := key.sign(t, here.claims("sid", nil, "jti", "other than "+name))
			here.signOut(token)
			here.expectKind(token, fault.Unauthenticated)
			there.expectRefusedSoon(token)
			here.expectGood(other)
		}
	})
}

// An old token says an old e-mail, which must not replace the new one.
func TestEndedTokensChangeNothing(t *testing.T) {
	t.Parallel()
	eachPair(t, func(t *testing.T, here, _ *world, key signer, db *sqldb.DB) {
		old := key.sign(t, here.claims("email", "old@example.org"))
		here.signOut(old)
		here.clock.advance(time.Hour - time.Second)
		current := here.expectGood(key.sign(t, here.claims("sid", "login-2", "email", "new@example.org")))
		here.expectKind(old, fault.Unauthenticated)
		if stored, err := here.service.Account(t.Context(), current.AccountID); err != nil || stored.Email != "new@example.org" {
			t.Errorf("got %+v, %v", stored, err)
		}
	})
}

func TestEndedSignInsAreForgottenWithTheirTokens(t *testing.T) {
	t.Parallel()
	eachPair(t, func(t *testing.T, here, _ *world, key signer, db *sqldb.DB) {
		long := key.sign(t, here.claims("sid", "long", "exp", here.clock.Now().Add(30*24*time.Hour).Unix()))
		here.signOut(long)
		here.signOut(key.sign(t, here.claims("sid", "short")))
		here.clock.advance(25 * time.Hour)
		here.signOut(key.sign(t, here.claims("sid", "next day")))
		here.expectKind(long, fault.Unauthenticated)
		var count int
		if err := db.QueryRowContext(t.Context(), `SELECT count(*) FROM ended_sign_in`).Scan(&count); err != nil || count != 2 {
			t.Errorf("%d are kept, %v; want the long one and the next day's", count, err)
		}
	})
}

// What goes on after its request, such as a stream, ends with the sign-in, and with the token.
func TestSignInsOfEarlierRequestsEnd(t *testing.T) {
	eachPair(t, func(t *testing.T, here, there *world, key signer, _ *sqldb.DB) {
		first, second := key.sign(t, here.claims("sid", "first")), key.sign(t, here.claims("sid", "second"))
		signedOut, stays := here.expectGood(first), here.expectGood(second)
		for _, caller := range []identity.Caller{signedOut, stays, {AccountID: stays.AccountID}} {
			if err := here.service.CheckSignIn(t.Context(), caller); err != nil {
				t.Errorf("a sign-in has ended: %v", err)
			}
		}
		there.signOut(first)
		here.expectRefusedSoon(first)
		if err := here.service.CheckSignIn(t.Context(), signedOut); fault.KindOf(err) != fault.Unauthenticated {
			t.Errorf("after signing out: %v", err)
		}
		if err := here.service.CheckSignIn(t.Context(), stays); err != nil {
			t.Errorf("the other sign-in has ended too: %v", err)
		}
		here.clock.advance(2 * time.Hour)
		if err := here.service.CheckSignIn(t.Context(), stays); fault.KindOf(err) != fault.Unauthenticated {
			t.Errorf("after the end of the token: %v", err)
		}
	})
}
