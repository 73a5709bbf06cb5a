package sessions

import (
	"cmp"
	"context"
	"slices"

	"cairn/internal/fault"
	"cairn/internal/sessions/engine"
)

// Batch sessions run entries for the catalog itself, on the first engine of this machine that can. They take places like
// sessions of people, only while nobody waits, and give them up as soon as somebody does.

// RunsBatches reports whether an engine runs batch sessions.
func (e NamedEngine) RunsBatches() bool {
	_, runs := e.Engine.(engine.Runner)
	return runs && e.Local
}

// BatchEngine returns the engine of batch sessions; NotRunnable if no configured engine can run them.
func (s *Service) BatchEngine() (NamedEngine, engine.Runner, error) {
	for _, one := range s.Engines {
		if one.RunsBatches() {
			runner, _ := one.Engine.(engine.Runner)
			return one, runner, nil
		}
	}
	return NamedEngine{}, nil, fault.New(fault.NotRunnable, "Entries aren't run on this server.")
}

// StartBatch starts a batch session, unless somebody waits for a place, none is free, or as many batch sessions as
// share have one; it reports whether it did. The session runs until EndBatch.
func (s *Service) StartBatch(ctx context.Context, spec engine.Spec, share int) (started bool, err error) {
	one, _, err := s.BatchEngine()
	if err != nil {
		return false, err
	}
	names, capacity := s.sharing(one)
	if started, err = s.store.takePlace(ctx, spec.ID, one.Name, names, capacity, share); !started || err != nil {
		return false, err
	}
	bounded, cancel := context.WithTimeout(ctx, engineTime)
	defer cancel()
	return true, one.Start(bounded, spec)
}

// Batches returns the ids of all batch sessions that have a place, and which of them have to give it up.
func (s *Service) Batches(ctx context.Context) (all, yielding []string, err error) {
	places, err := places(ctx, s.store.db, nil)
	for _, place := range places {
		all = append(all, place.id)
		if place.yields {
			yielding = append(yielding, place.id)
		}
	}
	return all, yielding, err
}

// EndBatch removes a batch session from its engine, with everything that it wrote, and frees its place. Unknown ones: nil.
func (s *Service) EndBatch(ctx context.Context, id string) error {
	one, _, err := s.BatchEngine()
	if err != nil {
		return err
	}
	if err := one.Remove(ctx, id); err != nil {
		return err
	}
	if err := s.store.freePlace(ctx, id); err != nil {
		return err
	}
	s.announce()
	return nil
}

// Changed returns a channel that is closed when the next session changes.
func (s *Service) Changed() <-chan struct{} { return s.changed.next() }

// waiting counts the sessions in a queue.
func waiting(live []Session) (count int) {
	for _, session := range live {
		if session.queued() {
			count++
		}
	}
	return count
}

// yielding returns the batch sessions that give up their places to as many who wait: the youngest, which have done least.
func yielding(places []place, wanted int) (ids []string) {
	for _, place := range slices.Backward(places) {
		if len(ids) < wanted {
			ids = append(ids, place.id)
		}
	}
	return ids
}

// BatchSpec returns what a batch session of an entry holds: what somebody without an account could start. Ref is a branch, tag
// or commit of its repository, and file a path in it; both may be empty.
func (s *Service) BatchSpec(ctx context.Context, id, entry, ref, file string, network bool) (engine.Spec, error) {
	content, err := s.holdForAll(ctx, entry)
	if err != nil {
		return engine.Spec{}, err
	}
	made := content.made
	made.ID = id
	readable, err := s.projects.Readable(ctx, "", made.ids())
	if err != nil {
		return engine.Spec{}, err
	}
	spec := made.spec(s.Sources, readable)
	if made.origin.Notebook != "" { // what is said of a notebook holds for it as it is now, not as it was a few minutes ago
		spec.Notebook.Content, err = s.Notebooks.Latest(ctx, made.origin.Notebook)
	} else {
		err = s.addNotebook(ctx, made, &spec)
	}
	if err != nil {
		return engine.Spec{}, err
	}
	if spec.Repository.URL != "" {
		spec.Repository.Ref = cmp.Or(ref, spec.Repository.Ref)
		spec.Open = cmp.Or(file, spec.Open)
	}
	if needs := made.origin.Needs; needs != nil {
		one, _, err := s.BatchEngine()
		if err != nil {
			return engine.Spec{}, err
		}
		if size, fits := smallest(one.sizes(Audience.Everyone), needs); fits {
			spec.Profile = size.spec()
		}
	}
	spec.Batch = &engine.Batch{Network: network}
	return spec, nil
}
