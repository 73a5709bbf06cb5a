package batch_test

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/fake"
	"cairn/internal/sessions/sessionstest"
)

// batch starts a batch session of the entry "tools"; it reports whether there was a place.
func (w *world) batch(share int) (id string, started bool) {
	w.T.Helper()
	id = sqldb.NewID()
	spec, err := w.Server.Batch.Spec(w.T.Context(), id, w.ID("tools"), "", "", false)
	sessionstest.Check(w.T, err)
	started, err = w.Server.Batch.Start(w.T.Context(), spec, share)
	sessionstest.Check(w.T, err)
	return id, started
}

func (w *world) batches() (all, yielding []string) {
	w.T.Helper()
	all, yielding, err := w.Server.Batch.All(w.T.Context())
	sessionstest.Check(w.T, err)
	return all, yielding
}

func TestBatchSessionsGiveUpTheirPlacesToPeople(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.Options.Engines.Capacity = 2
		w.Server = w.NewService()
		first, started := w.batch(1)
		if !started {
			t.Fatal("a batch session got no place, although all are free")
		}
		if id, started := w.batch(1); started || w.Phase(id) != "" {
			t.Error("a second one got a place with a share of one")
		}
		w.Clock.Advance(time.Second)
		second, started := w.batch(2)
		if !started {
			t.Fatal("a second one got no place with a share of two")
		}
		if _, started := w.batch(3); started {
			t.Error("a third one got a place, although there are two")
		}
		w.Run(w.Server)
		person := w.Start("one")
		sessionstest.Eventually(t, "the younger batch session has to give up its place", func() bool {
			_, yielding := w.batches()
			return slices.Equal(yielding, []string{second})
		})
		if !w.Row(person.ID).LaunchedAt.IsZero() {
			t.Error("a person's session is launched beside as many batch sessions as there are places")
		}
		if _, started := w.batch(3); started {
			t.Error("a batch session got a place while a person waits")
		}
		sessionstest.Check(t, w.Server.Batch.End(t.Context(), second))
		w.Launched(person.ID)
		w.Machine.Ready(person.ID)
		w.WaitFor(person.ID, sessions.Running)
		all, yielding := w.batches()
		if !slices.Equal(all, []string{first}) || len(yielding) != 0 || w.Phase(second) != "" {
			t.Errorf("places of %v, of which %v have to be given up; the ended one is %q", all, yielding, w.Phase(second))
		}
		sessionstest.Check(t, w.Server.Batch.End(t.Context(), second)) // again
	})
}

// A place that is free by the count isn't taken while somebody waits for the engine to have room.
func TestNoBatchSessionStartsWhileSomebodyWaits(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		full := fake.Outcome{Full: "There is no room."}
		w.Machine = fake.NewStore(func(engine.Spec) fake.Outcome { return full }, nil, w.Clock.Now)
		w.Server = w.NewService()
		w.Run(w.Server)
		person := w.Start("one")
		sessionstest.Eventually(t, "the engine has refused it", func() bool { return !w.Row(person.ID).RefusedAt.IsZero() && w.Row(person.ID).Queued() })
		if _, started := w.batch(1); started {
			t.Error("a batch session got a place while a person waits")
		}
	})
}

// The reconciler stops sessions on an engine that nobody knows, and leaves batch sessions alone as long as they have a place.
func TestBatchSessionsAreNoStrays(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		known, _ := w.batch(1)
		changed := w.Server.Changes.Next()
		sessionstest.Check(t, w.Server.Pass(t.Context()))
		select {
		case <-changed:
			t.Error("a pass at which nothing happens wakes everybody, so passes never end")
		default:
		}
		if w.Server.Reconciler.IsBusy(known) {
			t.Error("a batch session with a place is taken for a stray")
		}
		stray := sqldb.NewID()
		spec, err := w.Server.Batch.Spec(t.Context(), stray, w.ID("tools"), "", "", false)
		sessionstest.Check(t, err)
		sessionstest.Check(t, w.Server.Engines.All[0].Start(t.Context(), spec))
		w.Run(w.Server)
		sessionstest.Eventually(t, "the stray is stopped", func() bool { return w.Phase(stray) != engine.Starting })
		if w.Phase(known) != engine.Starting {
			t.Errorf("the batch session with a place is %s", w.Phase(known))
		}
	})
}

// A batch session holds what somebody without an account may see.
func TestBatchSpec(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	spec, err := w.Server.Batch.Spec(t.Context(), "an-id", w.ID("tools"), "v1", "sub/a.ipynb", true)
	sessionstest.Check(t, err)
	if spec.ID != "an-id" || spec.Repository.URL == "" || spec.Repository.Ref != "v1" || spec.Open != "sub/a.ipynb" || spec.Batch == nil || !spec.Batch.Network {
		t.Errorf("the spec is %+v", spec)
	}
	w.AddEntries(catalog.Entry{ExternalID: "alone", Type: catalog.Notebook, NotebookPath: "https://example.org/alone.ipynb"})
	spec, err = w.Server.Batch.Spec(t.Context(), "an-id", w.ID("alone"), "", "", false)
	sessionstest.Check(t, err)
	if want, _ := (sessionstest.KnownNotebooks{}).Latest(t.Context(), "https://example.org/alone.ipynb"); !bytes.Equal(spec.Notebook.Content, want) {
		t.Errorf("the notebook is %q, not the latest", spec.Notebook.Content)
	}
	w.Publish("kept", catalog.Repository, "https://github.com/example/kept.git", catalog.PrivacyPrivate)
	_, err = w.Server.Batch.Spec(t.Context(), "an-id", w.ID("kept"), "", "", false)
	sessionstest.WantKind(t, err, fault.NotFound)
}

// plainEngine is an engine that can do nothing but run sessions of people, or can't run batch sessions at the moment.
type plainEngine struct{ engine.Engine }

type idleRunner struct{ engine.Runner }

func (idleRunner) RunsBatches() bool { return false }

func TestOnlyEnginesThatCanRunBatchSessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	all := w.Server.Engines.All
	able := all[0].Engine
	for _, unable := range []engine.Engine{plainEngine{able}, idleRunner{able.(engine.Runner)}} {
		all[0].Engine = unable
		_, _, err := w.Server.Batch.Engine()
		sessionstest.WantKind(t, err, fault.Invalid)
		_, err = w.Server.Batch.Start(t.Context(), engine.Spec{}, 1)
		sessionstest.WantKind(t, err, fault.Invalid)
	}
	all[0].Engine = able
	if one, _, err := w.Server.Batch.Engine(); err != nil || one.Name != all[0].Name {
		t.Errorf("batch sessions run on %q, %v", one.Name, err)
	}
	w.Server.Batch.Engines.Runs = "another"
	_, _, err := w.Server.Batch.Engine()
	sessionstest.WantKind(t, err, fault.Invalid)
}
