package sessions

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"cairn/internal/fault"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/fake"
)

// deletedOnce creates a session with work and deletes it, with the reconciler at work.
func (w *world) deletedOnce(name, work string) Session {
	w.t.Helper()
	session := w.running(name)
	w.machine.Put(session.ID, "notes.txt", work)
	check(w.t, w.service.Delete(w.as(w.ann), []string{session.ID}, false))
	return w.waitFor(session.ID, Deleted)
}

func (w *world) deletedList() []Session {
	w.t.Helper()
	list, err := w.service.List(w.as(w.ann), Filter{Status: Deleted})
	check(w.t, err)
	return list
}

func TestADeletedSessionCanBeUndeleted(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		w.service.Undo = 14 * 24 * time.Hour
		w.run(w.service)
		session := w.deletedOnce("Session", "precious")
		if list, err := w.service.List(w.as(w.ann), Filter{}); err != nil || len(list) != 0 {
			t.Errorf("the list has %d sessions, %v; want none", len(list), err)
		}
		if _, err := w.service.Own(w.as(w.ann), session.ID); fault.KindOf(err) != fault.NotFound {
			t.Errorf("its owner still gets it: %v", err)
		}
		list := w.deletedList()
		if len(list) != 1 || list[0].Status != Deleted || list[0].KeptUntil == nil || !list[0].KeptUntil.Equal(w.clock.Now().Add(14*24*time.Hour)) {
			t.Fatalf("got %+v", list)
		}
		if others, err := w.service.List(w.as(w.bob), Filter{Status: Deleted}); err != nil || len(others) != 0 {
			t.Errorf("somebody else sees %d of them, %v", len(others), err)
		}
		_, err := w.service.Undelete(w.as(w.bob), session.ID)
		wantKind(t, err, fault.NotFound)

		back, err := w.service.Undelete(w.as(w.ann), session.ID)
		check(t, err)
		if back.Status != Terminated || len(w.deletedList()) != 0 || w.machine.Work(session.ID, "notes.txt") != "precious" {
			t.Errorf("got %+v with the work %q", back, w.machine.Work(session.ID, "notes.txt"))
		}
		again, err := w.service.Undelete(w.as(w.ann), session.ID)
		if err != nil || again.Status != Terminated {
			t.Errorf("the repeated call: %+v, %v", again, err)
		}
	})
}

func TestDeletedForEver(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		w.run(w.service)
		soon, later := w.deletedOnce("soon", "a"), w.deletedOnce("later", "b")
		wantKind(t, w.service.Delete(w.as(w.bob), []string{soon.ID}, true), fault.NotFound)
		wantKind(t, w.service.Delete(w.as(w.ann), []string{soon.ID}, false), fault.NotFound)
		check(t, w.service.Delete(w.as(w.ann), []string{soon.ID}, true))
		eventually(t, "nothing of it is left", func() bool {
			rows, err := w.store.ByID(t.Context(), soon.ID)
			return err == nil && len(rows) == 0 && w.phase(soon.ID) == ""
		})
		_, err := w.service.Undelete(w.as(w.ann), soon.ID)
		wantKind(t, err, fault.NotFound)
		if list := w.deletedList(); len(list) != 1 || list[0].ID != later.ID {
			t.Errorf("got %+v, want the other one", list)
		}
	})
}

func TestWhatWasDeletedLongAgoIsErased(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		w.run(w.service)
		session := w.deletedOnce("Session", "a")
		for after, want := range map[time.Duration]int{0: 0, time.Hour: 1} {
			if count, err := w.store.Overdue(t.Context(), session.deletedAt.Add(after)); err != nil || count != want {
				t.Errorf("after %s: %d sessions, %v; want %d", after, count, err, want)
			}
		}
		w.service.announce()
		eventually(t, "nothing of it is left", func() bool {
			rows, err := w.store.ByID(t.Context(), session.ID)
			return err == nil && len(rows) == 0 && w.phase(session.ID) == ""
		})
	})
}

// The engine deletes versions of retired sessions to make room.
func TestADeletedSessionThatItsEngineForgotIsForgotten(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		w.run(w.service)
		session := w.deletedOnce("Session", "a")
		eventually(t, "its versions are known", func() bool { return w.row(session.ID).Versions > 0 })
		check(t, w.service.Engines[0].Remove(t.Context(), session.ID))
		w.service.announce()
		eventually(t, "its row is gone", func() bool {
			rows, err := w.store.ByID(t.Context(), session.ID)
			return err == nil && len(rows) == 0
		})
	})
}

func TestUndeleteOverTheQuota(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(w.service)
	session := w.deletedOnce("Session", strings.Repeat("a", 5000))
	w.machine.SetQuota(4000)
	_, err := w.service.Undelete(w.as(w.ann), session.ID)
	if fault.CodeOf(err) != fault.QuotaReached || !strings.Contains(fault.MessageOf(err), "of the 3.9 kB that they may") {
		t.Fatalf("got %v", err)
	}
	if got := w.row(session.ID); got.Status != Deleted {
		t.Errorf("it is %s", got.Status)
	}
	w.machine.SetQuota(400_000)
	_, err = w.service.Undelete(w.as(w.ann), session.ID)
	check(t, err)
}

func TestDeletedWhileItStarts(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		w.run(w.service)
		session := w.start("Session")
		w.launched(session.ID)
		check(t, w.service.Delete(w.as(w.ann), []string{session.ID}, false))
		w.waitFor(session.ID, Deleted)
		if phase := w.phase(session.ID); phase != engine.Ended {
			t.Errorf("its engine says %q", phase)
		}
		back, err := w.service.Undelete(w.as(w.ann), session.ID)
		if err != nil || back.Status != Terminated {
			t.Fatalf("got %+v, %v", back, err)
		}
		_, err = w.service.Restart(w.as(w.ann), session.ID)
		check(t, err)
		w.launched(session.ID)
	})
}

func TestUndeletedWhileItIsRetired(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		w.service.settleTime = 20 * time.Millisecond
		w.run(w.service)
		session := w.running("Session")
		w.machine.Put(session.ID, "notes.txt", "precious")
		w.machine.HoldStops(true)
		check(t, w.service.Delete(w.as(w.ann), []string{session.ID}, false))
		eventually(t, "its stop begins", func() bool { return w.service.isInFlight(session.ID) })
		back, err := w.service.Undelete(w.as(w.ann), session.ID)
		if err != nil || back.RequestedStatus != Terminated {
			t.Fatalf("got %+v, %v", back, err)
		}
		w.machine.HoldStops(false)
		w.waitFor(session.ID, Terminated)
		eventually(t, "its work is back", func() bool { return w.machine.Work(session.ID, "notes.txt") == "precious" })
	})
}

// A kill between Unretire's cause and its call: the next process gives an undeleted session its work back.
func TestAnUndeletedSessionGetsItsWorkBackLater(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	kill := w.run(w.service)
	session := w.deletedOnce("Session", "precious")
	kill()
	_, err := w.store.Undelete(t.Context(), w.row(session.ID))
	check(t, err)
	next := w.newService()
	w.run(next)
	eventually(t, "its work is back", func() bool { return w.machine.Work(session.ID, "notes.txt") == "precious" })
}

func TestDeletedSessionsCountNowhere(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		w.run(w.service)
		session := w.deletedOnce("Session", "a")
		unsettled, err := w.store.Unsettled(t.Context())
		if err != nil || len(unsettled) != 0 {
			t.Errorf("%d sessions are looked at, %v", len(unsettled), err)
		}
		if all, total, err := w.store.All(t.Context(), AllQuery{Size: 10}); err != nil || len(all) != 0 || total != 0 {
			t.Errorf("operators see %d of %d, %v", len(all), total, err)
		}
		if expired, err := w.store.Expired(t.Context(), w.clock.Now().Add(time.Hour), true); err != nil || len(expired) != 0 {
			t.Errorf("%d would expire, %v", len(expired), err)
		}
		w.wantKinds(session.ID)
		for _, name := range []string{"one", "two", "three"} { // as many as the limit allows
			w.start(name)
		}
	})
}

// wantKinds checks what its owner can't do with a deleted session.
func (w *world) wantKinds(id string) {
	w.t.Helper()
	for name, call := range map[string]func() error{
		"restart":   func() error { _, err := w.service.Restart(w.as(w.ann), id); return err },
		"terminate": func() error { _, err := w.service.Terminate(w.as(w.ann), id); return err },
		"work link": func() error { _, err := w.service.WorkLink(w.as(w.ann), id); return err },
		"log":       func() error { _, _, err := w.service.Log(w.as(w.ann), id); return err },
	} {
		if err := call(); fault.KindOf(err) != fault.NotFound {
			w.t.Errorf("%s: %v", name, err)
		}
	}
}

func TestExpiredSessionsCanBeUndeleted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(w.service)
	session := w.running("Session")
	w.machine.Put(session.ID, "notes.txt", "a")
	w.machine.End(session.ID, true, "")
	w.waitFor(session.ID, Finished)
	w.clock.advance(time.Hour)
	gone, err := w.store.Expired(t.Context(), w.clock.Now(), false)
	if err != nil || len(gone) != 1 {
		t.Fatalf("%d expired, %v", len(gone), err)
	}
	w.service.announce()
	w.waitFor(session.ID, Deleted)
	_, err = w.service.Undelete(w.as(w.ann), session.ID)
	check(t, err)
}

// Hubs keep no versions, so they delete at once.
func TestEnginesWithoutVersionsDeleteForEver(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.service.Engines[0].Engine = struct{ engine.Engine }{fake.New(w.machine)}
	w.run(w.service)
	session := w.running("Session")
	_, err := w.service.Versions(w.as(w.ann), session.ID, "", 0, 10)
	wantKind(t, err, fault.NotFound)
	check(t, w.service.Delete(w.as(w.ann), []string{session.ID}, false))
	if rows, err := w.store.ByID(t.Context(), session.ID); err != nil || len(rows) != 0 || len(w.deletedList()) != 0 {
		t.Errorf("%d rows are left, %v", len(rows), err)
	}
	_, err = w.service.Undelete(w.as(w.ann), session.ID)
	wantKind(t, err, fault.NotFound)
	w.wantStatus("the call", call(w.api(), http.MethodPost, "/sessions/"+session.ID+"/undelete", "ann"), http.StatusNotFound)
}
