package sessions

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"cairn/internal/fault"
	"cairn/internal/sessions/engine"
)

var hourAndWorkday = IdleLimits{Closed: time.Hour, Open: 8 * time.Hour}

func TestIdleIsNoBusyKernelAndNoActivity(t *testing.T) {
	t.Parallel()
	now := newClock().Now()
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	for name, test := range map[string]struct {
		limits   IdleLimits
		began    time.Time // when it began to run, or was last seen active
		activity engine.Activity
		sockets  int
		stopsAt  time.Time
		stopped  bool
	}{
		"active just now":             {hourAndWorkday, ago(2 * time.Hour), engine.Activity{LastAt: now}, 0, now.Add(time.Hour), false},
		"a second too early":          {hourAndWorkday, ago(2 * time.Hour), engine.Activity{LastAt: ago(time.Hour - time.Second)}, 0, now.Add(time.Minute), false},
		"idle":                        {hourAndWorkday, ago(2 * time.Hour), engine.Activity{LastAt: ago(time.Hour)}, 0, now, true},
		"a busy kernel":               {hourAndWorkday, ago(90 * time.Hour), engine.Activity{LastAt: ago(80 * time.Hour), Busy: true}, 0, time.Time{}, false},
		"open tabs":                   {hourAndWorkday, ago(2 * time.Hour), engine.Activity{LastAt: ago(time.Hour), Connections: 1}, 0, now.Add(7 * time.Hour), false},
		"open tabs for too long":      {hourAndWorkday, ago(9 * time.Hour), engine.Activity{LastAt: ago(8 * time.Hour), Connections: 2}, 0, now, true},
		"a websocket through us":      {hourAndWorkday, ago(2 * time.Hour), engine.Activity{LastAt: ago(time.Hour)}, 1, now.Add(7 * time.Hour), false},
		"it has just begun":           {hourAndWorkday, ago(time.Minute), engine.Activity{LastAt: ago(5 * time.Hour)}, 0, now.Add(59 * time.Minute), false},
		"nothing known yet":           {hourAndWorkday, ago(5 * time.Hour), engine.Activity{}, 0, time.Time{}, false},
		"a clock ahead of ours":       {hourAndWorkday, ago(time.Hour), engine.Activity{LastAt: now.Add(time.Hour)}, 0, now.Add(time.Hour), false},
		"never, tabs closed":          {IdleLimits{Open: time.Hour}, ago(99 * time.Hour), engine.Activity{LastAt: ago(99 * time.Hour)}, 0, time.Time{}, false},
		"never, tabs open":            {IdleLimits{Closed: time.Hour}, ago(99 * time.Hour), engine.Activity{LastAt: ago(99 * time.Hour), Connections: 1}, 0, time.Time{}, false},
		"a smaller limit than so far": {IdleLimits{Closed: time.Minute}, ago(time.Hour), engine.Activity{LastAt: ago(2 * time.Minute)}, 0, ago(time.Minute), true},
	} {
		seen := test.limits.observe(Session{Status: Running, lastActivityAt: test.began}, test.activity, test.sockets, now)
		what := test.limits.expire(action{}, seen, now)
		if !seen.stopsAt.Equal(test.stopsAt) || (what.do == expire) != test.stopped {
			t.Errorf("%s: stops at %s and is stopped %t, want %s and %t", name, seen.stopsAt, what.do == expire, test.stopsAt, test.stopped)
		}
	}
}

func TestKeptSessionsGoOnForEightHoursInAll(t *testing.T) {
	t.Parallel()
	now := newClock().Now()
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	for name, test := range map[string]struct {
		limits        IdleLimits
		activeAt      time.Time
		keptAt        time.Time
		activity      engine.Activity
		stopsAt       time.Time
		kept, mayGoOn bool
	}{
		"never kept":             {hourAndWorkday, ago(30 * time.Minute), time.Time{}, engine.Activity{}, now.Add(30 * time.Minute), false, true},
		"kept now":               {hourAndWorkday, ago(30 * time.Minute), now, engine.Activity{}, now.Add(time.Hour), true, true},
		"active after that":      {hourAndWorkday, ago(30 * time.Minute), ago(40 * time.Minute), engine.Activity{}, now.Add(30 * time.Minute), false, true},
		"the eight hours end":    {hourAndWorkday, ago(7*time.Hour + 30*time.Minute), now, engine.Activity{}, now.Add(30 * time.Minute), true, false},
		"they are over":          {hourAndWorkday, ago(8 * time.Hour), now, engine.Activity{}, now, true, false},
		"open tabs for as long":  {hourAndWorkday, ago(time.Hour), now, engine.Activity{Connections: 1}, now.Add(7 * time.Hour), false, false},
		"a limit beyond eight":   {IdleLimits{Closed: 9 * time.Hour}, ago(time.Hour), now, engine.Activity{}, now.Add(8 * time.Hour), false, false},
		"a busy kernel":          {hourAndWorkday, ago(time.Hour), now, engine.Activity{Busy: true}, time.Time{}, false, false},
		"never stopped for that": {IdleLimits{}, ago(time.Hour), now, engine.Activity{}, time.Time{}, false, false},
	} {
		session := Session{Status: Running, lastActivityAt: test.activeAt, keptAt: test.keptAt}
		test.activity.LastAt = test.activeAt
		seen := test.limits.observe(session, test.activity, 0, now)
		session.StopsAt = optionalTime(seen.stopsAt)
		if !seen.stopsAt.Equal(test.stopsAt) || seen.kept != test.kept || session.mayKeep() != test.mayGoOn {
			t.Errorf("%s: it stops at %s, kept %t, may be kept %t", name, seen.stopsAt, seen.kept, session.mayKeep())
		}
	}
}

func TestKeepingOutlivesTheServer(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.options.Idle = hourAndWorkday
		w.service = w.newService()
		kill := w.run(w.service)
		session := w.running("Session")
		began := w.clock.Now()
		w.machine.Report(session.ID, engine.Activity{LastAt: began}, "")
		eventually(t, "it is known when it stops", func() bool { return w.row(session.ID).StopsAt != nil })
		w.clock.advance(50 * time.Minute)
		for range 3 { // repeating it adds nothing
			check(t, w.service.KeepGoing(w.as(w.ann), session.ID))
		}
		kept := began.Add(110 * time.Minute)
		if got := w.row(session.ID); !got.StopsAt.Equal(kept) || !got.LastActivityAt.Equal(began) {
			t.Fatalf("it stops at %s, and was active at %s", got.StopsAt, got.LastActivityAt)
		}
		stale := w.row(session.ID)
		kill()
		w.clock.advance(20 * time.Minute)
		if err := w.service.KeepGoing(w.as(w.bob), session.ID); fault.KindOf(err) != fault.NotFound {
			t.Errorf("a stranger keeps it: %v", err)
		}
		other := w.newService() // of another process
		check(t, other.KeepGoing(w.as(w.ann), session.ID))
		if still, err := w.store.Still(t.Context(), stale); still || err != nil {
			t.Errorf("a stop that was decided before it was kept goes on: %v", err)
		}
		w.service = w.newService()
		w.run(w.service)
		w.clock.advance(59 * time.Minute)
		check(t, w.service.reconcile(t.Context(), w.service.Engines[0]))
		if got := w.row(session.ID); got.Status != Running {
			t.Fatalf("it is %s: %s", got.Status, got.StatusReason)
		}
		w.clock.advance(time.Minute)
		if got, want := w.waitFor(session.ID, Finished), "It stayed idle after it was kept going, so it was stopped. Its work is kept."; got.StatusReason != want {
			t.Errorf("the reason is %q", got.StatusReason)
		}
		wantKind(t, w.service.KeepGoing(w.as(w.ann), session.ID), fault.Conflict)
	})
}

func TestTimesAsPeopleSayThem(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		time.Hour: "1 hour", 8 * time.Hour: "8 hours", 90 * time.Minute: "90 minutes", 24 * time.Hour: "1 day", 72 * time.Hour: "3 days", time.Minute: "1 minute",
	} {
		if got := humanDuration(d); got != want {
			t.Errorf("%s: got %q, want %q", d, got, want)
		}
	}
}

func TestIdleSessionsAreStoppedAndTheirWorkIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.options.Idle = hourAndWorkday
	w.service = w.newService()
	kill := w.run(w.service)
	idle, busy, watched := w.running("idle"), w.running("busy"), w.running("watched")
	w.machine.Put(idle.ID, "notes.txt", "kept")
	began := w.clock.Now()
	w.machine.Report(idle.ID, engine.Activity{LastAt: began.Add(20 * time.Second)}, "")
	w.machine.Report(busy.ID, engine.Activity{LastAt: began, Busy: true}, "")
	w.machine.Report(watched.ID, engine.Activity{LastAt: began, Connections: 1}, "The disk is nearly full.")
	w.clock.advance(30 * time.Second)
	eventually(t, "the card says when it would stop", func() bool {
		got := w.row(idle.ID)
		return got.StopsAt != nil && got.LastActivityAt != nil && got.LastActivityAt.Equal(began) && got.StopsAt.Equal(began.Add(61*time.Minute))
	})
	eventually(t, "a busy session would not stop", func() bool { return w.row(busy.ID).StopsAt == nil })
	eventually(t, "a warning is shown", func() bool { return w.row(watched.ID).Warning == "The disk is nearly full." })

	w.clock.advance(time.Hour + 30*time.Second)
	if got, want := w.waitFor(idle.ID, Finished), "It was idle for 1 hour, so it was stopped. Its work is kept."; got.StatusReason != want || got.StopsAt != nil {
		t.Errorf("the reason is %q, it stops at %v", got.StatusReason, got.StopsAt)
	}
	var work strings.Builder
	if err := w.service.Archive(t.Context(), w.row(idle.ID), &work); err != nil || !strings.Contains(work.String(), "notes.txt") {
		t.Errorf("the work is gone: %v", err)
	}
	check(t, w.service.reconcile(t.Context(), w.service.Engines[0]))
	if w.row(busy.ID).Status != Running || w.row(watched.ID).Status != Running {
		t.Error("a busy or watched session was stopped")
	}

	// Another limit counts from the next start on, for sessions that run already.
	kill()
	w.options.Idle = IdleLimits{Closed: time.Minute, Open: 30 * time.Minute}
	w.service = w.newService()
	w.run(w.service)
	got := w.waitFor(watched.ID, Finished)
	if want := "Its open tabs were idle for 30 minutes, so it was stopped. Its work is kept."; got.StatusReason != want || got.Warning != "" {
		t.Errorf("the reason is %q, the warning %q", got.StatusReason, got.Warning)
	}
	if w.row(busy.ID).Status != Running {
		t.Error("a busy session was stopped")
	}
}

// unreachableEngine can't ask the kernels of its sessions.
type unreachableEngine struct{ engine.Engine }

func (e unreachableEngine) Idle(ctx context.Context, id string) (bool, error) {
	_, err := e.Engine.Idle(ctx, id) // which counts the question
	return false, errors.Join(err, fault.New(fault.Unavailable, "The hub doesn't answer."))
}

func TestNoSessionIsStoppedBeforeItsKernelsAnswer(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		occupied bool
		around   func(engine.Engine) engine.Engine
	}{
		"a cell whose kernel claims to be idle": {true, func(e engine.Engine) engine.Engine { return e }},
		"a server that can't be asked":          {false, func(e engine.Engine) engine.Engine { return unreachableEngine{e} }},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.options.Idle = hourAndWorkday
			w.service = w.newService()
			kill := w.run(w.service)
			session := w.running("Session")
			kill()
			local := w.service.Engines[0]
			hindered := NamedEngine{Engine: test.around(local.Engine), Name: local.Name}
			look := func(at NamedEngine, asked int) {
				t.Helper()
				for range 3 {
					check(t, w.service.reconcile(t.Context(), at))
					eventually(t, "nothing is under way", func() bool { return !w.service.isInFlight(session.ID) })
				}
				if got := w.machine.Asked(session.ID); got != asked {
					t.Fatalf("the kernels were asked %d times, want %d", got, asked)
				}
			}
			w.machine.Occupy(session.ID, test.occupied)
			w.machine.Report(session.ID, engine.Activity{LastAt: w.clock.Now()}, "")
			w.clock.advance(59 * time.Minute)
			look(hindered, 0)
			for asked := range 3 {
				w.clock.advance(time.Hour)
				look(hindered, asked+1)
				if got := w.row(session.ID); got.Status != Running || !got.StopsAt.Equal(w.clock.Now().Add(time.Hour)) {
					t.Fatalf("it is %s and stops at %v", got.Status, got.StopsAt)
				}
				w.machine.Report(session.ID, engine.Activity{LastAt: w.clock.Now()}, "") // so the server takes the question
			}
			w.machine.Occupy(session.ID, false)
			w.clock.advance(time.Hour)
			look(local, 4)
			w.waitFor(session.ID, Finished)
		})
	}
}

func TestOpenWebsocketsAreOpenTabs(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, hostForm)
	session := w.running("Session")
	w.openSocket(session, w.enter(session, w.ann))
	if got := w.service.openSockets(session.ID); got != 1 {
		t.Errorf("%d open tabs are counted, want 1", got)
	}
	check(t, w.service.EndAccess(w.as(w.ann)))
	eventually(t, "the closed one is not counted", func() bool { return w.service.openSockets(session.ID) == 0 })
	w.visit(http.MethodGet, w.inside(session, "tree"))
	if got := w.service.openSockets(session.ID); got != 0 {
		t.Errorf("a plain request is counted as an open tab")
	}
}
