package sessions

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/fake"
)

func TestAdmissionIsInOrderAndNeverAboveTheCapacity(t *testing.T) {
	t.Parallel()
	start := newClock().Now()
	session := func(id string, queued int, change func(*Session)) Session {
		made := Session{ID: id, Status: Created, queuedAt: start.Add(time.Duration(queued) * time.Second)}
		if change != nil {
			change(&made)
		}
		return made
	}
	admitted := func(s *Session) { s.admittedAt = start }
	running := func(s *Session) { s.Status, s.admittedAt = Running, start }
	refused := func(seconds int) func(*Session) {
		return func(s *Session) { s.refusedAt = start.Add(time.Duration(seconds) * time.Second) }
	}
	at := func(place int) func(*Session) { return func(s *Session) { s.QueuePosition = place } }
	for name, test := range map[string]struct {
		live     []Session
		capacity int
		want     []string // "id" for one that is admitted, "id@place" for one whose place changes
	}{
		"room for all":                       {[]Session{session("b", 2, nil), session("a", 1, nil)}, 2, []string{"a", "b"}},
		"room for one":                       {[]Session{session("b", 2, nil), session("a", 1, nil)}, 1, []string{"a", "b@1"}},
		"no limit":                           {[]Session{session("b", 2, nil), session("a", 1, nil)}, 0, []string{"a", "b"}},
		"asked for together, by id":          {[]Session{session("b", 1, nil), session("a", 1, nil)}, 1, []string{"a", "b@1"}},
		"full":                               {[]Session{session("r", 0, running), session("s", 0, admitted), session("a", 1, nil)}, 2, []string{"a@1"}},
		"places stay":                        {[]Session{session("r", 0, running), session("a", 1, at(1)), session("b", 2, at(2))}, 1, nil},
		"places move up":                     {[]Session{session("r", 0, running), session("b", 2, at(2)), session("c", 3, at(3))}, 1, []string{"b@1", "c@2"}},
		"smaller capacity than what runs":    {[]Session{session("r", 0, running), session("s", 0, running), session("a", 1, nil)}, 1, []string{"a@1"}},
		"one that is being stopped has room": {[]Session{session("r", 0, func(s *Session) { running(s); s.RequestedStatus = Terminated }), session("a", 1, nil)}, 1, []string{"a@1"}},
		"one that is cancelled has none":     {[]Session{session("q", 0, func(s *Session) { s.RequestedStatus = Terminated }), session("a", 1, nil)}, 1, []string{"a"}},
		"refused a moment ago":               {[]Session{session("a", 1, refused(-1)), session("b", 2, nil)}, 0, []string{"a@1", "b@2"}},
		"room was made since":                {[]Session{session("a", 1, refused(-7)), session("b", 2, nil)}, 0, []string{"a", "b@1"}},
		"refused a while ago":                {[]Session{session("a", 1, refused(-10)), session("b", 2, nil)}, 0, []string{"a", "b@1"}},
		"asked again, no answer yet":         {[]Session{session("a", 1, func(s *Session) { refused(-10)(s); admitted(s) }), session("b", 2, refused(-10))}, 0, []string{"b@1"}},
		"asked again, and it begins":         {[]Session{session("a", 1, func(s *Session) { refused(-10)(s); admitted(s); s.step = engine.StepRepository }), session("b", 2, refused(-10))}, 0, []string{"b"}},
	} {
		var got []string
		for _, changed := range admit(test.live, nil, test.capacity, start.Add(-5*time.Second), start) {
			text := changed.ID
			if changed.admittedAt.IsZero() {
				text = fmt.Sprintf("%s@%d", changed.ID, changed.QueuePosition)
			}
			got = append(got, text)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: got %v, want %v", name, got, test.want)
		}
	}
}

func TestLaunchesAboveTheCapacityWaitInTheQueue(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.options.Capacity, w.options.Limit = 1, 10
	w.service = w.newService()
	w.run(w.service)
	first := w.running("first")
	w.clock.advance(time.Second)
	second := w.start("second")
	w.clock.advance(time.Second)
	third, err := w.service.Start(w.as(w.bob), w.projects["shared"], "third", "", "", "")
	check(t, err)
	place := func(id string) func() bool {
		return func() bool { return w.row(id).QueuePosition == map[string]int{second.ID: 1, third.ID: 2}[id] }
	}
	eventually(t, "the second is next", place(second.ID))
	eventually(t, "the third is after it", place(third.ID))
	for _, id := range []string{second.ID, third.ID} {
		if got := w.row(id); got.Status != Created || w.phase(id) != "" {
			t.Errorf("a queued session is %s, and the engine says %q", got.Status, w.phase(id))
		}
	}
	w.clock.advance(24 * time.Hour)
	check(t, w.service.reconcile(t.Context(), w.service.Engines[0]))
	if got := w.row(third.ID); got.Status != Created {
		t.Fatalf("the wait in the queue made it %s", got.Status)
	}

	cancelled, err := w.service.Terminate(w.as(w.ann), second.ID)
	check(t, err)
	if cancelled.Status != Terminated || cancelled.QueuePosition != 0 || w.machine.Launches(second.ID) != 0 {
		t.Errorf("cancelled: %s at place %d after %d launches", cancelled.Status, cancelled.QueuePosition, w.machine.Launches(second.ID))
	}
	eventually(t, "the third moves up", func() bool { return w.row(third.ID).QueuePosition == 1 })

	if _, err := w.service.Terminate(w.as(w.ann), first.ID); err != nil {
		t.Fatal(err)
	}
	w.launched(third.ID)
	if got := w.row(third.ID); got.QueuePosition != 0 {
		t.Errorf("launched, and still at place %d", got.QueuePosition)
	}
	again, err := w.service.Restart(w.as(w.ann), first.ID)
	check(t, err)
	eventually(t, "who starts again waits at the end", func() bool { return w.row(again.ID).QueuePosition == 1 })
}

// Several processes share a database and an engine: together they never run more than there is room for.
func TestCapacityHoldsWithSeveralProcesses(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		const capacity, asked = 3, 12
		w.machine = fake.NewStore(func(engine.Spec) fake.Outcome { return fake.Outcome{Ready: true} }, nil, w.clock.Now)
		w.options.Capacity, w.options.Limit = capacity, asked
		processes := []*Service{w.newService(), w.newService(), w.newService()}
		w.service = processes[0]
		var ids []string
		for i := range asked {
			ids = append(ids, w.start(fmt.Sprint("session ", i)).ID)
		}
		for _, process := range processes {
			w.run(process)
		}
		for done := 0; done < asked; {
			reports, err := w.service.Engines[0].List(t.Context())
			check(t, err)
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
				if w.row(id).Status == Running {
					w.machine.End(id, true, "")
					w.waitFor(id, Finished)
					done++
				}
			}
		}
		for _, id := range ids {
			if got := w.machine.Launches(id); got != 1 {
				t.Errorf("%s was launched %d times", id, got)
			}
		}
	})
}

// Engines on other machines have separate limits.
func TestCapacityIsOfThisMachine(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.options.Capacity = 1
	w.service = w.newService()
	w.service.Engines[0].Local = false
	w.run(w.service)
	for _, name := range []string{"first", "second"} {
		w.launched(w.start(name).ID)
	}
}

// An engine that has places but nothing to put a session on says why; the session starts by itself afterwards.
func TestWhoWaitsForTheEngineIsToldWhy(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		const why = "The disk of this server is nearly full."
		var room atomic.Bool
		w.machine = fake.NewStore(func(engine.Spec) fake.Outcome {
			if room.Load() {
				return fake.Outcome{Ready: true}
			}
			return fake.Outcome{Full: why}
		}, nil, w.clock.Now)
		w.service = w.newService()
		w.run(w.service)
		id := w.start("first").ID
		eventually(t, "it waits", func() bool {
			session := w.row(id)
			return session.QueuePosition == 1 && session.Warning == why && session.Status == Created
		})
		if told := headline(w.row(id)); told != why {
			t.Errorf("its page says %q", told)
		}
		room.Store(true)
		eventually(t, "it starts", func() bool {
			w.clock.advance(time.Second)
			session := w.row(id)
			return session.Status == Running && session.Warning == ""
		})
	})
}
