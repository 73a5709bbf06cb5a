package reconcile_test

import (
	"context"
	"testing"

	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/fake"
	"cairn/internal/sessions/sessionstest"
	"cairn/internal/sessions/sizes"
)

// A kill -9 between any two writes leaves one of these; the next process repairs them.
func TestNextProcessRepairsWhatAKillLeft(t *testing.T) {
	t.Parallel()
	started := func(w *world, session sessions.Session) {
		sessionstest.Check(w.T, w.Server.Engines.All[0].Start(w.T.Context(), w.SpecOf(session)))
	}
	runs := func(w *world, session sessions.Session) sessions.Session {
		started(w, session)
		sessionstest.Check(w.T, w.Store.Launched(w.T.Context(), session, w.Clock.Now()))
		w.Machine.Ready(session.ID)
		if _, err := w.Store.Settle(w.T.Context(), w.Row(session.ID), sessions.Running, ""); err != nil {
			w.T.Fatal(err)
		}
		return w.Row(session.ID)
	}
	wish := func(w *world, session sessions.Session, wish sessions.Status) {
		sessionstest.Check(w.T, w.Store.Request(w.T.Context(), []string{session.ID}, wish))
	}
	stopped := func(w *world, session sessions.Session) {
		sessionstest.Check(w.T, w.Server.Engines.All[0].Stop(w.T.Context(), session.ID))
	}
	for what, test := range map[string]struct {
		leave    func(w *world, session sessions.Session)
		status   sessions.Status // "" when no row is to be left
		phase    engine.Phase
		launches int
	}{
		"created, not launched":            {func(*world, sessions.Session) {}, sessions.Created, engine.Starting, 1},
		"launched, not marked":             {started, sessions.Created, engine.Starting, 1},
		"ready, not marked as launched":    {func(w *world, s sessions.Session) { started(w, s); w.Machine.Ready(s.ID) }, sessions.Running, engine.Running, 1},
		"stop asked for, not begun":        {func(w *world, s sessions.Session) { runs(w, s); wish(w, s, sessions.Terminated) }, sessions.Terminated, engine.Ended, 1},
		"stop asked for before the launch": {func(w *world, s sessions.Session) { wish(w, s, sessions.Terminated) }, sessions.Terminated, "", 0},
		"stopped, not written down":        {func(w *world, s sessions.Session) { runs(w, s); wish(w, s, sessions.Terminated); stopped(w, s) }, sessions.Terminated, engine.Ended, 1},
		"deletion asked for, not begun":    {func(w *world, s sessions.Session) { runs(w, s); wish(w, s, sessions.Erased) }, "", "", 0},
		"deletion asked for before launch": {func(w *world, s sessions.Session) { wish(w, s, sessions.Erased) }, "", "", 0},
		"retirement asked for, not begun":  {func(w *world, s sessions.Session) { runs(w, s); wish(w, s, sessions.Deleted) }, sessions.Deleted, engine.Ended, 1},
		"retired, not written down": {func(w *world, s sessions.Session) {
			runs(w, s)
			wish(w, s, sessions.Deleted)
			sessionstest.Check(w.T, fake.New(w.Machine).Retire(w.T.Context(), s.ID))
		}, sessions.Deleted, engine.Ended, 1},
		"retirement asked for before launch": {func(w *world, s sessions.Session) { wish(w, s, sessions.Deleted) }, sessions.Deleted, "", 0},
		"ended while nobody looked":          {func(w *world, s sessions.Session) { runs(w, s); w.Machine.End(s.ID, true, "") }, sessions.Finished, engine.Ended, 1},
		"given up, its launch still going on": {func(w *world, s sessions.Session) {
			started(w, s)
			_, err := w.Store.Settle(w.T.Context(), s, sessions.Failed, "Too slow.")
			sessionstest.Check(w.T, err)
		}, sessions.Failed, engine.Ended, 1},
		"started again, not launched": {func(w *world, s sessions.Session) {
			s = runs(w, s)
			stopped(w, s)
			_, err := w.Store.Settle(w.T.Context(), s, sessions.Finished, "")
			sessionstest.Check(w.T, err)
			sessionstest.Check(w.T, w.Store.Relaunch(w.T.Context(), s, 3))
		}, sessions.Created, engine.Starting, 2},
	} {
		t.Run(what, func(t *testing.T) {
			w := newWorld(t)
			session := w.Start("Session")
			test.leave(w, session)
			w.Server = w.NewService()
			w.Run(w.Server)
			sessionstest.Eventually(t, "all is as it should be", func() bool {
				rows, err := w.Store.ByID(t.Context(), session.ID)
				sessionstest.Check(t, err)
				if test.status == "" {
					return len(rows) == 0 && w.Phase(session.ID) == ""
				}
				return len(rows) == 1 && rows[0].Status == test.status && rows[0].RequestedStatus == "" && w.Phase(session.ID) == test.phase &&
					w.Machine.Launches(session.ID) == test.launches
			})
		})
	}
}

// After a restored backup of the database, what runs may be unknown to it or believed to have ended.
func TestStraysAreStoppedAndTheirWorkIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	known := w.Start("known")
	unknown := known
	unknown.ID = "01900000-0000-7000-8000-000000000001"
	for _, session := range []sessions.Session{known, unknown} {
		sessionstest.Check(t, w.Server.Engines.All[0].Start(t.Context(), w.SpecOf(session)))
		w.Machine.Ready(session.ID)
	}
	if _, err := w.Store.Settle(t.Context(), known, sessions.Terminated, ""); err != nil {
		t.Fatal(err)
	}
	w.Run(w.Server)
	for _, session := range []sessions.Session{known, unknown} {
		sessionstest.Eventually(t, "the stray is stopped", func() bool { return w.Phase(session.ID) == engine.Ended })
	}
	if got := w.Row(known.ID); got.Status != sessions.Terminated {
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
	session := w.Settled("Session", sessions.Finished)
	stray := w.Server.Engines.All[0]
	sessionstest.Check(t, stray.Start(t.Context(), w.SpecOf(session)))
	w.Machine.Ready(session.ID)
	w.Machine.HoldStops(true)
	watched := watchedEngine{Engine: stray.Engine, stops: make(chan string, 1)}
	sessionstest.Check(t, w.Server.Reconciler.PassOver(t.Context(), sizes.Engine{Engine: watched, Name: stray.Name}))
	<-watched.stops
	sessionstest.Check(t, w.Store.Relaunch(t.Context(), session, 3))
	sessionstest.Check(t, w.Server.Reconciler.PassOver(t.Context(), stray))
	if got := w.Row(session.ID); !got.LaunchedAt.IsZero() {
		t.Fatal("it was launched into the stop of its stray")
	}
	w.Machine.HoldStops(false)
	w.Run(w.Server)
	w.Launched(session.ID)
	if w.Machine.Launches(session.ID) != 2 || w.Phase(session.ID) != engine.Starting {
		t.Errorf("%d launches, the engine says %q; want a second launch", w.Machine.Launches(session.ID), w.Phase(session.ID))
	}
}

// Sessions of an engine that is opened elsewhere are none of this one's business.
func TestEnginesLookAfterTheirOwnSessionsOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.Start("Session")
	sessionstest.Check(t, w.Server.Reconciler.PassOver(t.Context(), sizes.Engine{Engine: fake.New(fake.NewStore(nil, nil, nil)), Name: "other"}))
	if got := w.Row(session.ID); got.Status != sessions.Created || !got.LaunchedAt.IsZero() {
		t.Errorf("the other engine made it %s", got.Status)
	}
}
