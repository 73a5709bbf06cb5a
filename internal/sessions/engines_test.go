package sessions

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"cairn/internal/fault"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/fake"
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
	hanging := hangingEngine{Engine: fake.New(fake.NewStore(nil, nil, w.clock.Now)), released: make(chan struct{}), asked: &atomic.Int64{}}
	w.options.Engines = nil
	service := w.newService()
	service.Engines = append([]NamedEngine{{Engine: hanging, Name: "hub"}}, service.Engines...)
	w.service = NewService(w.store, w.entries, w.people, service.Options) // with a way to wake each engine
	w.run(w.service)
	waits, err := w.service.Start(w.as(w.ann), w.projects["notes"], "waits", "hub", "", "")
	check(t, err)
	runs, err := w.service.Start(w.as(w.ann), w.projects["notes"], "runs", "local", "", "")
	check(t, err)
	w.launched(runs.ID)
	w.machine.Ready(runs.ID)
	w.waitFor(runs.ID, Running)
	if _, err := w.service.Terminate(w.as(w.ann), runs.ID); err != nil || w.row(runs.ID).Status != Terminated {
		t.Errorf("a stop beside an engine that hangs: %s, %v", w.row(runs.ID).Status, err)
	}
	if got := w.row(waits.ID); got.Status != Created || hanging.asked.Load() != 1 {
		t.Errorf("%s after %d questions", got.Status, hanging.asked.Load())
	}
	close(hanging.released)
	w.launched(waits.ID)
}

// deadEngine refuses every question.
type deadEngine struct{ engine.Engine }

func (deadEngine) List(context.Context) ([]engine.Status, error) {
	return nil, fault.New(fault.Unavailable, "The hub isn't responding.")
}

func TestLaunchOnAnEngineThatDoesNotAnswerIsGivenUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.service.Capacity = 1
	session, queued := w.start("Session"), w.start("queued")
	dead := NamedEngine{Engine: deadEngine{w.service.Engines[0].Engine}, Name: "local", Local: true}
	cause := w.service.reconcile(t.Context(), dead)
	wantKind(t, cause, fault.Unavailable)
	since := w.clock.Now()
	w.clock.advance(launchDeadline)
	w.service.giveUp(t.Context(), dead, since, cause)
	if got := w.row(session.ID); got.Status != Created {
		t.Fatalf("%s before the deadline", got.Status)
	}
	w.clock.advance(time.Second)
	w.service.giveUp(t.Context(), dead, since, cause)
	if got, want := w.row(session.ID), "Its engine isn't responding. The hub isn't responding."; got.Status != Failed || got.StatusReason != want {
		t.Errorf("got %s, %q", got.Status, got.StatusReason)
	}
	if got := w.row(queued.ID); got.Status != Created {
		t.Errorf("one that is queued became %s", got.Status)
	}
}

// muteEngine never signals a change.
type muteEngine struct{ engine.Engine }

func (muteEngine) Changed() <-chan struct{} { return nil }

func TestChangesWithoutASignalAreSeen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.service = w.newService()
	w.service.Engines[0].Engine = muteEngine{w.service.Engines[0].Engine}
	w.run(w.service)
	session := w.start("Session")
	w.launched(session.ID)
	w.machine.Ready(session.ID)
	w.waitFor(session.ID, Running)
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
	w.service.signTime = time.Hour
	busy := busyEngine{Engine: w.service.Engines[0].Engine, signs: make(chan struct{}), asked: &atomic.Int64{}}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.service.reconcileEngine(ctx, NamedEngine{Engine: busy, Name: "local", Local: true})
	}()
	busy.signs <- struct{}{}
	w.service.announce() // a wish waits for no interval
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
	session := w.start("Session")
	check(t, w.service.Engines[0].Start(t.Context(), specOf(session)))
	watched := watchedEngine{Engine: w.service.Engines[0].Engine, stops: make(chan string, 1)}
	reports, err := watched.List(t.Context())
	check(t, err)
	w.service.stopStrays(t.Context(), NamedEngine{Engine: watched, Name: "local"}, reports, map[string]bool{})
	eventually(t, "it was looked at", func() bool { return !w.service.isInFlight(session.ID) })
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
	w.run(w.service)
	session := w.running("Session")
	check(t, w.store.Request(t.Context(), []string{session.ID}, Terminated))
	stale := w.row(session.ID)
	w.waitFor(session.ID, Terminated)
	if _, err := w.service.Restart(w.as(w.ann), session.ID); err != nil {
		t.Fatal(err)
	}
	w.launched(session.ID)
	w.machine.Ready(session.ID)
	w.waitFor(session.ID, Running)
	other := w.newService()
	watched := watchedEngine{Engine: other.Engines[0].Engine, stops: make(chan string, 1)}
	check(t, other.act(t.Context(), NamedEngine{Engine: watched, Name: "local"}, stale, action{do: stop, status: Terminated}, nil))
	eventually(t, "it was looked at", func() bool { return !other.isInFlight(session.ID) })
	if w.row(session.ID).Status != Running || w.phase(session.ID) != engine.Running {
		t.Errorf("it is %s, and the engine says %q", w.row(session.ID).Status, w.phase(session.ID))
	}
}
