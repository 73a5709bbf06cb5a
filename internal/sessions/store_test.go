package sessions

import (
	"context"
	"database/sql"
	"slices"
	"sync"
	"testing"
	"time"

	"cairn/internal/fault"
)

// create writes a session of ann's down without the service.
func (w *world) create(name, key string, limit int) (id string, err error) {
	return w.store.Create(w.t.Context(), Session{
		SessionName: name, UserID: w.ann.Email, Engine: "local", accountID: w.ann.AccountID,
		Project: Holds{ID: "p1", Name: "notes", Repository: Part{ID: w.id("tools"), Address: "https://github.com/example/tools"}, Datasets: []Part{}},
	}, key, repeatWindow, limit)
}

func (w *world) created(name string) Session {
	w.t.Helper()
	id, err := w.create(name, "", 100)
	check(w.t, err)
	return w.row(id)
}

// settled creates a session that is in a state.
func (w *world) settled(name string, status Status) Session {
	w.t.Helper()
	session := w.created(name)
	changed, err := w.store.Settle(w.t.Context(), session, status, "")
	check(w.t, err)
	if !changed {
		w.t.Fatal("nothing was settled")
	}
	return w.row(session.ID)
}

// connect opens connections beforehand: while they open one by one, transactions hardly meet.
func (w *world) connect(count int) {
	w.t.Helper()
	connections := make([]*sql.Conn, min(count, w.store.db.Stats().MaxOpenConnections))
	for i := range connections {
		var err error
		connections[i], err = w.store.db.Conn(w.t.Context())
		check(w.t, err)
	}
	for _, connection := range connections {
		check(w.t, connection.Close())
	}
}

func TestTwentyStartsAtOnceNeverPassTheLimit(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.connect(10)
		errs := make([]error, 20)
		var starts sync.WaitGroup
		for i := range errs {
			starts.Go(func() { _, errs[i] = w.create(string(rune('a'+i)), "", 3) })
		}
		starts.Wait()
		made := 0
		for _, err := range errs {
			if err == nil {
				made++
				continue
			}
			wantKind(t, err, fault.Conflict)
		}
		list, err := w.store.Of(t.Context(), w.ann.AccountID)
		check(t, err)
		if made != 3 || len(list) != 3 {
			t.Fatalf("%d starts succeeded and %d sessions are there, want 3", made, len(list))
		}
	})
}

func TestLimitCountsWhatRunsOrStarts(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		for _, status := range []Status{Finished, Terminated, Failed} {
			w.settled(string(status), status)
		}
		check(t, w.store.Request(t.Context(), []string{w.created("on its way out").ID}, erased))
		w.settled("running", Running)
		if _, err := w.create("second", "", 2); err != nil {
			t.Fatalf("one live session, limit 2: %v", err)
		}
		_, err := w.create("third", "", 2)
		wantKind(t, err, fault.Conflict)
		want := "You already have the maximum number of sessions running or starting (2). Terminate one of them first; its work is kept."
		if fault.MessageOf(err) != want {
			t.Fatalf("got %q, want %q", fault.MessageOf(err), want)
		}
	})
}

func TestTheSameStartGivesTheSameSession(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		first, err := w.create("notes", "key", 100)
		check(t, err)
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
			w.clock.advance(test.later)
			id, err := w.create(test.name, test.key, 100)
			check(t, err)
			if (id == first) != test.same {
				t.Errorf("%s: the same session %t, want %t", test.what, id == first, test.same)
			}
		}
		check(t, w.store.Request(t.Context(), []string{first}, erased))
		if again, err := w.create("notes", "key", 100); err != nil || again == first {
			t.Errorf("after its deletion: %q, %v; want a new session", again, err)
		}
	})
}

func TestStartsCountForTheirEntries(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.start("of a project")
		w.start("once more")
		_, err := w.service.StartFrom(w.as(w.bob), Wish{ResourceID: w.id("tools")})
		check(t, err)
		changes, err := w.catalog.CountStarters(t.Context())
		check(t, err)
		for name, want := range map[string]int{"tools": 2, "spikes": 1} {
			var got int
			check(t, w.store.db.QueryRowContext(t.Context(), `SELECT starters FROM resource WHERE id = $1`, w.id(name)).Scan(&got))
			if got != want || !slices.Contains(changes.IDs, w.id(name)) {
				t.Errorf("%s was started by %d accounts, want %d; changed: %v", name, got, want, changes.IDs)
			}
		}
	})
}

func TestSameStartsAtOnceMakeOneSession(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.connect(8)
		ids := make([]string, 8)
		var starts sync.WaitGroup
		for i := range ids {
			starts.Go(func() {
				id, err := w.create("notes", "", 1)
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
		for _, status := range []Status{Finished, Terminated, Failed} {
			session := w.settled("ended "+string(status), status)
			check(t, w.store.Launched(ctx, session, w.clock.Now()))
			if _, err := w.store.Settle(ctx, w.row(session.ID), status, "why"); err != nil {
				t.Fatal(err)
			}
			check(t, w.store.Relaunch(ctx, session, 100))
			if got := w.row(session.ID); got.Status != Created || got.StatusReason != "" || !got.launchedAt.IsZero() {
				t.Errorf("%s: got %s, reason %q, launched at %s; want a fresh CREATED", status, got.Status, got.StatusReason, got.launchedAt)
			}
		}
		live := w.settled("live", Running)
		check(t, w.store.Relaunch(ctx, live, 0))
		if got := w.row(live.ID); got.Status != Running {
			t.Errorf("a live session became %s", got.Status)
		}
		wantKind(t, w.store.Relaunch(ctx, w.settled("over the limit", Finished), 1), fault.Conflict)

		stopping := w.created("stopping")
		check(t, w.store.Request(ctx, []string{stopping.ID}, Terminated))
		wantKind(t, w.store.Relaunch(ctx, stopping, 100), fault.Conflict)

		going := w.settled("going", Terminated)
		check(t, w.store.Request(ctx, []string{going.ID}, erased))
		wantKind(t, w.store.Relaunch(ctx, going, 100), fault.NotFound)
		check(t, w.store.Forget(ctx, going.ID))
		wantKind(t, w.store.Relaunch(ctx, going, 100), fault.NotFound)
	})
}

// What was read before somebody changed the session must not be written over that change.
func TestSettleAndLaunchedCompareBeforeTheySet(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		read := w.created("session")
		check(t, w.store.Request(ctx, []string{read.ID}, Terminated))
		changed, err := w.store.Settle(ctx, read, Running, "")
		check(t, err)
		check(t, w.store.Launched(ctx, read, w.clock.Now()))
		if got := w.row(read.ID); changed || got.Status != Created || got.RequestedStatus != Terminated || !got.launchedAt.IsZero() {
			t.Fatalf("changed %t: a stale look wrote over the wish to terminate: %+v", changed, got)
		}

		read = w.row(read.ID)
		check(t, w.store.Request(ctx, []string{read.ID}, erased))
		if changed, err = w.store.Settle(ctx, read, Terminated, ""); changed || err != nil {
			t.Fatalf("changed %t, %v: a stale look took a deletion back", changed, err)
		}
		check(t, w.store.Request(ctx, []string{read.ID}, Terminated))
		if got := w.row(read.ID); got.RequestedStatus != erased {
			t.Fatalf("a later wish (%s) took a deletion back", got.RequestedStatus)
		}
		changed, err = w.store.Settle(ctx, w.row(read.ID), Terminated, "")
		if got := w.row(read.ID); !changed || err != nil || got.Status != Terminated || got.RequestedStatus != "" {
			t.Fatalf("changed %t, %v: a fresh look could not settle: %+v", changed, err, got)
		}
	})
}

func TestSessionsComeBackAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		older := w.created("日本語 'quoted' \\ \"name\" 🧠")
		w.clock.advance(time.Second)
		newer := w.settled("newer", Failed)
		w.clock.advance(time.Second)
		gone := w.created("gone")
		check(t, w.store.Request(ctx, []string{gone.ID}, erased))

		list, err := w.store.Of(ctx, w.ann.AccountID)
		check(t, err)
		if len(list) != 2 || list[0].ID != newer.ID || list[1].ID != older.ID {
			t.Fatalf("got %+v; want the newest first, without what is being deleted", list)
		}
		if list[1].SessionName != older.SessionName || !list[1].CreatedAt.Equal(newClock().Now()) || list[1].Project.Name != "notes" {
			t.Fatalf("got %+v", list[1])
		}
		unsettled, err := w.store.Unsettled(ctx)
		check(t, err)
		if got := idsOf(unsettled); len(got) != 2 || !slices.Contains(got, older.ID) || !slices.Contains(got, gone.ID) {
			t.Fatalf("unsettled: %+v, want the live one and the one to be deleted", unsettled)
		}
		if others, err := w.store.Of(context.WithoutCancel(ctx), w.bob.AccountID); err != nil || len(others) != 0 {
			t.Fatalf("bob has %d sessions, %v", len(others), err)
		}
	})
}

func idsOf(sessions []Session) []string {
	var ids []string
	for _, session := range sessions {
		ids = append(ids, session.ID)
	}
	return ids
}
