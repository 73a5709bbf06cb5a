package sessions_test

import (
	"net/http"
	"testing"
	"time"

	"cairn/internal/foundation/sqldb/sqldbtest"
	"cairn/internal/sessions"
	"cairn/internal/sessions/sessionstest"
)

// version returns the number of ann's list.
func (w *world) version() int64 {
	w.T.Helper()
	seq, _ := w.Store.ListNumber(w.T.Context(), w.Ann.AccountID)
	return seq
}

func TestVersionOfAListRisesWithWhatItShows(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		session := w.Created("session")
		row := func() sessions.Session { return w.Row(session.ID) }
		settle := func(status sessions.Status) func() error {
			return func() error { _, err := w.Store.Settle(ctx, row(), status, "why"); return err }
		}
		before := w.version()
		if before == 0 {
			t.Fatal("a new session changed nothing")
		}
		step := func(what string, rises bool, do func() error) {
			t.Helper()
			sessionstest.Check(t, do())
			if after := w.version(); (after > before) != rises || after < before {
				t.Errorf("%s: version %d after %d", what, after, before)
			}
			before = w.version()
		}
		queue := func(capacity int) func() error {
			return func() error { return w.Store.Admit(ctx, []string{"local"}, capacity) }
		}
		observe := func(minutes int) func() error {
			return func() error {
				at := w.Clock.Now().Add(time.Duration(minutes) * time.Minute)
				_, err := w.Store.Observe(ctx, sessions.Observation{Session: row(), LastAt: at, StopsAt: at.Add(time.Hour)})
				return err
			}
		}
		busy, err := w.Store.Create(ctx, sessions.Session{SessionName: "bob's", UserID: "b", Engine: "local", AccountID: w.Bob.AccountID, QueuedAt: w.Clock.Now()}, "", 0, 9)
		sessionstest.Check(t, err)
		step("somebody else's session", false, func() error { _, err := w.Store.Settle(ctx, w.Row(busy), sessions.Running, ""); return err })
		step("a place in the queue", true, queue(1))
		step("the same place", false, queue(1))
		step("room", true, queue(2))
		step("a launch", true, func() error { return w.Store.Launched(ctx, row(), w.Clock.Now()) })
		step("running", true, settle(sessions.Running))
		step("activity", true, observe(1))
		step("activity in the same minute", false, observe(1))
		step("activity a minute later", true, observe(2))
		step("a way in", false, func() error { _, err := w.Server.Redirect(w.As(w.Ann), session, ""); return err })
		step("a wish", true, func() error { return w.Store.Request(ctx, []string{session.ID}, sessions.Terminated) })
		step("stopped", true, settle(sessions.Terminated))
		step("a stale look", false, func() error {
			stale := row()
			stale.Status = sessions.Running
			_, err := w.Store.Settle(ctx, stale, sessions.Finished, "")
			return err
		})
		step("started again", true, func() error { return w.Store.Relaunch(ctx, row(), 9) })
		step("deleted", true, func() error { return w.Store.Request(ctx, []string{session.ID}, sessions.Erased) })
		step("forgotten", false, func() error { return w.Store.Forget(ctx, session.ID) })
	})
}

// Dashboards ask for the whole list whenever its number rises, so one look at an engine raises it once.
func TestALookChangesAListOnce(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		at := w.Clock.Now().Add(time.Minute)
		var seen []sessions.Observation
		for _, name := range []string{"one", "two", "three"} {
			id := w.Created(name).ID
			_, err := w.Store.Settle(t.Context(), w.Row(id), sessions.Running, "")
			sessionstest.Check(t, err)
			seen = append(seen, sessions.Observation{Session: w.Row(id), LastAt: at, StopsAt: at.Add(time.Hour)})
		}
		gone := seen[0]
		gone.Session.ID = "01a00000-0000-7000-8000-000000000000"
		before := w.version()
		changed, err := w.Store.Observe(t.Context(), append(seen, gone)...)
		if sessionstest.Check(t, err); !changed || w.version() != before+1 {
			t.Errorf("changed: %t, version %d after %d", changed, w.version(), before)
		}
		for _, one := range seen {
			if row := w.Row(one.Session.ID); row.StopsAt == nil || !row.StopsAt.Equal(at.Add(time.Hour)) {
				t.Errorf("%s stops at %v", row.SessionName, row.StopsAt)
			}
		}
	})
}

// A page that polls is told "unchanged" without a query: the database is closed, and the answer still comes.
func TestUnchangedListCostsNoQuery(t *testing.T) {
	t.Parallel()
	c := sessionstest.NewClock()
	db := sqldbtest.SQLite(t, c.Now)
	w := &world{sessionstest.NewOn(t, db, c)}
	w.Start("Session")
	ann := w.Ann
	list := func(path string, headers ...string) (int, string) {
		answer := sessionstest.Call(w.APIAs(ann), http.MethodGet, path, "", headers...)
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
	sessionstest.Check(t, db.Close())
	for path, tag := range tags {
		if code, _ := list(path, "If-None-Match", tag); code != http.StatusNotModified {
			t.Errorf("%s: got %d, want 304 without a database", path, code)
		}
	}
	w.Store.TrustLists()
	if code, _ := list("/sessions/", "If-None-Match", tags["/sessions/"]); code == http.StatusNotModified {
		t.Error("nobody could follow for too long, and the list is still called unchanged")
	}
}

// Two stores on one database are two processes.
func TestChangesByOtherProcessesShow(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		session := w.Start("Session")
		w.Run(w.Server)
		sessionstest.Eventually(t, "it follows", func() bool { _, ok := w.Store.ListNumber(t.Context(), w.Ann.AccountID); return ok })
		w.Launched(session.ID)
		api := w.APIAs(w.Ann)
		tag := sessionstest.Call(api, http.MethodGet, "/sessions/", "").Header().Get("ETag")
		elsewhere := sessions.NewStore(w.Database)
		if _, err := elsewhere.Settle(t.Context(), w.Row(session.ID), sessions.Finished, ""); err != nil {
			t.Fatal(err)
		}
		sessionstest.Eventually(t, "the change is shown", func() bool {
			return sessionstest.Call(api, http.MethodGet, "/sessions/", "", "If-None-Match", tag).Code != http.StatusNotModified
		})
		// A process that starts later knows the same numbers, so that a page that changes servers sees no change.
		later := sessions.NewStore(w.Database)
		sessionstest.Eventually(t, "all have the same number", func() bool {
			here, _ := w.Store.ListNumber(t.Context(), w.Ann.AccountID)
			there, _ := later.ListNumber(t.Context(), w.Ann.AccountID)
			return here == there
		})
	})
}
