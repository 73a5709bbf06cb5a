package identity_test

import (
	"sync/atomic"
	"testing"
	"time"

	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
	"cairn/internal/people/identity"
)

// Two stores on one database stand for two servers.
func TestSeenAccountsAreRecordedOnceAMinute(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var passed atomic.Int64 // since start
	now := func() time.Time { return start.Add(time.Duration(passed.Load())) }
	sqldbtest.EachAt(t, now, func(t *testing.T, db *sqldb.DB) {
		passed.Store(0)
		here, there := identity.NewStore(db), identity.NewStore(db)
		account, err := here.See(t.Context(), "https://id.example.org", "ada", "ada@example.org", "Ada")
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range []struct {
			by   *identity.Store
			at   time.Duration
			want time.Duration
		}{
			{here, 30 * time.Second, 0},
			{there, 61 * time.Second, 61 * time.Second},
			{here, 90 * time.Second, 61 * time.Second},
			{there, 120 * time.Second, 61 * time.Second},
			{here, 10 * time.Minute, 10 * time.Minute},
		} {
			passed.Store(int64(step.at))
			if err := step.by.MarkSeen(t.Context(), account.ID); err != nil {
				t.Fatal(err)
			}
			got, err := there.Account(t.Context(), account.ID)
			if err != nil || !got.SeenAt.Equal(start.Add(step.want)) {
				t.Errorf("marked at %s: seen at %s, want %s (%v)", step.at, got.SeenAt.Sub(start), step.want, err)
			}
		}
	})
}

func TestValidTokensMarkTheirAccountAsSeen(t *testing.T) {
	t.Parallel()
	key := ecdsaSigner(t, "key")
	w := newWorld(t, newProvider(t, key))
	token := key.sign(t, w.claims())
	signedIn, err := w.service.Identify(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	seen := func(want time.Time) {
		t.Helper()
		stored, err := w.service.Account(t.Context(), signedIn.AccountID)
		if err != nil || !stored.SeenAt.Equal(want) {
			t.Errorf("seen at %s, want %s (%v)", stored.SeenAt, want, err)
		}
	}
	seen(w.clock.Now())
	w.clock.advance(30 * time.Minute)
	half := w.clock.Now()
	if _, err := w.service.Identify(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	seen(half)
	w.clock.advance(2 * time.Hour)
	if _, err := w.service.Identify(t.Context(), token); err == nil {
		t.Fatal("a token that has ended is accepted")
	}
	seen(half)
}
