package sessions

import (
	"net/http"
	"testing"
	"time"

	"cairn/internal/sqldb/sqldbtest"
)

// version returns the number of ann's list.
func (w *world) version() int64 {
	w.t.Helper()
	seq, _ := w.store.ListNumber(w.t.Context(), w.ann.AccountID)
	return seq
}

func TestVersionOfAListRisesWithWhatItShows(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		session := w.created("session")
		row := func() Session { return w.row(session.ID) }
		settle := func(status Status) func() error {
			return func() error { _, err := w.store.Settle(ctx, row(), status, "why"); return err }
		}
		before := w.version()
		if before == 0 {
			t.Fatal("a new session changed nothing")
		}
		step := func(what string, rises bool, do func() error) {
			t.Helper()
			check(t, do())
			if after := w.version(); (after > before) != rises || after < before {
				t.Errorf("%s: version %d after %d", what, after, before)
			}
			before = w.version()
		}
		queue := func(capacity int) func() error {
			return func() error { return w.store.Admit(ctx, []string{"local"}, capacity) }
		}
		observe := func(minutes int) func() error {
			return func() error {
				at := w.clock.Now().Add(time.Duration(minutes) * time.Minute)
				_, err := w.store.Observe(ctx, sighting{session: row(), observation: observation{lastAt: at, stopsAt: at.Add(time.Hour)}})
				return err
			}
		}
		busy, err := w.store.Create(ctx, Session{SessionName: "bob's", UserID: "b", Engine: "local", accountID: w.bob.AccountID, queuedAt: w.clock.Now()}, "", 0, 9)
		check(t, err)
		step("somebody else's session", false, func() error { _, err := w.store.Settle(ctx, w.row(busy), Running, ""); return err })
		step("a place in the queue", true, queue(1))
		step("the same place", false, queue(1))
		step("room", true, queue(2))
		step("a launch", true, func() error { return w.store.Launched(ctx, row(), w.clock.Now()) })
		step("running", true, settle(Running))
		step("activity", true, observe(1))
		step("activity in the same minute", false, observe(1))
		step("activity a minute later", true, observe(2))
		step("a way in", false, func() error { _, err := w.store.Issue(ctx, cookieKind, pass{sessionID: session.ID}); return err })
		step("a wish", true, func() error { return w.store.Request(ctx, []string{session.ID}, Terminated) })
		step("stopped", true, settle(Terminated))
		step("a stale look", false, func() error {
			stale := row()
			stale.Status = Running
			_, err := w.store.Settle(ctx, stale, Finished, "")
			return err
		})
		step("started again", true, func() error { return w.store.Relaunch(ctx, row(), 9) })
		step("deleted", true, func() error { return w.store.Request(ctx, []string{session.ID}, erased) })
		step("forgotten", false, func() error { return w.store.Forget(ctx, session.ID) })
	})
}

// Dashboards ask for the whole list whenever its number rises, so one look at an engine raises it once.
func TestALookChangesAListOnce(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		at := w.clock.Now().Add(time.Minute)
		var seen []sighting
		for _, name := range []string{"one", "two", "three"} {
			id := w.created(name).ID
			_, err := w.store.Settle(t.Context(), w.row(id), Running, "")
			check(t, err)
			seen = append(seen, sighting{session: w.row(id), observation: observation{lastAt: at, stopsAt: at.Add(time.Hour)}})
		}
		gone := seen[0]
		gone.session.ID = "01a00000-0000-7000-8000-000000000000"
		before := w.version()
		changed, err := w.store.Observe(t.Context(), append(seen, gone)...)
		if check(t, err); !changed || w.version() != before+1 {
			t.Errorf("changed: %t, version %d after %d", changed, w.version(), before)
		}
		for _, one := range seen {
			if row := w.row(one.session.ID); row.StopsAt == nil || !row.StopsAt.Equal(at.Add(time.Hour)) {
				t.Errorf("%s stops at %v", row.SessionName, row.StopsAt)
			}
		}
	})
}

// A page that polls is told "unchanged" without a query: the database is closed, and the answer still comes.
func TestUnchangedListCostsNoQuery(t *testing.T) {
	t.Parallel()
	c := newClock()
	db := sqldbtest.SQLite(t, c.Now)
	w := newWorldOn(t, db, c)
	w.start("Session")
	ann := w.ann
	list := func(path string, headers ...string) (int, string) {
		answer := call(w.apiAs(ann), http.MethodGet, path, "", headers...)
		return answer.Code, answer.Header().Get("ETag")
	}
	w.version() // is read, and remembered for a while
	tags := map[string]string{}
	for _, path := range []string{"/sessions/", "/sessions?status=CREATED"} {
		code, tag := list(path)
		if code != http.StatusOK || tag == "" {
			t.Fatalf("got %d with the tag %q", code, tag)
		}
		tags[path] = tag
	}
	if tags["/sessions/"] == tags["/sessions?status=CREATED"] {
		t.Error("two different lists have one tag")
	}
	check(t, db.Close())
	for path, tag := range tags {
		if code, _ := list(path, "If-None-Match", tag); code != http.StatusNotModified {
			t.Errorf("%s: got %d, want 304 without a database", path, code)
		}
	}
	w.store.lists.mutex.Lock()
	w.store.lists.trusted = time.Now()
	w.store.lists.mutex.Unlock()
	if code, _ := list("/sessions/", "If-None-Match", tags["/sessions/"]); code == http.StatusNotModified {
		t.Error("nobody could follow for too long, and the list is still called unchanged")
	}
}

// Two stores on one database are two processes.
func TestChangesByOtherProcessesShow(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		session := w.start("Session")
		w.run(w.service)
		eventually(t, "it follows", func() bool { _, ok := w.store.ListNumber(t.Context(), w.ann.AccountID); return ok })
		w.launched(session.ID)
		api := w.apiAs(w.ann)
		tag := call(api, http.MethodGet, "/sessions/", "").Header().Get("ETag")
		elsewhere := NewStore(w.store.db)
		if _, err := elsewhere.Settle(t.Context(), w.row(session.ID), Finished, ""); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the change is shown", func() bool {
			return call(api, http.MethodGet, "/sessions/", "", "If-None-Match", tag).Code != http.StatusNotModified
		})
		// A process that starts later knows the same numbers, so that a page that changes servers sees no change.
		later := NewStore(w.store.db)
		eventually(t, "all have the same number", func() bool {
			here, _ := w.store.ListNumber(t.Context(), w.ann.AccountID)
			there, _ := later.ListNumber(t.Context(), w.ann.AccountID)
			return here == there
		})
	})
}
