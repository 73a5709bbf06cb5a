package reconcile_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/reconcile"
	"cairn/internal/sessions/sessionstest"
	"cairn/internal/sessions/sizes"
)

func TestKeepingOutlivesTheServer(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.Options.Idle = sessionstest.HourAndWorkday
		w.Server = w.NewService()
		kill := w.Run(w.Server)
		session := w.Running("Session")
		began := w.Clock.Now()
		w.Machine.Report(session.ID, engine.Activity{LastAt: began}, "")
		sessionstest.Eventually(t, "it is known when it stops", func() bool { return w.Row(session.ID).StopsAt != nil })
		w.Clock.Advance(50 * time.Minute)
		for range 3 { // repeating it adds nothing
			sessionstest.Check(t, keepGoing(w.As(w.Ann), w.Server, session.ID))
		}
		kept := began.Add(110 * time.Minute)
		if got := w.Row(session.ID); !got.StopsAt.Equal(kept) || !got.LastActivityAt.Equal(began) {
			t.Fatalf("it stops at %s, and was active at %s", got.StopsAt, got.LastActivityAt)
		}
		stale := w.Row(session.ID)
		kill()
		w.Clock.Advance(20 * time.Minute)
		if err := keepGoing(w.As(w.Bob), w.Server, session.ID); fault.KindOf(err) != fault.NotFound {
			t.Errorf("a stranger keeps it: %v", err)
		}
		other := w.NewService() // of another process
		sessionstest.Check(t, keepGoing(w.As(w.Ann), other, session.ID))
		if still, err := w.Store.Still(t.Context(), stale); still || err != nil {
			t.Errorf("a stop that was decided before it was kept goes on: %v", err)
		}
		w.Server = w.NewService()
		w.Run(w.Server)
		w.Clock.Advance(59 * time.Minute)
		sessionstest.Check(t, w.Server.Pass(t.Context()))
		if got := w.Row(session.ID); got.Status != sessions.Running {
			t.Fatalf("it is %s: %s", got.Status, got.StatusReason)
		}
		w.Clock.Advance(time.Minute)
		if got, want := w.WaitFor(session.ID, sessions.Finished), "It stayed idle after it was kept going, so it was stopped. Its work is kept."; got.StatusReason != want {
			t.Errorf("the reason is %q", got.StatusReason)
		}
		sessionstest.WantKind(t, keepGoing(w.As(w.Ann), w.Server, session.ID), fault.Conflict)
	})
}

func TestIdleSessionsAreStoppedAndTheirWorkIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Options.Idle = sessionstest.HourAndWorkday
	w.Server = w.NewService()
	kill := w.Run(w.Server)
	idle, busy, watched := w.Running("idle"), w.Running("busy"), w.Running("watched")
	w.Machine.Put(idle.ID, "notes.txt", "kept")
	began := w.Clock.Now()
	w.Machine.Report(idle.ID, engine.Activity{LastAt: began.Add(20 * time.Second)}, "")
	w.Machine.Report(busy.ID, engine.Activity{LastAt: began, Busy: true}, "")
	w.Machine.Report(watched.ID, engine.Activity{LastAt: began, Connections: 1}, "The disk is nearly full.")
	w.Clock.Advance(30 * time.Second)
	sessionstest.Eventually(t, "the card says when it would stop", func() bool {
		got := w.Row(idle.ID)
		return got.StopsAt != nil && got.LastActivityAt != nil && got.LastActivityAt.Equal(began) && got.StopsAt.Equal(began.Add(61*time.Minute))
	})
	sessionstest.Eventually(t, "a busy session would not stop", func() bool { return w.Row(busy.ID).StopsAt == nil })
	sessionstest.Eventually(t, "a warning is shown", func() bool { return w.Row(watched.ID).Warning == "The disk is nearly full." })

	w.Clock.Advance(time.Hour + 30*time.Second)
	if got, want := w.WaitFor(idle.ID, sessions.Finished), "It was idle for 1 hour, so it was stopped. Its work is kept."; got.StatusReason != want || got.StopsAt != nil {
		t.Errorf("the reason is %q, it stops at %v", got.StatusReason, got.StopsAt)
	}
	var work strings.Builder
	if err := w.Server.Work.Archive(t.Context(), w.Row(idle.ID), "", &work); err != nil || !strings.Contains(work.String(), "notes.txt") {
		t.Errorf("the work is gone: %v", err)
	}
	sessionstest.Check(t, w.Server.Pass(t.Context()))
	if w.Row(busy.ID).Status != sessions.Running || w.Row(watched.ID).Status != sessions.Running {
		t.Error("a busy or watched session was stopped")
	}

	// Another limit counts from the next start on, for sessions that run already.
	kill()
	w.Options.Idle = reconcile.IdleLimits{Closed: time.Minute, Open: 30 * time.Minute}
	w.Server = w.NewService()
	w.Run(w.Server)
	got := w.WaitFor(watched.ID, sessions.Finished)
	if want := "Its open tabs were idle for 30 minutes, so it was stopped. Its work is kept."; got.StatusReason != want || got.Warning != "" {
		t.Errorf("the reason is %q, the warning %q", got.StatusReason, got.Warning)
	}
	if w.Row(busy.ID).Status != sessions.Running {
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
			w.Options.Idle = sessionstest.HourAndWorkday
			w.Server = w.NewService()
			kill := w.Run(w.Server)
			session := w.Running("Session")
			kill()
			local := w.Server.Engines.All[0]
			hindered := sizes.Engine{Engine: test.around(local.Engine), Name: local.Name}
			look := func(at sizes.Engine, asked int) {
				t.Helper()
				for range 3 {
					sessionstest.Check(t, w.Server.Reconciler.PassOver(t.Context(), at))
					sessionstest.Eventually(t, "nothing is under way", func() bool { return !w.Server.Reconciler.IsBusy(session.ID) })
				}
				if got := w.Machine.Asked(session.ID); got != asked {
					t.Fatalf("the kernels were asked %d times, want %d", got, asked)
				}
			}
			w.Machine.Occupy(session.ID, test.occupied)
			w.Machine.Report(session.ID, engine.Activity{LastAt: w.Clock.Now()}, "")
			w.Clock.Advance(59 * time.Minute)
			look(hindered, 0)
			for asked := range 3 {
				w.Clock.Advance(time.Hour)
				look(hindered, asked+1)
				if got := w.Row(session.ID); got.Status != sessions.Running || !got.StopsAt.Equal(w.Clock.Now().Add(time.Hour)) {
					t.Fatalf("it is %s and stops at %v", got.Status, got.StopsAt)
				}
				w.Machine.Report(session.ID, engine.Activity{LastAt: w.Clock.Now()}, "") // so the server takes the question
			}
			w.Machine.Occupy(session.ID, false)
			w.Clock.Advance(time.Hour)
			look(local, 4)
			w.WaitFor(session.ID, sessions.Finished)
		})
	}
}

func TestOpenWebsocketsAreOpenTabs(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, sessionstest.HostForm)
	session := w.Running("Session")
	w.OpenSocket(session, w.Enter(session, w.Ann))
	if got := w.OpenSockets(session.ID); got != 1 {
		t.Errorf("%d open tabs are counted, want 1", got)
	}
	w.SignOut(w.Ann)
	sessionstest.Eventually(t, "the closed one is not counted", func() bool { return w.OpenSockets(session.ID) == 0 })
	w.Visit(http.MethodGet, w.Inside(session, "tree"))
	if got := w.OpenSockets(session.ID); got != 0 {
		t.Errorf("a plain request is counted as an open tab")
	}
}

// keepGoing keeps a session going as its page does.
func keepGoing(ctx context.Context, server *sessionstest.Server, id string) error {
	session, err := server.Own(ctx, id)
	if err != nil {
		return err
	}
	return server.Reconciler.KeepGoing(ctx, session)
}
