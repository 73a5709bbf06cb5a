package reconcile_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/fake"
	"cairn/internal/sessions/sessionstest"
	"cairn/internal/sessions/sizes"
)

// hangingEngine answers nothing until it is let go, and then as the engine behind it.
type hangingEngine struct {
	engine.Engine

	released chan struct{}
	asked    *atomic.Int64
}

func (e hangingEngine) List(ctx context.Context) ([]engine.Status, error) {
	e.asked.Add(1)
	select {
	case <-e.released:
		return e.Engine.List(ctx)
	case <-ctx.Done():
		return nil, fault.Wrap(ctx.Err(), fault.Unavailable, "It hangs.")
	}
}

func TestEngineThatHangsHoldsNoOtherUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	hanging := hangingEngine{Engine: fake.New(fake.NewStore(nil, nil, w.Clock.Now)), released: make(chan struct{}), asked: &atomic.Int64{}}
	w.Options.Engines.All = append([]sizes.Engine{{Engine: hanging, Name: "hub"}}, w.Options.Engines.All...)
	w.Server = w.Open(w.Options)
	w.Run(w.Server)
	waits, err := w.Server.Start(w.As(w.Ann), w.Projects["notes"], "waits", "hub", "", "")
	sessionstest.Check(t, err)
	runs, err := w.Server.Start(w.As(w.Ann), w.Projects["notes"], "runs", "local", "", "")
	sessionstest.Check(t, err)
	w.Launched(runs.ID)
	w.Machine.Ready(runs.ID)
	w.WaitFor(runs.ID, sessions.Running)
	if _, err := w.Server.Terminate(w.As(w.Ann), runs.ID); err != nil || w.Row(runs.ID).Status != sessions.Terminated {
		t.Errorf("a stop beside an engine that hangs: %s, %v", w.Row(runs.ID).Status, err)
	}
	if got := w.Row(waits.ID); got.Status != sessions.Created || hanging.asked.Load() != 1 {
		t.Errorf("%s after %d questions", got.Status, hanging.asked.Load())
	}
	close(hanging.released)
	w.Launched(waits.ID)
}

// deadEngine refuses every question.
type deadEngine struct{ engine.Engine }

func (deadEngine) List(context.Context) ([]engine.Status, error) {
	return nil, fault.New(fault.Unavailable, "The hub isn't responding.")
}

func TestLaunchOnAnEngineThatDoesNotAnswerIsGivenUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Options.Engines.Capacity = 1
	w.Server = w.NewService()
	session, queued := w.Start("Session"), w.Start("queued")
	dead := sizes.Engine{Engine: deadEngine{w.Server.Engines.All[0].Engine}, Name: "local", Local: true}
	cause := w.Server.Reconciler.PassOver(t.Context(), dead)
	sessionstest.WantKind(t, cause, fault.Unavailable)
	since := w.Clock.Now()
	w.Clock.Advance(sizes.Engine{}.Patience())
	w.Server.Reconciler.GiveUp(t.Context(), dead, since, cause)
	if got := w.Row(session.ID); got.Status != sessions.Created {
		t.Fatalf("%s before the deadline", got.Status)
	}
	w.Clock.Advance(time.Second)
	w.Server.Reconciler.GiveUp(t.Context(), dead, since, cause)
	if got, want := w.Row(session.ID), "Its engine isn't responding. The hub isn't responding."; got.Status != sessions.Failed || got.StatusReason != want {
		t.Errorf("got %s, %q", got.Status, got.StatusReason)
	}
	if got := w.Row(queued.ID); got.Status != sessions.Created {
		t.Errorf("one that is queued became %s", got.Status)
	}
}

// muteEngine never signals a change.
type muteEngine struct{ engine.Engine }

func (muteEngine) Changed() <-chan struct{} { return nil }

func TestChangesWithoutASignalAreSeen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.OpenAround(func(one engine.Engine) engine.Engine { return muteEngine{one} })
	w.Run(w.Server)
	session := w.Start("Session")
	w.Launched(session.ID)
	w.Machine.Ready(session.ID)
	w.WaitFor(session.ID, sessions.Running)
}

// busyEngine signals on demand.
type busyEngine struct {
	engine.Engine

	signs chan struct{}
	asked *atomic.Int64
}

func (e busyEngine) Changed() <-chan struct{} { return e.signs }

func (e busyEngine) List(ctx context.Context) ([]engine.Status, error) {
	e.asked.Add(1)
	return e.Engine.List(ctx)
}

func TestEngineThatSignalsAllTheTimeIsLookedAtNowAndThen(t *testing.T) {
	w := newWorld(t)
	w.Server.Reconciler.SignInterval = time.Hour
	busy := busyEngine{Engine: w.Server.Engines.All[0].Engine, signs: make(chan struct{}), asked: &atomic.Int64{}}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	run := w.Server.Reconciler.AddLoop(sizes.Engine{Engine: busy, Name: "local", Local: true})
	go func() {
		defer close(ended)
		run(ctx)
	}()
	busy.signs <- struct{}{}
	w.Server.Changes.Announce() // a wish waits for no interval
	busy.signs <- struct{}{}
	cancel()
	<-ended
	if got := busy.asked.Load(); got != 2 {
		t.Errorf("%d looks, want one at the start and one for the wish", got)
	}
}

// Another process may launch a session between this one's look at the database and its look at the engine.
func TestSessionThatAnotherProcessLaunchedIsNoStray(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.Start("Session")
	sessionstest.Check(t, w.Server.Engines.All[0].Start(t.Context(), w.SpecOf(session)))
	watched := watchedEngine{Engine: w.Server.Engines.All[0].Engine, stops: make(chan string, 1)}
	reports, err := watched.List(t.Context())
	sessionstest.Check(t, err)
	w.Server.Reconciler.StopStrays(t.Context(), sizes.Engine{Engine: watched, Name: "local"}, reports)
	sessionstest.Eventually(t, "it was looked at", func() bool { return !w.Server.Reconciler.IsBusy(session.ID) })
	select {
	case <-watched.stops:
		t.Error("it was stopped")
	default:
	}
}

// A look that has become stale must not stop what was started again since.
func TestStaleStopsAreNotCarriedOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Run(w.Server)
	session := w.Running("Session")
	sessionstest.Check(t, w.Store.Request(t.Context(), []string{session.ID}, sessions.Terminated))
	stale := w.Row(session.ID)
	w.WaitFor(session.ID, sessions.Terminated)
	if _, err := w.Server.Restart(w.As(w.Ann), session.ID); err != nil {
		t.Fatal(err)
	}
	w.Launched(session.ID)
	w.Machine.Ready(session.ID)
	w.WaitFor(session.ID, sessions.Running)
	other := w.NewService()
	watched := watchedEngine{Engine: other.Engines.All[0].Engine, stops: make(chan string, 1)}
	sessionstest.Check(t, other.Reconciler.Stop(t.Context(), sizes.Engine{Engine: watched, Name: "local"}, stale))
	sessionstest.Eventually(t, "it was looked at", func() bool { return !other.Reconciler.IsBusy(session.ID) })
	if w.Row(session.ID).Status != sessions.Running || w.Phase(session.ID) != engine.Running {
		t.Errorf("it is %s, and the engine says %q", w.Row(session.ID).Status, w.Phase(session.ID))
	}
}

// pausedEngine pauses the first call of Start.
type pausedEngine struct {
	engine.Engine

	arrived, goOn chan struct{}
}

func (e pausedEngine) Start(ctx context.Context, spec engine.Spec) error {
	close(e.arrived)
	<-e.goOn
	return e.Engine.Start(context.WithoutCancel(ctx), spec)
}

// One server claims a launch and pauses. Meanwhile another one carries it out, and the session ends.
func TestALateLaunchDoesNotStartWhatHasEnded(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		session := w.Start("Session")
		local, paused := w.Server.Engines.All[0], pausedEngine{w.Server.Engines.All[0].Engine, make(chan struct{}), make(chan struct{})}
		late := make(chan error, 1)
		go func() {
			late <- w.NewService().Reconciler.PassOver(t.Context(), sizes.Engine{Engine: paused, Name: local.Name, Local: true})
		}()
		<-paused.arrived
		sessionstest.Check(t, w.Server.Pass(t.Context()))
		w.Machine.Ready(session.ID)
		sessionstest.Check(t, w.Server.Pass(t.Context()))
		w.Machine.End(session.ID, true, "")
		close(paused.goOn)
		sessionstest.Check(t, <-late)
		sessionstest.Check(t, w.Server.Pass(t.Context()))
		if got := w.Row(session.ID); got.Status != sessions.Finished || w.Machine.Launches(session.ID) != 1 {
			t.Errorf("it is %s after %d launches", got.Status, w.Machine.Launches(session.ID))
		}
	})
}
