package reconcile_test

import (
	"context"
	"io"
	"testing"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/fake"
	"cairn/internal/sessions/sessionstest"
	"cairn/internal/sessions/sizes"
)

// withHub adds a second engine that keeps versions.
func withHub(t *testing.T) (*world, *fake.Store) {
	t.Helper()
	return withSlowHub(t, func(hub *fake.Engine) engine.Engine { return hub })
}

// withSlowHub is withHub of which some calls take long.
func withSlowHub(t *testing.T, slow func(hub *fake.Engine) engine.Engine) (*world, *fake.Store) {
	t.Helper()
	w := newWorld(t)
	hub := fake.NewStore(nil, nil, w.Clock.Now)
	w.Options.Engines.All = append(w.Options.Engines.All, sizes.Engine{Engine: slow(fake.New(hub)), Name: "hub"})
	w.Options.Engines.VersionQuota = 10_000
	w.Options.Limit = 10
	w.Server = w.Open(w.Options)
	w.Run(w.Server)
	return w, hub
}

// A version of one engine begins a session on another.
func TestAVersionBeginsASessionOnAnotherEngine(t *testing.T) {
	t.Parallel()
	w, hub := withHub(t)
	first := w.Running("First")
	version := w.Saved(first.ID, map[string]string{"a.txt": "one"})
	w.Saved(first.ID, map[string]string{"a.txt": "two"})
	second := w.StartFrom(sessions.StartRequest{FromVersion: &engine.FromVersion{Session: first.ID, Version: version.ID}, Engine: "hub"})
	if second.Engine != "hub" {
		t.Fatalf("it is on %q", second.Engine)
	}
	w.Launched(second.ID)
	if text := hub.Work(second.ID, "a.txt"); text != "one" {
		t.Errorf("it begins with %q", text)
	}
	for _, name := range []string{"absent", "Hub"} {
		_, err := w.Server.StartFrom(w.As(w.Ann), sessions.StartRequest{FromVersion: &engine.FromVersion{Session: first.ID, Version: version.ID}, Engine: name})
		if fault.CodeOf(err) != fault.EngineUnknown {
			t.Errorf("on %q: %v", name, err)
		}
	}
}

// endless takes work until nobody sends it any more.
type endless struct {
	*fake.Engine

	begun, ended chan struct{}
	left         time.Duration // that the transfer may take
}

func (e *endless) ImportWork(ctx context.Context, _, _ string, _ io.Reader) error {
	until, _ := ctx.Deadline()
	e.left = time.Until(until)
	close(e.begun)
	<-ctx.Done()
	close(e.ended)
	return ctx.Err()
}

// While work is sent, which may take many minutes, other sessions of the engine go on. Deleting the session ends it.
func TestATransferHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	slow := &endless{begun: make(chan struct{}), ended: make(chan struct{})}
	w, _ := withSlowHub(t, func(hub *fake.Engine) engine.Engine { slow.Engine = hub; return slow })
	first := w.Running("First")
	version := w.Saved(first.ID, map[string]string{"a.txt": "one"})
	second := w.StartFrom(sessions.StartRequest{FromVersion: &engine.FromVersion{Session: first.ID, Version: version.ID}, Engine: "hub"})
	<-slow.begun
	if slow.left < 10*time.Minute {
		t.Errorf("a transfer may take %v", slow.left)
	}
	third := w.StartFrom(sessions.StartRequest{ResourceID: w.ID("tools"), Engine: "hub"})
	w.Launched(third.ID)
	if now := w.Row(second.ID); now.Status != sessions.Created {
		t.Errorf("it is %s", now.Status)
	}
	sessionstest.Check(t, w.Server.Delete(w.As(w.Ann), []string{second.ID}, true))
	<-slow.ended
}

// starter takes work at once, and lets a test see how long its starts may take.
type starter struct {
	*fake.Engine

	sent  time.Time
	until chan time.Time
}

func (s *starter) ImportWork(ctx context.Context, id, owner string, r io.Reader) error {
	defer func() { s.sent = time.Now() }()
	return s.Engine.ImportWork(ctx, id, owner, r)
}

func (s *starter) Start(ctx context.Context, spec engine.Spec) error {
	until, _ := ctx.Deadline()
	s.until <- until
	return s.Engine.Start(ctx, spec)
}

// However long the work took, the start has all of its own time.
func TestAStartHasItsTimeAfterATransfer(t *testing.T) {
	t.Parallel()
	hub := &starter{until: make(chan time.Time, 10)}
	w, _ := withSlowHub(t, func(one *fake.Engine) engine.Engine { hub.Engine = one; return hub })
	first := w.Running("First")
	version := w.Saved(first.ID, map[string]string{"a.txt": "one"})
	second := w.StartFrom(sessions.StartRequest{FromVersion: &engine.FromVersion{Session: first.ID, Version: version.ID}, Engine: "hub"})
	w.Launched(second.ID)
	if until := <-hub.until; until.Before(hub.sent.Add(sizes.CallTime)) {
		t.Errorf("the start has until %v, the work was there at %v", until, hub.sent)
	}
}

// silent doesn't answer what its versions take until it's released.
type silent struct {
	*fake.Engine

	asked    chan struct{}
	released chan struct{}
}

func (s *silent) History(context.Context, string) (engine.History, error) {
	select {
	case s.asked <- struct{}{}:
	default:
	}
	<-s.released
	return engine.History{}, nil
}

// An engine that doesn't say what its versions take holds up no session of another one.
func TestASilentEngineHoldsNobodyElseUp(t *testing.T) {
	t.Parallel()
	hub := &silent{asked: make(chan struct{}, 1), released: make(chan struct{})}
	w, _ := withSlowHub(t, func(one *fake.Engine) engine.Engine { hub.Engine = one; return hub })
	t.Cleanup(func() { close(hub.released) })
	w.Running("First")
	w.Clock.Advance(2 * time.Minute)
	w.Server.Changes.Announce()
	<-hub.asked
	w.Running("Second")
}

// What an account's versions take on one engine is no longer there for the other.
func TestTheQuotaIsThatOfAllEngines(t *testing.T) {
	t.Parallel()
	w, hub := withHub(t)
	first := w.Running("First")
	w.Saved(first.ID, map[string]string{"a.txt": string(make([]byte, 4000))})
	second := w.StartFrom(sessions.StartRequest{ResourceID: w.ID("tools"), Engine: "hub"})
	w.Launched(second.ID)
	hub.Ready(second.ID)
	w.WaitFor(second.ID, sessions.Running)
	sessionstest.Eventually(t, "the hub knows", func() bool {
		stored, err := w.Server.Engines.StoredVersions(t.Context(), "ann@example.org", "hub")
		sessionstest.Check(t, err)
		w.Clock.Advance(time.Second) // what it was told is told again each minute
		w.Server.Changes.Announce()
		return stored >= 4000 && hub.Limit("ann@example.org") == 10_000-stored
	})
	page, err := w.Server.Work.Versions(w.As(w.Ann), first.ID, "", 0, 10)
	sessionstest.Check(t, err)
	if page.Account.QuotaBytes != 10_000 || page.Account.StoredBytes < 4000 {
		t.Errorf("she sees %+v", page.Account)
	}
}
