package sessions

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"cairn/internal/catalog"
	"cairn/internal/fault"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/fake"
	"cairn/internal/sqldb"
)

// batch starts a batch session of the entry "tools"; it reports whether there was a place.
func (w *world) batch(share int) (id string, started bool) {
	w.t.Helper()
	id = sqldb.NewID()
	spec, err := w.service.BatchSpec(w.t.Context(), id, w.id("tools"), "", "", false)
	check(w.t, err)
	started, err = w.service.StartBatch(w.t.Context(), spec, share)
	check(w.t, err)
	return id, started
}

func (w *world) batches() (all, yielding []string) {
	w.t.Helper()
	all, yielding, err := w.service.Batches(w.t.Context())
	check(w.t, err)
	return all, yielding
}

func TestBatchSessionsGiveUpTheirPlacesToPeople(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.options.Capacity = 2
		w.service = w.newService()
		first, started := w.batch(1)
		if !started {
			t.Fatal("a batch session got no place, although all are free")
		}
		if id, started := w.batch(1); started || w.phase(id) != "" {
			t.Error("a second one got a place with a share of one")
		}
		w.clock.advance(time.Second)
		second, started := w.batch(2)
		if !started {
			t.Fatal("a second one got no place with a share of two")
		}
		if _, started := w.batch(3); started {
			t.Error("a third one got a place, although there are two")
		}
		w.run(w.service)
		person := w.start("one")
		eventually(t, "the younger batch session has to give up its place", func() bool {
			_, yielding := w.batches()
			return slices.Equal(yielding, []string{second})
		})
		if !w.row(person.ID).launchedAt.IsZero() {
			t.Error("a person's session is launched beside as many batch sessions as there are places")
		}
		if _, started := w.batch(3); started {
			t.Error("a batch session got a place while a person waits")
		}
		check(t, w.service.EndBatch(t.Context(), second))
		w.launched(person.ID)
		w.machine.Ready(person.ID)
		w.waitFor(person.ID, Running)
		all, yielding := w.batches()
		if !slices.Equal(all, []string{first}) || len(yielding) != 0 || w.phase(second) != "" {
			t.Errorf("places of %v, of which %v have to be given up; the ended one is %q", all, yielding, w.phase(second))
		}
		check(t, w.service.EndBatch(t.Context(), second)) // again
	})
}

// A place that is free by the count isn't taken while somebody waits for the engine to have room.
func TestNoBatchSessionStartsWhileSomebodyWaits(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		full := fake.Outcome{Full: "There is no room."}
		w.machine = fake.NewStore(func(engine.Spec) fake.Outcome { return full }, nil, w.clock.Now)
		w.service = w.newService()
		w.run(w.service)
		person := w.start("one")
		eventually(t, "the engine has refused it", func() bool { return !w.row(person.ID).refusedAt.IsZero() && w.row(person.ID).queued() })
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
		changed := w.service.Changed()
		check(t, w.service.reconcile(t.Context(), w.service.Engines[0]))
		select {
		case <-changed:
			t.Error("a pass at which nothing happens wakes everybody, so passes never end")
		default:
		}
		if w.service.isInFlight(known) {
			t.Error("a batch session with a place is taken for a stray")
		}
		stray := sqldb.NewID()
		spec, err := w.service.BatchSpec(t.Context(), stray, w.id("tools"), "", "", false)
		check(t, err)
		check(t, w.service.Engines[0].Start(t.Context(), spec))
		w.run(w.service)
		eventually(t, "the stray is stopped", func() bool { return w.phase(stray) != engine.Starting })
		if w.phase(known) != engine.Starting {
			t.Errorf("the batch session with a place is %s", w.phase(known))
		}
	})
}

// A batch session holds what somebody without an account may see.
func TestBatchSpec(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	spec, err := w.service.BatchSpec(t.Context(), "an-id", w.id("tools"), "v1", "sub/a.ipynb", true)
	check(t, err)
	if spec.ID != "an-id" || spec.Repository.URL == "" || spec.Repository.Ref != "v1" || spec.Open != "sub/a.ipynb" || spec.Batch == nil || !spec.Batch.Network {
		t.Errorf("the spec is %+v", spec)
	}
	w.addEntries(catalog.Resource{ExternalID: "alone", Type: catalog.Notebook, NotebookPath: "https://example.org/alone.ipynb"})
	spec, err = w.service.BatchSpec(t.Context(), "an-id", w.id("alone"), "", "", false)
	check(t, err)
	if want, _ := (knownNotebooks{}).Latest(t.Context(), "https://example.org/alone.ipynb"); !bytes.Equal(spec.Notebook.Content, want) {
		t.Errorf("the notebook is %q, not the latest", spec.Notebook.Content)
	}
	w.publish("kept", catalog.Repository, "https://github.com/example/kept.git", catalog.PrivacyPrivate)
	_, err = w.service.BatchSpec(t.Context(), "an-id", w.id("kept"), "", "", false)
	wantKind(t, err, fault.NotFound)
}

func TestOnlyEnginesOfThisMachineRunBatchSessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.service.Engines[0].Local = false
	_, _, err := w.service.BatchEngine()
	wantKind(t, err, fault.Invalid)
	_, err = w.service.StartBatch(t.Context(), engine.Spec{}, 1)
	wantKind(t, err, fault.Invalid)
}
