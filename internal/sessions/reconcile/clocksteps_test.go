package reconcile_test

import (
	"net/http"
	"testing"
	"time"

	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/sessionstest"
	"cairn/internal/sessions/sizes"
)

// The clock of a machine may be set while a server runs, and set back. Sessions that run go on, a launch goes on or is given up
// and stopped, new ones start and end, and what is stored is what runs.
func TestClockStepsLeaveNoSessionBehind(t *testing.T) {
	t.Parallel()
	for what, step := range map[string]time.Duration{"forward": 26 * time.Hour, "back": -26 * time.Hour} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.Options.Limit = 10
			w.Server = w.NewService()
			look := func() { sessionstest.Check(t, w.Server.Pass(t.Context())) }
			launched := func(name string) sessions.Session {
				session := w.Start(name)
				look()
				return session
			}
			expect := func(session sessions.Session, status sessions.Status, phase engine.Phase) {
				t.Helper()
				sessionstest.Eventually(t, session.SessionName+" is "+string(status), func() bool {
					look()
					return w.Row(session.ID).Status == status && w.Phase(session.ID) == phase
				})
			}
			runs := launched("runs")
			w.Machine.Ready(runs.ID)
			expect(runs, sessions.Running, engine.Running)
			for _, by := range []time.Duration{step, -step} {
				launches := launched("launches over " + by.String())
				w.Clock.Advance(by)
				look()
				if by > (sizes.Engine{}).Patience() {
					expect(launches, sessions.Failed, engine.Ended)
				} else {
					expect(launches, sessions.Created, engine.Starting)
					w.Machine.Ready(launches.ID)
					expect(launches, sessions.Running, engine.Running)
				}
				later := launched("after " + by.String())
				w.Machine.Ready(later.ID)
				expect(later, sessions.Running, engine.Running)
				expect(runs, sessions.Running, engine.Running)
				if _, err := w.Server.Terminate(w.As(w.Ann), later.ID); err != nil {
					t.Fatal(err)
				}
				expect(later, sessions.Terminated, engine.Ended)
			}
			expect(runs, sessions.Running, engine.Running)
		})
	}
}

// A ticket opens its session once, whatever the clock does. A step forward makes it too old; the next one is
// good.
func TestClockStepsGiveNoTicketAnotherUse(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Run(w.Server)
	session := w.Running("Session")
	for _, step := range []time.Duration{time.Hour, -time.Hour} {
		address := w.Ticket(session, w.Ann)
		w.Clock.Advance(step)
		if step > 0 {
			w.WantStatus("a ticket of before a step forward", w.Visit(http.MethodGet, address), http.StatusUnauthorized)
			address = w.Ticket(session, w.Ann)
		}
		w.WantStatus("its only use", w.Visit(http.MethodGet, address), http.StatusSeeOther)
		w.Clock.Advance(-step)
		w.WantStatus("its second use", w.Visit(http.MethodGet, address), http.StatusUnauthorized)
	}
}
