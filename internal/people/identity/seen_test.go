package identity

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

var ada = subjectKey{"https://id.example.org", "ada"}

func seenBy(t *testing.T, store *Store) Account {
	t.Helper()
	account, err := store.See(t.Context(), ada.issuer, ada.subject, "ada@example.org", "Ada")
	if err != nil {
		t.Fatal(err)
	}
	return account
}

// follow makes a store follow changes and waits until it trusts its cache.
func follow(t *testing.T, store *Store) {
	t.Helper()
	feed := sqldb.NewFeed(store.db, slog.New(slog.DiscardHandler))
	store.Follow(feed)
	go feed.Run(t.Context())
	eventually(t, "the account is remembered", func() bool {
		seenBy(t, store)
		if _, err := store.ended(t.Context(), ada); err != nil {
			t.Fatal(err)
		}
		_, _, ok := store.seen.get(ada)
		_, _, ended := recall(store.seen, store.seen.ended, ada)
		return ok && ended
	})
}

func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	deadline := time.After(30 * time.Second)
	for !condition() {
		select {
		case <-time.After(5 * time.Millisecond):
		case <-deadline:
			t.Fatalf("waited in vain until %s", what)
		}
	}
}

// Two stores on one database stand for two processes: one sees the other's decision although it has cached the account.
func TestRememberedAccountsFollowDecisionsOfOtherProcesses(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		here, there := NewStore(db), NewStore(db)
		follow(t, here)
		if err := there.Decide(t.Context(), []Grant{{Email: "ada@example.org", Enabled: true, Role: RoleOperator}}, false); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the decision is seen", func() bool { return seenBy(t, here).Grant != nil })
		if err := here.Decide(t.Context(), []Grant{{Email: "ada@example.org", Enabled: false, Role: RoleUser}}, false); err != nil {
			t.Fatal(err)
		}
		if account := seenBy(t, here); account.Grant == nil || account.Grant.Enabled {
			t.Errorf("an own decision counts at once: got %+v", account.Grant)
		}
	})
}

func TestRememberedAccountsCostNoQuery(t *testing.T) {
	t.Parallel()
	db := sqldbtest.SQLite(t, time.Now)
	store := NewStore(db)
	follow(t, store)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if account := seenBy(t, store); account.Email != "ada@example.org" {
		t.Errorf("got %+v", account)
	}
	if ended, err := store.ended(t.Context(), ada); err != nil || len(ended) != 0 {
		t.Errorf("got %v, %v", ended, err)
	}
	store.seen.mu.Lock()
	store.seen.trusted = time.Now()
	store.seen.mu.Unlock()
	if _, err := store.See(t.Context(), ada.issuer, ada.subject, "ada@example.org", "Ada"); err == nil {
		t.Error("nobody could follow for too long, and still the account is answered from memory")
	}
	if _, err := store.ended(t.Context(), ada); err == nil {
		t.Error("nobody could follow for too long, and still a sign-out is looked for in memory")
	}
}

// One person's clients may spell the name differently, and one of them may have neither name nor e-mail.
func TestSpellingsOfANameForgetNothing(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		store := NewStore(db)
		service := NewService(store, nil, Policy{Domains: []string{"example.org"}})
		changes := func() (count int64) {
			t.Helper()
			if err := db.QueryRowContext(t.Context(), `SELECT seq FROM counter WHERE name = 'accounts'`).Scan(&count); err != nil {
				t.Fatal(err)
			}
			return count
		}
		see := func(email, name, want string) {
			t.Helper()
			see := store.See
			if email == "" {
				see = func(ctx context.Context, issuer, subject, _, name string) (Account, error) {
					return store.SeeWithoutEmail(ctx, issuer, subject, name)
				}
			}
			account, err := see(t.Context(), "https://id.example.org", "ada", email, name)
			if enabled, err := service.EnabledAccounts(t.Context(), []string{account.ID}); err != nil || !enabled[account.ID] {
				t.Errorf("%q of %q disables the account: %v", name, email, err)
			}
			if err != nil || account.Email != email || account.Name != want {
				t.Errorf("%q is seen as %+v, %v", name, account, err)
			}
		}
		see("ada@example.org", "", "")
		see("ada@example.org", "Ada", "Ada")
		before := changes()
		for range 3 {
			see("ada@example.org", "Ada Lovelace", "Ada")
			see("ada@example.org", "Ada", "Ada")
			see("ada@example.org", "", "Ada")
			see("", "", "Ada")
			see("", "Ada Lovelace", "Ada")
		}
		if got := changes(); got != before {
			t.Errorf("the accounts changed %d times", got-before)
		}
		see("new@example.org", "", "Ada")
		see("ada@example.org", "Ada Lovelace", "Ada Lovelace")
	})
}

func TestANewNameIsTakenOverInTime(t *testing.T) {
	t.Parallel()
	clock := time.Now().Add(-nameTime - time.Hour)
	store := NewStore(sqldbtest.SQLite(t, func() time.Time { return clock }))
	seenBy(t, store)
	clock = time.Now()
	account, err := store.See(t.Context(), "https://id.example.org", "ada", "ada@example.org", "Ada King")
	if err != nil || account.Name != "Ada King" {
		t.Errorf("got %+v, %v", account, err)
	}
}
