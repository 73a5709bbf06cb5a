package workshops_test

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"cairn/internal/sessions"
	"cairn/internal/sessions/sessionstest"
	"cairn/internal/workshops"
)

func TestTheEndKeepsEverybodysWork(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		t.Helper()
		about := w.opened(3)
		guest := w.join(about, "Ada")
		bob := sessionstest.Decode[workshops.Joined](t, w.want(http.StatusCreated, http.MethodPost, joinPath(about), "bob", joining("", about.Code)))
		w.running(guest.ID)
		w.running(bob.ID)
		ending := sessionstest.Decode[workshops.Workshop](t, w.want(http.StatusOK, http.MethodPost, "/workshops/"+about.ID+"/end", "ann", `{"notice":"2m"}`))
		if ending.State != workshops.Open || ending.EndingAt == nil || ending.EndingAt.Sub(w.Clock.Now()) != 2*time.Minute {
			t.Errorf("with a notice it is %+v", ending)
		}
		w.look()
		if w.Row(guest.ID).Status != sessions.Running {
			t.Error("it ended before the notice was over")
		}
		w.Clock.Advance(2 * time.Minute)
		w.look()
		w.until("everything has stopped", func() bool {
			return w.Row(guest.ID).Status == sessions.Terminated && w.Row(bob.ID).Status == sessions.Terminated
		})
		after := sessionstest.Decode[workshops.Workshop](t, w.want(http.StatusOK, http.MethodGet, "/workshops/"+about.ID, "ann", ""))
		if after.State != workshops.Ended || after.EndedAt == nil || after.Seats.Taken != 2 {
			t.Errorf("afterwards it is %+v", after)
		}
		// A person with an account goes on in a session of their own; a guest doesn't, and fetches what was made.
		if w.Row(bob.ID).Workshop != "" || w.Row(guest.ID).Workshop != about.ID {
			t.Error("the sessions belong to the wrong ones")
		}
		link := w.want(http.StatusFound, http.MethodGet, joinPath(about)+"/work.zip", "", "", "Authorization", "Bearer "+guest.Token)
		if !strings.Contains(link.Header().Get("Location"), "work.zip?ticket=") {
			t.Errorf("the work is at %q", link.Header().Get("Location"))
		}
		body := fmt.Sprintf(`{"seat":1,"seatCode":%q}`, guest.SeatCode)
		w.want(http.StatusOK, http.MethodPost, joinPath(about)+"/work", "", body)
		w.wantCode(http.StatusForbidden, "wrong_code", http.MethodPost, joinPath(about)+"/work", "", `{"seat":1,"seatCode":"a b c d"}`)
		w.wantCode(http.StatusGone, "workshop_ended", http.MethodPost, "/workshops/"+about.ID+"/seats/1/hand", "", "", "Authorization", "Bearer "+guest.Token)

		w.Clock.Advance(14*24*time.Hour + time.Minute)
		w.wantCode(http.StatusGone, "work_gone", http.MethodPost, joinPath(about)+"/work", "", body)
		w.look()
		w.until("the guest's session is deleted", func() bool {
			found, err := w.Store.ByID(t.Context(), guest.ID)
			sessionstest.Check(t, err)
			return len(found) == 0
		})
		if w.Row(bob.ID).Gone() {
			t.Error("the work of somebody with an account was deleted")
		}
		if report := w.report(about); report.Attendance[0].Name != "Ada" {
			t.Errorf("the names are gone after 14 days: %+v", report.Attendance)
		}
		w.Clock.Advance(16 * 24 * time.Hour)
		w.look()
		if report := w.report(about); report.Attendance[0].Name != "" || report.Joined != 2 {
			t.Errorf("after 30 days the report has %+v", report.Attendance)
		}
		w.look()
	})
}

// report returns what ann sees afterwards.
func (w *world) report(about workshops.Workshop) workshops.Report {
	w.T.Helper()
	return sessionstest.Decode[workshops.Report](w.T, w.want(http.StatusOK, http.MethodGet, "/workshops/"+about.ID+"/report", "ann", ""))
}

func TestMoreTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	about := w.opened(3)
	guest := w.join(about, "Ada")
	w.running(guest.ID)
	w.want(http.StatusOK, http.MethodPost, "/workshops/"+about.ID+"/end", "ann", "")
	longer := sessionstest.Decode[workshops.Workshop](t, w.want(http.StatusOK, http.MethodPost, "/workshops/"+about.ID+"/extend", "ann", `{"minutes":30}`))
	if longer.EndingAt != nil || longer.EndsAt.Sub(w.Clock.Now()) < 30*time.Minute {
		t.Errorf("with more time it is %+v", longer)
	}
	w.Clock.Advance(31 * time.Minute)
	w.look()
	if w.Row(guest.ID).RequestedStatus != "" || w.Row(guest.ID).Status != sessions.Running {
		t.Error("the session ended although there is more time")
	}
	w.Clock.Advance(2 * time.Minute)
	w.look()
	w.until("it has ended", func() bool {
		return w.Row(guest.ID).Status == sessions.Terminated
	})
	w.wantCode(http.StatusGone, "workshop_ended", http.MethodPost, "/workshops/"+about.ID+"/extend", "ann", `{"minutes":30}`)
}

func TestADisabledHostEndsTheWorkshop(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	about := w.opened(3)
	guest := w.join(about, "Ada")
	w.running(guest.ID)
	w.Enable("ann@example.org", false)
	w.want(http.StatusForbidden, http.MethodGet, "/workshops/"+about.ID+"/board", "ann", "")
	w.look()
	w.until("its sessions have stopped", func() bool { return w.Row(guest.ID).Status == sessions.Terminated })
	w.wantCode(http.StatusGone, "workshop_ended", http.MethodPost, joinPath(about), "", joining("Late", about.Code))
}

func TestReports(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	about := w.opened(3)
	w.join(about, "=HYPERLINK(1)")
	w.join(about, "Grace, of \"the\" Hopper")
	plain := w.want(http.StatusOK, http.MethodGet, "/workshops/"+about.ID+"/report.csv", "ann", "").Body.String()
	if strings.Contains(plain, "Grace") || strings.Contains(plain, "HYPER") || !strings.HasPrefix(plain, "seat,signed_in,") {
		t.Errorf("without names it is\n%s", plain)
	}
	rows, err := csv.NewReader(w.want(http.StatusOK, http.MethodGet, "/workshops/"+about.ID+"/report.csv?names=true", "ann", "").Body).ReadAll()
	sessionstest.Check(t, err)
	if len(rows) != 3 || rows[1][1] != "'=HYPERLINK(1)" || rows[2][1] != `Grace, of "the" Hopper` {
		t.Errorf("with names it is %q", rows)
	}
	w.want(http.StatusNotFound, http.MethodGet, "/workshops/"+about.ID+"/report", "bob", "")
	w.want(http.StatusUnauthorized, http.MethodGet, "/workshops/"+about.ID+"/report", "", "")
}

func TestAWorkshopIsDeleted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	planned := w.prepare(3, "")
	w.want(http.StatusNotFound, http.MethodDelete, "/workshops/"+planned.ID, "bob", "")
	w.want(http.StatusOK, http.MethodDelete, "/workshops/"+planned.ID, "ann", "")
	w.want(http.StatusNotFound, http.MethodGet, "/workshops/"+planned.ID, "ann", "")
	open := w.opened(3)
	guest := w.join(open, "Ada")
	w.running(guest.ID)
	w.want(http.StatusConflict, http.MethodDelete, "/workshops/"+open.ID, "ann", "")
	w.want(http.StatusOK, http.MethodPost, "/workshops/"+open.ID+"/end", "ann", `{"notice":"0s"}`)
	w.want(http.StatusOK, http.MethodDelete, "/workshops/"+open.ID, "ann", "")
	w.until("the guest's session is gone", func() bool {
		found, err := w.Store.ByID(t.Context(), guest.ID)
		sessionstest.Check(t, err)
		return len(found) == 0
	})
}
