package reconcile_test

import (
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
	w := newWorld(t)
	hub := fake.NewStore(nil, nil, w.Clock.Now)
	w.Options.Engines.All = append(w.Options.Engines.All, sizes.Engine{Engine: fake.New(hub), Name: "hub"})
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
