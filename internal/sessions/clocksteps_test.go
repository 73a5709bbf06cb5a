package sessions

import (
	"net/http"
	"testing"
	"time"

	"cairn/internal/sessions/engine"
)

// The clock of a machine may be set while a server runs, and set back. Sessions that run go on, a launch goes on or is given up
// and stopped, new ones start and end, and what is stored is what runs.
func TestClockStepsLeaveNoSessionBehind(t *testing.T) {
	t.Parallel()
	for what, step := range map[string]time.Duration{"forward": 26 * time.Hour, "back": -26 * time.Hour} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.options.Limit = 10
			w.service = w.newService()
			look := func() { check(t, w.service.reconcile(t.Context(), w.service.Engines[0])) }
			launched := func(name string) Session {
				session := w.start(name)
				look()
				return session
			}
			expect := func(session Session, status Status, phase engine.Phase) {
				t.Helper()
				eventually(t, session.SessionName+" is "+string(status), func() bool {
					look()
					return w.row(session.ID).Status == status && w.phase(session.ID) == phase
				})
			}
			runs := launched("runs")
			w.machine.Ready(runs.ID)
			expect(runs, Running, engine.Running)
			for _, by := range []time.Duration{step, -step} {
				launches := launched("launches over " + by.String())
				w.clock.advance(by)
				look()
				if by > launchDeadline {
					expect(launches, Failed, engine.Ended)
				} else {
					expect(launches, Created, engine.Starting)
					w.machine.Ready(launches.ID)
					expect(launches, Running, engine.Running)
				}
				later := launched("after " + by.String())
				w.machine.Ready(later.ID)
				expect(later, Running, engine.Running)
				expect(runs, Running, engine.Running)
				if _, err := w.service.Terminate(w.as(w.ann), later.ID); err != nil {
					t.Fatal(err)
				}
				expect(later, Terminated, engine.Ended)
			}
			expect(runs, Running, engine.Running)
		})
	}
}

// A ticket opens its session once, whatever the clock does. A step forward makes it too old; the next one is
// good.
func TestClockStepsGiveNoTicketAnotherUse(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(w.service)
	session := w.running("Session")
	for _, step := range []time.Duration{time.Hour, -time.Hour} {
		address := w.ticket(session, w.ann)
		w.clock.advance(step)
		if step > 0 {
			w.wantStatus("a ticket of before a step forward", w.visit(http.MethodGet, address), http.StatusUnauthorized)
			address = w.ticket(session, w.ann)
		}
		w.wantStatus("its only use", w.visit(http.MethodGet, address), http.StatusSeeOther)
		w.clock.advance(-step)
		w.wantStatus("its second use", w.visit(http.MethodGet, address), http.StatusUnauthorized)
	}
}
