package sessions_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/sessionstest"
)

// deletedOnce creates a session with work and deletes it, with the reconciler at work.
func (w *world) deletedOnce(name, work string) sessions.Session {
	w.T.Helper()
	session := w.Running(name)
	w.Machine.Put(session.ID, "notes.txt", work)
	sessionstest.Check(w.T, w.Server.Delete(w.As(w.Ann), []string{session.ID}, false))
	return w.WaitFor(session.ID, sessions.Deleted)
}

func (w *world) deletedList() []sessions.Session {
	w.T.Helper()
	list, err := w.Server.List(w.As(w.Ann), sessions.Filter{Status: sessions.Deleted})
	sessionstest.Check(w.T, err)
	return list
}

func TestADeletedSessionCanBeUndeleted(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		w.Server.Undo = 14 * 24 * time.Hour
		w.Run(w.Server)
		session := w.deletedOnce("Session", "precious")
		if list, err := w.Server.List(w.As(w.Ann), sessions.Filter{}); err != nil || len(list) != 0 {
			t.Errorf("the list has %d sessions, %v; want none", len(list), err)
		}
		if _, err := w.Server.Own(w.As(w.Ann), session.ID); fault.KindOf(err) != fault.NotFound {
			t.Errorf("its owner still gets it: %v", err)
		}
		list := w.deletedList()
		if len(list) != 1 || list[0].Status != sessions.Deleted || list[0].KeptUntil == nil || !list[0].KeptUntil.Equal(w.Clock.Now().Add(14*24*time.Hour)) {
			t.Fatalf("got %+v", list)
		}
		if others, err := w.Server.List(w.As(w.Bob), sessions.Filter{Status: sessions.Deleted}); err != nil || len(others) != 0 {
			t.Errorf("somebody else sees %d of them, %v", len(others), err)
		}
		_, err := w.Server.Undelete(w.As(w.Bob), session.ID)
		sessionstest.WantKind(t, err, fault.NotFound)

		back, err := w.Server.Undelete(w.As(w.Ann), session.ID)
		sessionstest.Check(t, err)
		if back.Status != sessions.Terminated || len(w.deletedList()) != 0 || w.Machine.Work(session.ID, "notes.txt") != "precious" {
			t.Errorf("got %+v with the work %q", back, w.Machine.Work(session.ID, "notes.txt"))
		}
		again, err := w.Server.Undelete(w.As(w.Ann), session.ID)
		if err != nil || again.Status != sessions.Terminated {
			t.Errorf("the repeated call: %+v, %v", again, err)
		}
	})
}

func TestDeletedForEver(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		w.Run(w.Server)
		soon, later := w.deletedOnce("soon", "a"), w.deletedOnce("later", "b")
		sessionstest.WantKind(t, w.Server.Delete(w.As(w.Bob), []string{soon.ID}, true), fault.NotFound)
		sessionstest.WantKind(t, w.Server.Delete(w.As(w.Ann), []string{soon.ID}, false), fault.NotFound)
		sessionstest.Check(t, w.Server.Delete(w.As(w.Ann), []string{soon.ID}, true))
		sessionstest.Eventually(t, "nothing of it is left", func() bool {
			rows, err := w.Store.ByID(t.Context(), soon.ID)
			return err == nil && len(rows) == 0 && w.Phase(soon.ID) == ""
		})
		_, err := w.Server.Undelete(w.As(w.Ann), soon.ID)
		sessionstest.WantKind(t, err, fault.NotFound)
		if list := w.deletedList(); len(list) != 1 || list[0].ID != later.ID {
			t.Errorf("got %+v, want the other one", list)
		}
	})
}

func TestWhatWasDeletedLongAgoIsErased(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		w.Run(w.Server)
		session := w.deletedOnce("Session", "a")
		for after, want := range map[time.Duration]int{0: 0, time.Hour: 1} {
			if count, err := w.Store.Overdue(t.Context(), session.DeletedAt.Add(after)); err != nil || count != want {
				t.Errorf("after %s: %d sessions, %v; want %d", after, count, err, want)
			}
		}
		w.Server.Changes.Announce()
		sessionstest.Eventually(t, "nothing of it is left", func() bool {
			rows, err := w.Store.ByID(t.Context(), session.ID)
			return err == nil && len(rows) == 0 && w.Phase(session.ID) == ""
		})
	})
}

// The engine deletes versions of retired sessions to make room.
func TestADeletedSessionThatItsEngineForgotIsForgotten(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		w.Run(w.Server)
		session := w.deletedOnce("Session", "a")
		sessionstest.Eventually(t, "its versions are known", func() bool { return w.Row(session.ID).Versions > 0 })
		sessionstest.Check(t, w.Server.Engines.All[0].Remove(t.Context(), session.ID))
		w.Server.Changes.Announce()
		sessionstest.Eventually(t, "its row is gone", func() bool {
			rows, err := w.Store.ByID(t.Context(), session.ID)
			return err == nil && len(rows) == 0
		})
	})
}

func TestUndeleteOverTheQuota(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Run(w.Server)
	session := w.deletedOnce("Session", strings.Repeat("a", 5000))
	w.Server.Engines.VersionQuota = 4000
	_, err := w.Server.Undelete(w.As(w.Ann), session.ID)
	if fault.CodeOf(err) != fault.QuotaReached || !strings.Contains(fault.MessageOf(err), "of the 3.9 KiB that they may") {
		t.Fatalf("got %v", err)
	}
	if got := w.Row(session.ID); got.Status != sessions.Deleted {
		t.Errorf("it is %s", got.Status)
	}
	w.Server.Engines.VersionQuota = 400_000
	_, err = w.Server.Undelete(w.As(w.Ann), session.ID)
	sessionstest.Check(t, err)
}

func TestDeletedWhileItStarts(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		w.Run(w.Server)
		session := w.Start("Session")
		w.Launched(session.ID)
		sessionstest.Check(t, w.Server.Delete(w.As(w.Ann), []string{session.ID}, false))
		w.WaitFor(session.ID, sessions.Deleted)
		if phase := w.Phase(session.ID); phase != engine.Ended {
			t.Errorf("its engine says %q", phase)
		}
		back, err := w.Server.Undelete(w.As(w.Ann), session.ID)
		if err != nil || back.Status != sessions.Terminated {
			t.Fatalf("got %+v, %v", back, err)
		}
		_, err = w.Server.Restart(w.As(w.Ann), session.ID)
		sessionstest.Check(t, err)
		w.Launched(session.ID)
	})
}

func TestUndeletedWhileItIsRetired(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		w.Server.Settle = 20 * time.Millisecond
		w.Run(w.Server)
		session := w.Running("Session")
		w.Machine.Put(session.ID, "notes.txt", "precious")
		w.Machine.HoldStops(true)
		sessionstest.Check(t, w.Server.Delete(w.As(w.Ann), []string{session.ID}, false))
		sessionstest.Eventually(t, "its stop begins", func() bool { return w.Server.Reconciler.IsBusy(session.ID) })
		back, err := w.Server.Undelete(w.As(w.Ann), session.ID)
		if err != nil || back.RequestedStatus != sessions.Terminated {
			t.Fatalf("got %+v, %v", back, err)
		}
		w.Machine.HoldStops(false)
		w.WaitFor(session.ID, sessions.Terminated)
		sessionstest.Eventually(t, "its work is back", func() bool { return w.Machine.Work(session.ID, "notes.txt") == "precious" })
	})
}

// A kill between Unretire's cause and its call: the next process gives an undeleted session its work back.
func TestAnUndeletedSessionGetsItsWorkBackLater(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	kill := w.Run(w.Server)
	session := w.deletedOnce("Session", "precious")
	kill()
	_, err := w.Store.Undelete(t.Context(), w.Row(session.ID))
	sessionstest.Check(t, err)
	next := w.NewService()
	w.Run(next)
	sessionstest.Eventually(t, "its work is back", func() bool { return w.Machine.Work(session.ID, "notes.txt") == "precious" })
}

func TestDeletedSessionsCountNowhere(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		w.Run(w.Server)
		session := w.deletedOnce("Session", "a")
		unsettled, err := w.Store.Unfinished(t.Context())
		if err != nil || len(unsettled) != 0 {
			t.Errorf("%d sessions are looked at, %v", len(unsettled), err)
		}
		if all, total, err := w.Store.All(t.Context(), sessions.AllQuery{Size: 10}); err != nil || len(all) != 0 || total != 0 {
			t.Errorf("operators see %d of %d, %v", len(all), total, err)
		}
		if expired, err := w.Store.Expired(t.Context(), w.Clock.Now().Add(time.Hour), true); err != nil || len(expired) != 0 {
			t.Errorf("%d would expire, %v", len(expired), err)
		}
		w.wantKinds(session.ID)
		for _, name := range []string{"one", "two", "three"} { // as many as the limit allows
			w.Start(name)
		}
	})
}

// wantKinds checks what its owner can't do with a deleted session.
func (w *world) wantKinds(id string) {
	w.T.Helper()
	for name, call := range map[string]func() error{
		"restart":   func() error { _, err := w.Server.Restart(w.As(w.Ann), id); return err },
		"terminate": func() error { _, err := w.Server.Terminate(w.As(w.Ann), id); return err },
		"work link": func() error { _, err := w.Server.Work.WorkLink(w.As(w.Ann), id); return err },
		"log":       func() error { _, _, err := w.Server.Log(w.As(w.Ann), id); return err },
	} {
		if err := call(); fault.KindOf(err) != fault.NotFound {
			w.T.Errorf("%s: %v", name, err)
		}
	}
}

func TestExpiredSessionsCanBeUndeleted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Run(w.Server)
	session := w.Running("Session")
	w.Machine.Put(session.ID, "notes.txt", "a")
	w.Machine.End(session.ID, true, "")
	w.WaitFor(session.ID, sessions.Finished)
	w.Clock.Advance(time.Hour)
	gone, err := w.Store.Expired(t.Context(), w.Clock.Now(), false)
	if err != nil || len(gone) != 1 {
		t.Fatalf("%d expired, %v", len(gone), err)
	}
	w.Server.Changes.Announce()
	w.WaitFor(session.ID, sessions.Deleted)
	_, err = w.Server.Undelete(w.As(w.Ann), session.ID)
	sessionstest.Check(t, err)
}

// Hubs keep no versions, so they delete at once.
func TestEnginesWithoutVersionsDeleteForEver(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.OpenAround(func(one engine.Engine) engine.Engine { return struct{ engine.Engine }{one} })
	w.Run(w.Server)
	session := w.Running("Session")
	_, err := w.Server.Work.Versions(w.As(w.Ann), session.ID, "", 0, 10)
	sessionstest.WantKind(t, err, fault.NotFound)
	sessionstest.Check(t, w.Server.Delete(w.As(w.Ann), []string{session.ID}, false))
	if rows, err := w.Store.ByID(t.Context(), session.ID); err != nil || len(rows) != 0 || len(w.deletedList()) != 0 {
		t.Errorf("%d rows are left, %v", len(rows), err)
	}
	_, err = w.Server.Undelete(w.As(w.Ann), session.ID)
	sessionstest.WantKind(t, err, fault.NotFound)
	w.WantStatus("the call", sessionstest.Call(w.API(), http.MethodPost, "/sessions/"+session.ID+"/undelete", "ann"), http.StatusNotFound)
}
