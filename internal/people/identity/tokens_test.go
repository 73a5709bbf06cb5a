package identity_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
	"cairn/internal/people/identity"
)

// tokenWorld is an enabled account, and two services on one database that follow its feed.
type tokenWorld struct {
	*testing.T
	db       *sqldb.DB
	clock    *clock
	stores   [2]*identity.Store
	services [2]*identity.Service
	owner    context.Context
}

func eachToken(t *testing.T, test func(w *tokenWorld)) {
	t.Helper()
	now := &clock{now: time.Date(2026, 3, 1, 12, 30, 0, 0, time.UTC)}
	sqldbtest.EachAt(t, now.Now, func(t *testing.T, db *sqldb.DB) {
		w := &tokenWorld{T: t, db: db, clock: now}
		for i := range w.services {
			w.stores[i] = identity.NewStore(db)
			feed := sqldb.NewFeed(db, slog.New(slog.DiscardHandler))
			w.stores[i].Follow(feed)
			go feed.Run(t.Context())
			w.services[i] = identity.NewService(w.stores[i], nil, identity.Policy{Auto: true})
		}
		w.owner = w.as("ada@example.org")
		test(w)
	})
}

// as returns the context of a request of somebody who has signed in.
func (w *tokenWorld) as(email string) context.Context {
	w.Helper()
	account, err := w.stores[0].See(w.Context(), "https://a", email, email, "Ada")
	if err != nil {
		w.Fatal(err)
	}
	caller, err := w.services[0].Account(w.Context(), account.ID)
	if err != nil {
		w.Fatal(err)
	}
	return identity.With(w.Context(), caller)
}

func (w *tokenWorld) create(days int, scopes ...identity.Scope) (identity.AccessToken, string) {
	w.Helper()
	token, secret, err := w.services[0].CreateToken(w.owner, " Laptop ", scopes, days)
	if err != nil {
		w.Fatal(err)
	}
	return token, secret
}

// expectRefused waits until a service refuses a token with a sentence that contains a text.
func (w *tokenWorld) expectRefused(service int, secret, text string) {
	w.Helper()
	deadline := time.After(time.Minute)
	for {
		_, err := w.services[service].Identify(w.Context(), secret)
		if fault.KindOf(err) == fault.Unauthenticated && strings.Contains(fault.MessageOf(err), text) {
			return
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-deadline:
			w.Fatalf("the token isn't refused with %q: %v", text, err)
		}
	}
}

func (w *tokenWorld) expectGood(service int, secret string) identity.Caller {
	w.Helper()
	caller, err := w.services[service].Identify(w.Context(), secret)
	if err != nil {
		w.Fatal(err)
	}
	return caller
}

func TestATokenIsItsAccountWithoutOperatorRights(t *testing.T) {
	eachToken(t, func(w *tokenWorld) {
		if err := w.stores[0].Decide(w.Context(), []identity.Grant{{Email: "ada@example.org", Enabled: true, Role: identity.RoleOperator}}, false); err != nil {
			t.Fatal(err)
		}
		_, secret := w.create(90, identity.ScopeRun, identity.ScopeRead)
		caller := w.expectGood(1, secret)
		if caller.Email != "ada@example.org" || !caller.Enabled || caller.Operator {
			t.Errorf("got %+v", caller)
		}
		ctx := identity.With(w.Context(), caller)
		if !identity.ByToken(ctx) || identity.ByToken(w.owner) {
			t.Error("who came with a token isn't told")
		}
		for scope, want := range map[identity.Scope]fault.Code{identity.ScopeRead: "", identity.ScopeRun: "", identity.ScopeWrite: fault.TokenScope, "": fault.TokenScope} {
			err := identity.Permit(ctx, scope)
			if (err == nil) != (want == "") || (err != nil && fault.CodeOf(err) != want) {
				t.Errorf("%q: %v", scope, err)
			}
			if err := identity.Permit(w.owner, scope); err != nil {
				t.Errorf("somebody who signed in is refused: %v", err)
			}
		}
		if text := fault.MessageOf(identity.Permit(ctx, identity.ScopeWrite)); !strings.Contains(text, `"write"`) || !strings.Contains(text, "read, run") {
			t.Errorf("the sentence names no scopes: %s", text)
		}
	})
}

func TestTokensEnd(t *testing.T) {
	eachToken(t, func(w *tokenWorld) {
		revoked, secret := w.create(1, identity.ScopeRead)
		created, lasting := w.create(90, identity.ScopeRead)
		w.expectGood(1, secret)
		if err := w.services[0].RevokeToken(w.as("eve@example.org"), revoked.ID); fault.KindOf(err) != fault.NotFound {
			t.Errorf("somebody else revoked it: %v", err)
		}
		if err := w.services[0].RevokeToken(w.owner, revoked.ID); err != nil {
			t.Fatal(err)
		}
		w.expectRefused(0, secret, "revoked")
		w.expectRefused(1, secret, "revoked")

		w.expectGood(1, lasting)
		for _, enabled := range []bool{false, true} {
			grant := identity.Grant{Email: "ada@example.org", Enabled: enabled, Role: identity.RoleUser}
			if err := w.stores[0].Decide(w.Context(), []identity.Grant{grant}, false); err != nil {
				t.Fatal(err)
			}
			if !enabled {
				w.expectRefused(1, lasting, "disabled")
			}
		}
		w.expectGood(0, lasting)

		w.clock.advance(90*24*time.Hour - time.Second)
		w.expectGood(0, lasting)
		w.clock.advance(time.Second)
		w.expectRefused(0, lasting, "expired on "+created.ExpiresAt.Format("January 2, 2006"))
		list, total, err := w.services[0].Tokens(w.owner, 0, 50)
		if err != nil || total != 1 || !list[0].Expired {
			t.Errorf("an expired token isn't listed as such: %v %v", list, err)
		}
		w.clock.advance(31 * 24 * time.Hour)
		if _, total, err := w.services[0].Tokens(w.owner, 0, 50); total != 0 || err != nil {
			t.Errorf("it stays forever: %d %v", total, err)
		}
		for _, bad := range []string{"cairn_pat_", "cairn_pat_" + strings.Repeat("a", 43), "cairn_pat_" + strings.Repeat("é", 43), lasting + "x"} {
			w.expectRefused(0, bad, "isn't valid here")
		}
	})
}

func TestTheLastUseIsKnownToTheHour(t *testing.T) {
	eachToken(t, func(w *tokenWorld) {
		_, secret := w.create(90, identity.ScopeRead)
		used := func() *time.Time {
			list, _, err := w.services[0].Tokens(w.owner, 0, 50)
			if err != nil || len(list) != 1 {
				t.Fatal(list, err)
			}
			return list[0].LastUsedAt
		}
		if used() != nil {
			t.Error("it was used before its first use")
		}
		seen := w.expectGood(0, secret).SeenAt
		hour := w.clock.Now().Truncate(time.Hour)
		if at := used(); at == nil || !at.Equal(hour) {
			t.Errorf("used at %v, want %v", at, hour)
		}
		w.clock.advance(2 * time.Hour)
		w.expectGood(0, secret)
		if at := used(); at == nil || !at.Equal(hour.Add(2*time.Hour)) {
			t.Errorf("used at %v, want %v", at, hour.Add(2*time.Hour))
		}
		if now, err := w.services[0].Account(w.Context(), w.expectGood(0, secret).AccountID); err != nil || !now.SeenAt.Equal(seen) {
			t.Errorf("a token counts as a sign-in: %v, %v", now.SeenAt, err)
		}
	})
}

func TestWhatATokenMayBe(t *testing.T) {
	eachToken(t, func(w *tokenWorld) {
		read := []identity.Scope{identity.ScopeRead}
		for name, bad := range map[string]struct {
			name   string
			scopes []identity.Scope
			days   int
		}{
			"no name": {" ", read, 90}, "a long name": {strings.Repeat("é", 101), read, 90}, "a line feed": {"a\nb", read, 90},
			"no scope": {"a", nil, 90}, "an unknown scope": {"a", []identity.Scope{"operate"}, 90}, "a scope twice": {"a", append(read, read...), 90},
			"no day": {"a", read, 0}, "too many days": {"a", read, 366},
		} {
			if _, _, err := w.services[0].CreateToken(w.owner, bad.name, bad.scopes, bad.days); fault.KindOf(err) != fault.Invalid {
				t.Errorf("%s: %v", name, err)
			}
		}
		secrets := map[string]bool{}
		for range 50 {
			_, secret := w.create(365, identity.ScopeWrite)
			secrets[secret] = true
		}
		if len(secrets) != 50 {
			t.Errorf("%d different secrets of 50", len(secrets))
		}
		if _, _, err := w.services[0].CreateToken(w.owner, strings.Repeat("é", 100), read, 1); fault.KindOf(err) != fault.Conflict || !strings.Contains(fault.MessageOf(err), "50") {
			t.Errorf("one too many: %v", err)
		}
		list, total, err := w.services[0].Tokens(w.owner, 40, 20)
		if err != nil || total != 50 || len(list) != 10 || list[0].Name != "Laptop" {
			t.Errorf("%d of %d: %v", len(list), total, err)
		}
		if others, total, err := w.services[0].Tokens(w.as("eve@example.org"), 0, 50); total != 0 || len(others) != 0 || err != nil {
			t.Errorf("somebody else sees %d", total)
		}
		for secret := range secrets { // neither the table nor the audit has one
			for _, column := range []string{"access_token.digest", "access_token.name", "audit_record.changes", "audit_inbox.changes"} {
				table, _, _ := strings.Cut(column, ".")
				var found int
				query := fmt.Sprintf(`SELECT count(*) FROM %s WHERE %s LIKE $1`, table, column)
				if err := w.db.QueryRowContext(w.Context(), query, "%"+strings.TrimPrefix(secret, "cairn_pat_")+"%").Scan(&found); err != nil || found != 0 {
					t.Fatalf("%s holds a secret: %d %v", column, found, err)
				}
			}
		}
	})
}
