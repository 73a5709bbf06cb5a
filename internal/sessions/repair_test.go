package sessions

import (
	"context"
	"testing"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/fake"
)

// A kill -9 between any two writes leaves one of these; the next process repairs them.
func TestNextProcessRepairsWhatAKillLeft(t *testing.T) {
	t.Parallel()
	started := func(w *world, session Session) {
		check(w.t, w.service.Engines[0].Start(w.t.Context(), specOf(session)))
	}
	runs := func(w *world, session Session) Session {
		started(w, session)
		check(w.t, w.store.Launched(w.t.Context(), session, w.clock.Now()))
		w.machine.Ready(session.ID)
		if _, err := w.store.Settle(w.t.Context(), w.row(session.ID), Running, ""); err != nil {
			w.t.Fatal(err)
		}
		return w.row(session.ID)
	}
	wish := func(w *world, session Session, wish Status) {
		check(w.t, w.store.Request(w.t.Context(), []string{session.ID}, wish))
	}
	stopped := func(w *world, session Session) {
		check(w.t, w.service.Engines[0].Stop(w.t.Context(), session.ID))
	}
	for what, test := range map[string]struct {
		leave    func(w *world, session Session)
		status   Status // "" when no row is to be left
		phase    engine.Phase
		launches int
	}{
		"created, not launched":            {func(*world, Session) {}, Created, engine.Starting, 1},
		"launched, not marked":             {started, Created, engine.Starting, 1},
		"ready, not marked as launched":    {func(w *world, s Session) { started(w, s); w.machine.Ready(s.ID) }, Running, engine.Running, 1},
		"stop asked for, not begun":        {func(w *world, s Session) { runs(w, s); wish(w, s, Terminated) }, Terminated, engine.Ended, 1},
		"stop asked for before the launch": {func(w *world, s Session) { wish(w, s, Terminated) }, Terminated, "", 0},
		"stopped, not written down":        {func(w *world, s Session) { runs(w, s); wish(w, s, Terminated); stopped(w, s) }, Terminated, engine.Ended, 1},
		"deletion asked for, not begun":    {func(w *world, s Session) { runs(w, s); wish(w, s, erased) }, "", "", 0},
		"deletion asked for before launch": {func(w *world, s Session) { wish(w, s, erased) }, "", "", 0},
		"retirement asked for, not begun":  {func(w *world, s Session) { runs(w, s); wish(w, s, Deleted) }, Deleted, engine.Ended, 1},
		"retired, not written down": {func(w *world, s Session) {
			runs(w, s)
			wish(w, s, Deleted)
			check(w.t, fake.New(w.machine).Retire(w.t.Context(), s.ID))
		}, Deleted, engine.Ended, 1},
		"retirement asked for before launch": {func(w *world, s Session) { wish(w, s, Deleted) }, Deleted, "", 0},
		"ended while nobody looked":          {func(w *world, s Session) { runs(w, s); w.machine.End(s.ID, true, "") }, Finished, engine.Ended, 1},
		"given up, its launch still going on": {func(w *world, s Session) {
			started(w, s)
			_, err := w.store.Settle(w.t.Context(), s, Failed, "Too slow.")
			check(w.t, err)
		}, Failed, engine.Ended, 1},
		"started again, not launched": {func(w *world, s Session) {
			s = runs(w, s)
			stopped(w, s)
			_, err := w.store.Settle(w.t.Context(), s, Finished, "")
			check(w.t, err)
			check(w.t, w.store.Relaunch(w.t.Context(), s, 3))
		}, Created, engine.Starting, 2},
	} {
		t.Run(what, func(t *testing.T) {
			w := newWorld(t)
			session := w.start("Session")
			test.leave(w, session)
			w.service = w.newService()
			w.run(w.service)
			eventually(t, "all is as it should be", func() bool {
				rows, err := w.store.ByID(t.Context(), session.ID)
				check(t, err)
				if test.status == "" {
					return len(rows) == 0 && w.phase(session.ID) == ""
				}
				return len(rows) == 1 && rows[0].Status == test.status && rows[0].RequestedStatus == "" && w.phase(session.ID) == test.phase &&
					w.machine.Launches(session.ID) == test.launches
			})
		})
	}
}

// After a restored backup of the database, what runs may be unknown to it or believed to have ended.
func TestStraysAreStoppedAndTheirWorkIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	known := w.start("known")
	unknown := known
	unknown.ID = "01900000-0000-7000-8000-000000000001"
	for _, session := range []Session{known, unknown} {
		check(t, w.service.Engines[0].Start(t.Context(), specOf(session)))
		w.machine.Ready(session.ID)
	}
	if _, err := w.store.Settle(t.Context(), known, Terminated, ""); err != nil {
		t.Fatal(err)
	}
	w.run(w.service)
	for _, session := range []Session{known, unknown} {
		eventually(t, "the stray is stopped", func() bool { return w.phase(session.ID) == engine.Ended })
	}
	if got := w.row(known.ID); got.Status != Terminated {
		t.Errorf("the stop made it %s", got.Status)
	}
}

// watchedEngine reports the stops requested from it.
type watchedEngine struct {
	engine.Engine

	stops chan string
}

func (e watchedEngine) Stop(ctx context.Context, id string) error {
	e.stops <- id
	return e.Engine.Stop(ctx, id)
}

// A session is left alone while something is under way for it: a stray's late stop must not hit its next launch.
func TestLaunchWaitsForAStopThatIsUnderWay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.settled("Session", Finished)
	stray := w.service.Engines[0]
	check(t, stray.Start(t.Context(), specOf(session)))
	w.machine.Ready(session.ID)
	w.machine.HoldStops(true)
	watched := watchedEngine{Engine: stray.Engine, stops: make(chan string, 1)}
	check(t, w.service.reconcile(t.Context(), NamedEngine{Engine: watched, Name: stray.Name}))
	<-watched.stops
	check(t, w.store.Relaunch(t.Context(), session, 3))
	check(t, w.service.reconcile(t.Context(), stray))
	if got := w.row(session.ID); !got.launchedAt.IsZero() {
		t.Fatal("it was launched into the stop of its stray")
	}
	w.machine.HoldStops(false)
	w.run(w.service)
	w.launched(session.ID)
	if w.machine.Launches(session.ID) != 2 || w.phase(session.ID) != engine.Starting {
		t.Errorf("%d launches, the engine says %q; want a second launch", w.machine.Launches(session.ID), w.phase(session.ID))
	}
}

// Sessions of an engine that is opened elsewhere are none of this one's business.
func TestEnginesLookAfterTheirOwnSessionsOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.start("Session")
	check(t, w.service.reconcile(t.Context(), NamedEngine{Engine: fake.New(fake.NewStore(nil, nil, nil)), Name: "other"}))
	if got := w.row(session.ID); got.Status != Created || !got.launchedAt.IsZero() {
		t.Errorf("the other engine made it %s", got.Status)
	}
}
