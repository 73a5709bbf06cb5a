package workshops_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
	"cairn/internal/sessions"
	"cairn/internal/sessions/sessionstest"
	"cairn/internal/sessions/warm"
	"cairn/internal/workshops"
)

// flaky has PlanSeats fail while it is broken.
type flaky struct {
	workshops.SeatSessions
	broken bool
	plans  int
}

func (f *flaky) PlanSeats(ctx context.Context, host identity.Caller, asked sessions.StartRequest) (sessions.Session, error) {
	f.plans++
	if f.broken {
		return sessions.Session{}, fault.New(fault.Unavailable, "The code host doesn't answer.")
	}
	return f.SeatSessions.PlanSeats(ctx, host, asked)
}

func (w *world) prepareAt(from, length time.Duration, seats int) workshops.Workshop {
	w.T.Helper()
	start := w.Clock.Now().Add(from)
	body := fmt.Sprintf(`{"name":"W","entry":%q,"seats":%d,"startsAt":%q,"endsAt":%q,"timezone":"Europe/Berlin"}`, w.ID("tools"), seats, start.Format(time.RFC3339), start.Add(length).Format(time.RFC3339))
	return sessionstest.Decode[workshops.Workshop](w.T, w.want(http.StatusCreated, http.MethodPost, "/workshops", "ann", body))
}

func TestOpeningEarlyKeepsPromises(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first, second := w.prepareAt(time.Hour, time.Hour, 18), w.prepareAt(24*time.Hour, time.Hour, 18)
	w.want(http.StatusOK, http.MethodPost, "/workshops/"+first.ID+"/open", "ann", "")
	answer := w.call(http.MethodPost, "/workshops/"+second.ID+"/open", "ann", "")
	if answer.Code == http.StatusOK {
		t.Errorf("36 of 20 places are reserved now: %s", answer.Body)
	}
}

func TestAFailedJoinTakesNoSeat(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	about := w.opened(2)
	broken := &flaky{SeatSessions: w.at.workshops.Seats, broken: true}
	w.at.workshops.Seats = broken
	for range 2 {
		t.Log(w.call(http.MethodPost, joinPath(about), "", joining("Ada", about.Code)).Body)
	}
	broken.broken = false
	w.Clock.Advance(5 * time.Second) // as long as the answer says
	if answer := w.call(http.MethodPost, joinPath(about), "", joining("Ada", about.Code)); answer.Code != http.StatusCreated {
		t.Errorf("Ada alone came, and the workshop is full: %s", answer.Body)
	}
}

func TestAMomentWithoutCodeHostKeepsWarmSessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.prepare(4, "")
	w.Clock.Advance(46 * time.Minute)
	broken := &flaky{SeatSessions: w.at.workshops.Seats}
	w.at.workshops.Seats = broken
	w.until("four are warm", func() bool {
		for _, session := range w.WarmOnes(warm.Starting) {
			w.Machine.Ready(session.ID)
		}
		return len(w.WarmOnes(warm.Ready)) == 4
	})
	broken.broken = true
	w.Clock.Advance(31 * time.Second)
	before := broken.plans
	for range 5 {
		w.pass()
	}
	if left := len(w.WarmOnes(warm.Ready)); left != 4 {
		t.Errorf("%d of 4 are left", left)
	}
	t.Logf("%d plans in 5 passes", broken.plans-before)
}

func TestAChangeCountsAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	about := w.prepare(4, "")
	w.Clock.Advance(46 * time.Minute)
	w.pass()
	w.want(http.StatusOK, http.MethodPatch, "/workshops/"+about.ID, "ann", fmt.Sprintf(`{"project":%q}`, w.Projects["notes"]))
	w.want(http.StatusOK, http.MethodPost, "/workshops/"+about.ID+"/open", "ann", "")
	if one := w.join(about, "Ada"); one.Project.ID != w.Projects["notes"] {
		t.Errorf("the seat got %+v of %+v", one.Project.Name, one.Resource)
	}
}

func TestACoHostCantRunWhatOnlyTheOwnerSees(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	about := w.prepare(4, `"hosts":["bob@example.org"]`)
	answer := w.call(http.MethodPatch, "/workshops/"+about.ID, "bob", fmt.Sprintf(`{"project":%q}`, w.Projects["notes"]))
	if answer.Code == http.StatusOK {
		t.Errorf("bob made it a workshop of ann's unpublished project: %s", answer.Body)
	}
}

func TestTheHostsRightsEndWithTheWorkshop(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sessionstest.Check(t, w.Catalog.Import(t.Context(), []catalog.Entry{{
		ExternalID: "anns", Name: "Ann's", Authors: []string{"ann@example.org"}, Type: catalog.Repository, RepositoryURL: "https://github.com/example/anns.git", Privacy: catalog.PrivacyPrivate,
	}}))
	made := sessionstest.Decode[workshops.Workshop](t, w.want(http.StatusCreated, http.MethodPost, "/workshops", "ann", strings.Replace(w.draft(3, ""), w.ID("tools"), w.ID("anns"), 1)))
	w.want(http.StatusOK, http.MethodPost, "/workshops/"+made.ID+"/open", "ann", "")
	bob := sessionstest.Decode[workshops.Joined](t, w.want(http.StatusCreated, http.MethodPost, joinPath(made), "bob", joining("", made.Code)))
	w.running(bob.ID)
	w.want(http.StatusOK, http.MethodPost, "/workshops/"+made.ID+"/end", "ann", `{"notice":"0s"}`)
	w.until("stopped", func() bool { return w.Row(bob.ID).Status == sessions.Terminated })
	again, err := w.at.server.Restart(w.As(w.Bob), bob.ID)
	sessionstest.Check(t, err)
	readable, err := w.Options.Resolver.Readable(t.Context(), w.Row(again.ID))
	sessionstest.Check(t, err)
	if w.Row(again.ID).Workshop == "" && readable[w.ID("anns")] {
		t.Errorf("bob's own session, after the end, still reads ann's private entry: host %q", w.Row(again.ID).Source.Host)
	}
}

func TestSeatsGetWarmWhileOthersWaitForRoom(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Options.Engines.Capacity, w.Options.Limit = 10, 50
	w.at = w.another()
	w.Server = w.at.server
	w.prepare(6, "")
	var others []sessions.Session
	for i := range 10 {
		one, err := w.at.server.StartFrom(w.As(w.Bob), sessions.StartRequest{ResourceID: w.ID("spikes"), Name: fmt.Sprint("Other ", i)})
		sessionstest.Check(t, err)
		others = append(others, one)
	}
	for _, one := range others {
		w.running(one.ID)
	}
	w.Clock.Advance(46 * time.Minute)
	_, err := w.at.server.StartFrom(w.As(w.Bob), sessions.StartRequest{ResourceID: w.ID("spikes"), Name: "Waits"})
	sessionstest.Check(t, err)
	for range 30 {
		w.pass()
		for _, session := range w.WarmOnes(warm.Starting) {
			w.Machine.Ready(session.ID)
		}
	}
	if found := len(w.WarmOnes(warm.Ready)); found == 0 {
		t.Errorf("%d seats are warm after a minute, because somebody else is in the queue", found)
	}
}

func TestUndeletedSessionsOfAWorkshopCount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Options.Limit = 1
	w.at = w.another()
	w.Server = w.at.server
	about := w.opened(3)
	var ids []string
	for range 3 {
		bob := sessionstest.Decode[workshops.Joined](t, w.want(http.StatusCreated, http.MethodPost, joinPath(about), "bob", joining("", about.Code)))
		ids = append(ids, bob.ID)
		w.running(bob.ID)
		sessionstest.Check(t, w.Store.Request(t.Context(), []string{bob.ID}, sessions.Deleted))
		w.until("deleted", func() bool { return w.Row(bob.ID).Status == sessions.Deleted })
	}
	w.want(http.StatusOK, http.MethodPost, "/workshops/"+about.ID+"/end", "ann", `{"notice":"0s"}`)
	live := 0
	for _, id := range ids {
		if _, err := w.at.server.Undelete(w.As(w.Bob), id); err != nil {
			t.Logf("undelete: %v", err)
		}
		if _, err := w.at.server.Restart(w.As(w.Bob), id); err != nil {
			t.Logf("restart: %v", err)
			continue
		}
		live++
	}
	if live > 1 {
		t.Errorf("bob, whose limit is 1, starts %d sessions after the end; the first is of workshop %q", live, w.Row(ids[0]).Workshop)
	}
}

func TestAFreedSeatIsNoSeatAnyLonger(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	about := w.opened(3)
	bob := sessionstest.Decode[workshops.Joined](t, w.want(http.StatusCreated, http.MethodPost, joinPath(about), "bob", joining("", about.Code)))
	w.running(bob.ID)
	w.want(http.StatusOK, http.MethodDelete, "/workshops/"+about.ID+"/seats/1", "ann", "")
	w.until("stopped", func() bool { return w.Row(bob.ID).Status == sessions.Terminated })
	_, err := w.at.server.Restart(w.As(w.Bob), bob.ID)
	if err == nil && w.Row(bob.ID).Workshop != "" {
		t.Errorf("the session of a freed seat runs again in the workshop's places, and the host sees no seat of it: %+v", w.board(about).Seats[0])
	}
}

func TestTheTokenAloneLeadsBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	about := w.opened(3)
	guest := w.join(about, "Ada")
	back := sessionstest.Decode[workshops.Joined](t, w.want(http.StatusCreated, http.MethodPost, joinPath(about), "", `{}`, "Authorization", "Bearer "+guest.Token))
	if !strings.Contains(back.OpenURL, "ticket=") {
		t.Errorf("with the token the guest is sent to %s", back.OpenURL)
	}
	w.want(http.StatusOK, http.MethodPost, "/workshops/"+about.ID+"/end", "ann", `{"notice":"0s"}`)
	w.Clock.Advance(14*24*time.Hour + time.Minute)
	if answer := w.call(http.MethodGet, joinPath(about)+"/work.zip", "", "", "Authorization", "Bearer "+guest.Token); answer.Code != http.StatusGone {
		t.Errorf("the work link after 14 days answers %d %s", answer.Code, answer.Body)
	}
}

func TestARenewedAddressKeepsTheWork(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	about := w.opened(3)
	guest := w.join(about, "Ada")
	w.running(guest.ID)
	w.want(http.StatusOK, http.MethodPost, "/workshops/"+about.ID+"/code", "ann", "")
	body := fmt.Sprintf(`{"seat":1,"seatCode":%q}`, guest.SeatCode)
	if answer := w.call(http.MethodPost, joinPath(about), "", body); answer.Code != http.StatusCreated {
		t.Errorf("the seat's code at the guest's own page: %d %s", answer.Code, answer.Body)
	}
	if answer := w.call(http.MethodPost, joinPath(about)+"/work", "", body); answer.Code != http.StatusOK {
		t.Errorf("the work at the guest's own page: %d %s", answer.Code, answer.Body)
	}
}

// late has a workshop end while a session of it is planned.
type late struct {
	workshops.SeatSessions
	during func()
}

func (l *late) PlanSeats(ctx context.Context, host identity.Caller, asked sessions.StartRequest) (sessions.Session, error) {
	made, err := l.SeatSessions.PlanSeats(ctx, host, asked)
	if l.during != nil {
		during := l.during
		l.during = nil
		during()
	}
	return made, err
}

func TestNothingStartsAfterTheEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	about := w.opened(3)
	other := w.another()
	slow := &late{SeatSessions: w.at.workshops.Seats}
	w.at.workshops.Seats = slow
	slow.during = func() { // the code host takes a while, and meanwhile another server ends the workshop
		w.Clock.Advance(3*time.Hour + time.Second)
		sessionstest.Check(t, other.workshops.Look(t.Context()))
	}
	answer := w.call(http.MethodPost, joinPath(about), "", joining("Late", about.Code))
	t.Logf("%d", answer.Code)
	for range 5 {
		w.look()
		w.pass()
	}
	live, err := w.Store.OfWorkshop(t.Context(), about.ID)
	sessionstest.Check(t, err)
	for _, one := range live {
		if one.Status.Live() && one.RequestedStatus == "" {
			t.Errorf("a session of the ended workshop is %s", one.Status)
		}
	}
}
