package sessions_test

import (
	"fmt"
	"html"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/fake"
	"cairn/internal/sessions/sessionstest"
)

func TestLaunchesAboveTheCapacityWaitInTheQueue(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Options.Engines.Capacity, w.Options.Limit = 1, 10
	w.Server = w.NewService()
	w.Run(w.Server)
	first := w.Running("first")
	w.Clock.Advance(time.Second)
	second := w.Start("second")
	w.Clock.Advance(time.Second)
	third, err := w.Server.Start(w.As(w.Bob), w.Projects["shared"], "third", "", "", "")
	sessionstest.Check(t, err)
	place := func(id string) func() bool {
		return func() bool { return w.Row(id).QueuePosition == map[string]int{second.ID: 1, third.ID: 2}[id] }
	}
	sessionstest.Eventually(t, "the second is next", place(second.ID))
	sessionstest.Eventually(t, "the third is after it", place(third.ID))
	for _, id := range []string{second.ID, third.ID} {
		if got := w.Row(id); got.Status != sessions.Created || w.Phase(id) != "" {
			t.Errorf("a queued session is %s, and the engine says %q", got.Status, w.Phase(id))
		}
	}
	w.Clock.Advance(24 * time.Hour)
	sessionstest.Check(t, w.Server.Pass(t.Context()))
	if got := w.Row(third.ID); got.Status != sessions.Created {
		t.Fatalf("the wait in the queue made it %s", got.Status)
	}

	cancelled, err := w.Server.Terminate(w.As(w.Ann), second.ID)
	sessionstest.Check(t, err)
	if cancelled.Status != sessions.Terminated || cancelled.QueuePosition != 0 || w.Machine.Launches(second.ID) != 0 {
		t.Errorf("cancelled: %s at place %d after %d launches", cancelled.Status, cancelled.QueuePosition, w.Machine.Launches(second.ID))
	}
	sessionstest.Eventually(t, "the third moves up", func() bool { return w.Row(third.ID).QueuePosition == 1 })

	if _, err := w.Server.Terminate(w.As(w.Ann), first.ID); err != nil {
		t.Fatal(err)
	}
	w.Launched(third.ID)
	if got := w.Row(third.ID); got.QueuePosition != 0 {
		t.Errorf("launched, and still at place %d", got.QueuePosition)
	}
	again, err := w.Server.Restart(w.As(w.Ann), first.ID)
	sessionstest.Check(t, err)
	sessionstest.Eventually(t, "who starts again waits at the end", func() bool { return w.Row(again.ID).QueuePosition == 1 })
}

// Several processes share a database and an engine: together they never run more than there is room for.
func TestCapacityHoldsWithSeveralProcesses(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		const capacity, asked = 3, 12
		w.Machine = fake.NewStore(func(engine.Spec) fake.Outcome { return fake.Outcome{Ready: true} }, nil, w.Clock.Now)
		w.Options.Engines.Capacity, w.Options.Limit = capacity, asked
		processes := []*sessionstest.Server{w.NewService(), w.NewService(), w.NewService()}
		w.Server = processes[0]
		var ids []string
		for i := range asked {
			ids = append(ids, w.Start(fmt.Sprint("session ", i)).ID)
		}
		for _, process := range processes {
			w.Run(process)
		}
		for done := 0; done < asked; {
			reports, err := w.Server.Engines.All[0].List(t.Context())
			sessionstest.Check(t, err)
			var live []string
			for _, report := range reports {
				if report.Phase == engine.Starting || report.Phase == engine.Running {
					live = append(live, report.ID)
				}
			}
			if len(live) > capacity {
				t.Fatalf("%d sessions run at once, and there is room for %d", len(live), capacity)
			}
			for _, id := range live {
				if w.Row(id).Status == sessions.Running {
					w.Machine.End(id, true, "")
					w.WaitFor(id, sessions.Finished)
					done++
				}
			}
		}
		for _, id := range ids {
			if got := w.Machine.Launches(id); got != 1 {
				t.Errorf("%s was launched %d times", id, got)
			}
		}
	})
}

// Engines on other machines have separate limits.
func TestCapacityIsOfThisMachine(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Options.Engines.Capacity = 1
	w.Options.Engines.All[0].Local = false
	w.Server = w.Open(w.Options)
	w.Run(w.Server)
	for _, name := range []string{"first", "second"} {
		w.Launched(w.Start(name).ID)
	}
}

// An engine that has places but nothing to put a session on says why; the session starts on its own afterwards.
func TestWhoWaitsForTheEngineIsToldWhy(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		const why = "The disk of this server is nearly full."
		var room atomic.Bool
		w.Machine = fake.NewStore(func(engine.Spec) fake.Outcome {
			if room.Load() {
				return fake.Outcome{Ready: true}
			}
			return fake.Outcome{Full: why}
		}, nil, w.Clock.Now)
		w.Server = w.NewService()
		w.Run(w.Server)
		id := w.Start("first").ID
		sessionstest.Eventually(t, "it waits", func() bool {
			session := w.Row(id)
			return session.QueuePosition == 1 && session.Warning == why && session.Status == sessions.Created
		})
		if page := w.LaunchPage(w.Row(id)); !strings.Contains(html.UnescapeString(page), why) {
			t.Errorf("its page says %s", page)
		}
		room.Store(true)
		sessionstest.Eventually(t, "it starts", func() bool {
			w.Clock.Advance(time.Second)
			session := w.Row(id)
			return session.Status == sessions.Running && session.Warning == ""
		})
	})
}
