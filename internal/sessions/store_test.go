package sessions_test

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
	"cairn/internal/sessions"
	"cairn/internal/sessions/sessionstest"
)

func TestTwentyStartsAtOnceNeverPassTheLimit(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.Connect(10)
		errs := make([]error, 20)
		var starts sync.WaitGroup
		for i := range errs {
			starts.Go(func() { _, errs[i] = w.Create(string(rune('a'+i)), "", 3) })
		}
		starts.Wait()
		made := 0
		for _, err := range errs {
			if err == nil {
				made++
				continue
			}
			sessionstest.WantKind(t, err, fault.Conflict)
		}
		list, err := w.Store.Of(t.Context(), w.Ann.AccountID)
		sessionstest.Check(t, err)
		if made != 3 || len(list) != 3 {
			t.Fatalf("%d starts succeeded and %d sessions are there, want 3", made, len(list))
		}
	})
}

func TestLimitCountsWhatRunsOrStarts(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		for _, status := range []sessions.Status{sessions.Finished, sessions.Terminated, sessions.Failed} {
			w.Settled(string(status), status)
		}
		sessionstest.Check(t, w.Store.Request(t.Context(), []string{w.Created("on its way out").ID}, sessions.Erased))
		w.Settled("running", sessions.Running)
		if _, err := w.Create("second", "", 2); err != nil {
			t.Fatalf("one live session, limit 2: %v", err)
		}
		_, err := w.Create("third", "", 2)
		sessionstest.WantKind(t, err, fault.Conflict)
		want := "You already have the maximum number of sessions running or starting (2). Terminate one of them first; its work is kept."
		if fault.MessageOf(err) != want {
			t.Fatalf("got %q, want %q", fault.MessageOf(err), want)
		}
	})
}

func TestTheSameStartGivesTheSameSession(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		first, err := w.Create("notes", "key", 100)
		sessionstest.Check(t, err)
		for _, test := range []struct {
			what, name, key string
			later           time.Duration
			same            bool
		}{
			{"the same name just after", "notes", "", 5*time.Second - time.Microsecond, true},
			{"the same name five seconds after", "notes", "", time.Microsecond, false},
			{"another name", "other notes", "", 0, false},
			{"the same key, much later and with another name", "third notes", "key", time.Hour, true},
			{"another key", "fourth notes", "another key", 0, false},
		} {
			w.Clock.Advance(test.later)
			id, err := w.Create(test.name, test.key, 100)
			sessionstest.Check(t, err)
			if (id == first) != test.same {
				t.Errorf("%s: the same session %t, want %t", test.what, id == first, test.same)
			}
		}
		sessionstest.Check(t, w.Store.Request(t.Context(), []string{first}, sessions.Erased))
		if again, err := w.Create("notes", "key", 100); err != nil || again == first {
			t.Errorf("after its deletion: %q, %v; want a new session", again, err)
		}
	})
}

func TestStartsCountForTheirEntries(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.Start("of a project")
		w.Start("once more")
		_, err := w.Server.StartFrom(w.As(w.Bob), sessions.StartRequest{ResourceID: w.ID("tools")})
		sessionstest.Check(t, err)
		changes, err := w.Catalog.CountStarters(t.Context())
		sessionstest.Check(t, err)
		for name, want := range map[string]int{"tools": 2, "spikes": 1} {
			var got int
			sessionstest.Check(t, w.Database.QueryRowContext(t.Context(), `SELECT starters FROM resource WHERE id = $1`, w.ID(name)).Scan(&got))
			if got != want || !slices.Contains(changes.IDs, w.ID(name)) {
				t.Errorf("%s was started by %d accounts, want %d; changed: %v", name, got, want, changes.IDs)
			}
		}
	})
}

func TestSameStartsAtOnceMakeOneSession(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.Connect(8)
		ids := make([]string, 8)
		var starts sync.WaitGroup
		for i := range ids {
			starts.Go(func() {
				id, err := w.Create("notes", "", 1)
				if err != nil {
					t.Error(err)
				}
				ids[i] = id
			})
		}
		starts.Wait()
		if different := slices.Compact(slices.Sorted(slices.Values(ids))); len(different) != 1 {
			t.Fatalf("double clicks made %d sessions", len(different))
		}
	})
}

func TestRelaunch(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		for _, status := range []sessions.Status{sessions.Finished, sessions.Terminated, sessions.Failed} {
			session := w.Settled("ended "+string(status), status)
			sessionstest.Check(t, w.Store.Launched(ctx, session, w.Clock.Now()))
			if _, err := w.Store.Settle(ctx, w.Row(session.ID), status, "why"); err != nil {
				t.Fatal(err)
			}
			sessionstest.Check(t, w.Store.Relaunch(ctx, session, 100))
			if got := w.Row(session.ID); got.Status != sessions.Created || got.StatusReason != "" || !got.LaunchedAt.IsZero() {
				t.Errorf("%s: got %s, reason %q, launched at %s; want a fresh CREATED", status, got.Status, got.StatusReason, got.LaunchedAt)
			}
		}
		live := w.Settled("live", sessions.Running)
		sessionstest.Check(t, w.Store.Relaunch(ctx, live, 0))
		if got := w.Row(live.ID); got.Status != sessions.Running {
			t.Errorf("a live session became %s", got.Status)
		}
		sessionstest.WantKind(t, w.Store.Relaunch(ctx, w.Settled("over the limit", sessions.Finished), 1), fault.Conflict)

		stopping := w.Created("stopping")
		sessionstest.Check(t, w.Store.Request(ctx, []string{stopping.ID}, sessions.Terminated))
		sessionstest.WantKind(t, w.Store.Relaunch(ctx, stopping, 100), fault.Conflict)

		going := w.Settled("going", sessions.Terminated)
		sessionstest.Check(t, w.Store.Request(ctx, []string{going.ID}, sessions.Erased))
		sessionstest.WantKind(t, w.Store.Relaunch(ctx, going, 100), fault.NotFound)
		sessionstest.Check(t, w.Store.Forget(ctx, going.ID))
		sessionstest.WantKind(t, w.Store.Relaunch(ctx, going, 100), fault.NotFound)
	})
}

// What was read before somebody changed the session must not be written over that change.
func TestSettleAndLaunchedCompareBeforeTheySet(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		read := w.Created("session")
		sessionstest.Check(t, w.Store.Request(ctx, []string{read.ID}, sessions.Terminated))
		changed, err := w.Store.Settle(ctx, read, sessions.Running, "")
		sessionstest.Check(t, err)
		sessionstest.Check(t, w.Store.Launched(ctx, read, w.Clock.Now()))
		if got := w.Row(read.ID); changed || got.Status != sessions.Created || got.RequestedStatus != sessions.Terminated || !got.LaunchedAt.IsZero() {
			t.Fatalf("changed %t: a stale look wrote over the wish to terminate: %+v", changed, got)
		}

		read = w.Row(read.ID)
		sessionstest.Check(t, w.Store.Request(ctx, []string{read.ID}, sessions.Erased))
		if changed, err = w.Store.Settle(ctx, read, sessions.Terminated, ""); changed || err != nil {
			t.Fatalf("changed %t, %v: a stale look took a deletion back", changed, err)
		}
		sessionstest.Check(t, w.Store.Request(ctx, []string{read.ID}, sessions.Terminated))
		if got := w.Row(read.ID); got.RequestedStatus != sessions.Erased {
			t.Fatalf("a later wish (%s) took a deletion back", got.RequestedStatus)
		}
		changed, err = w.Store.Settle(ctx, w.Row(read.ID), sessions.Terminated, "")
		if got := w.Row(read.ID); !changed || err != nil || got.Status != sessions.Terminated || got.RequestedStatus != "" {
			t.Fatalf("changed %t, %v: a fresh look could not settle: %+v", changed, err, got)
		}
	})
}

func TestSessionsComeBackAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		older := w.Created("日本語 'quoted' \\ \"name\" 🧠")
		w.Clock.Advance(time.Second)
		newer := w.Settled("newer", sessions.Failed)
		w.Clock.Advance(time.Second)
		gone := w.Created("gone")
		sessionstest.Check(t, w.Store.Request(ctx, []string{gone.ID}, sessions.Erased))

		list, err := w.Store.Of(ctx, w.Ann.AccountID)
		sessionstest.Check(t, err)
		if len(list) != 2 || list[0].ID != newer.ID || list[1].ID != older.ID {
			t.Fatalf("got %+v; want the newest first, without what is being deleted", list)
		}
		if list[1].SessionName != older.SessionName || !list[1].CreatedAt.Equal(sessionstest.NewClock().Now()) || list[1].Project.Name != "notes" {
			t.Fatalf("got %+v", list[1])
		}
		unsettled, err := w.Store.Unfinished(ctx)
		sessionstest.Check(t, err)
		if got := idsOf(unsettled); len(got) != 2 || !slices.Contains(got, older.ID) || !slices.Contains(got, gone.ID) {
			t.Fatalf("unsettled: %+v, want the live one and the one to be deleted", unsettled)
		}
		if others, err := w.Store.Of(context.WithoutCancel(ctx), w.Bob.AccountID); err != nil || len(others) != 0 {
			t.Fatalf("bob has %d sessions, %v", len(others), err)
		}
	})
}

func idsOf(sessions []sessions.Session) []string {
	var ids []string
	for _, session := range sessions {
		ids = append(ids, session.ID)
	}
	return ids
}

// Rows of before had no column that says who requested a stop: only operators gave a reason.
func TestUpgradedRowsSayWhoRequestedTheirStop(t *testing.T) {
	t.Parallel()
	for system, address := range map[string]func(t *testing.T) string{
		"sqlite":   func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "cairn.db") },
		"postgres": func(t *testing.T) string { return sqldbtest.Postgres(t) },
	} {
		t.Run(system, func(t *testing.T) {
			db, err := sqldb.OpenAt(t.Context(), address(t), time.Now, 40)
			sessionstest.Check(t, err)
			defer db.Close()
			want := map[string]sessions.Requester{}
			sessionstest.Check(t, db.Write(t.Context(), func(tx *sqldb.Tx) error {
				_, err := tx.ExecContext(t.Context(), `INSERT INTO account (id, issuer, subject, email, name, created_at, updated_at) VALUES ('a', '', '', 'ann@example.org', '', 1, 1)`)
				for _, row := range []struct {
					status, requested, reason string
					by                        sessions.Requester
				}{
					{"RUNNING", "TERMINATED", "The operators stopped this session: Tonight.", sessions.ByOperators},
					{"CREATED", "TERMINATED", "Die Maschine zieht um.", sessions.ByOperators},
					{"RUNNING", "TERMINATED", "", sessions.ByOwner},
					{"RUNNING", "", "", sessions.ByOwner},
					{"ERROR", "DELETED", "It broke.", sessions.ByOwner},
					{"TERMINATED", "", "The operators stopped this session.", sessions.ByOwner},
				} {
					id := sqldb.NewID()
					want[id] = row.by
					if err == nil {
						_, err = tx.ExecContext(t.Context(), `INSERT INTO session (id, name, account_id, owner_email, project_id, holds, engine, status,
							status_reason, requested, idempotency_key, launched_at, created_at, updated_at)
							VALUES ($1, 'a', 'a', 'ann@example.org', '', '{}', 'local', $2, $3, $4, '', 0, 1, 1)`, id, row.status, row.reason, row.requested)
					}
				}
				return err
			}))
			sessionstest.Check(t, db.Upgrade(t.Context()))
			for id, by := range want {
				found, err := sessions.NewStore(db).ByID(t.Context(), id)
				if err != nil || len(found) != 1 || found[0].RequestedBy != by {
					t.Errorf("%+v, %v, want %q", found, err, by)
				}
			}
		})
	}
}
