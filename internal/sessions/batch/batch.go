// Package batch runs sessions for the catalog itself, in which programs execute entries, on the first engine of this machine
// that can. They take places like sessions of people, only while nobody waits, and give them up as soon as somebody does.
//
// Which places they have is in the table batch_place (sessions.BatchSlots); the package holds no state. It may import sessions,
// sizes and the contract of engines.
package batch

import (
	"cmp"
	"context"

	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/sizes"
)

// Service starts and ends batch sessions.
type Service struct {
	Engines  sizes.Engines
	Slots    *sessions.BatchSlots
	Resolver *sessions.Resolver
	Changes  *sessions.Changes
}

// Engine returns the engine of batch sessions; NotRunnable if no configured engine can run them.
func (s *Service) Engine() (sizes.Engine, engine.Runner, error) { return s.Engines.Batch() }

// Start starts a batch session, unless somebody waits for a place, none is free, or as many batch sessions as
// share have one; it reports whether it did. The session runs until End.
func (s *Service) Start(ctx context.Context, spec engine.Spec, share int) (started bool, err error) {
	one, _, err := s.Engine()
	if err != nil {
		return false, err
	}
	names, capacity := s.Engines.Sharing(one)
	if started, err = s.Slots.Take(ctx, spec.ID, one.Name, names, capacity, share); !started || err != nil {
		return false, err
	}
	bounded, cancel := context.WithTimeout(ctx, sizes.CallTime)
	defer cancel()
	return true, one.Start(bounded, spec)
}

// All returns the ids of all batch sessions that have a place, and which of them have to give it up.
func (s *Service) All(ctx context.Context) (all, preempted []string, err error) {
	slots, err := s.Slots.On(ctx)
	for _, slot := range slots {
		all = append(all, slot.ID)
		if slot.Preempted {
			preempted = append(preempted, slot.ID)
		}
	}
	return all, preempted, err
}

// End removes a batch session from its engine, with everything that it wrote, and frees its place. An unknown one is not an
// error.
func (s *Service) End(ctx context.Context, id string) error {
	one, _, err := s.Engine()
	if err != nil {
		return err
	}
	if err := one.Remove(ctx, id); err != nil {
		return err
	}
	if err := s.Slots.Free(ctx, id); err != nil {
		return err
	}
	s.Changes.Announce()
	return nil
}

// Changed returns a channel that is closed when the next session changes.
func (s *Service) Changed() <-chan struct{} { return s.Changes.Next() }

// Spec returns what a batch session of an entry holds: what somebody without an account could start, as its sources have it
// now. Ref is a branch, tag or commit of its repository, and file a path in it; both may be empty.
func (s *Service) Spec(ctx context.Context, id, entry, ref, file string, network bool) (engine.Spec, error) {
	contents, err := s.Resolver.PublicContents(ctx, entry)
	if err != nil {
		return engine.Spec{}, err
	}
	made := contents.Session
	made.ID = id
	readable, err := s.Resolver.Readable(ctx, made)
	if err != nil {
		return engine.Spec{}, err
	}
	spec, err := s.Resolver.LatestSpec(ctx, made, readable)
	if err != nil {
		return engine.Spec{}, err
	}
	if spec.Repository.URL != "" {
		spec.Repository.Ref = cmp.Or(ref, spec.Repository.Ref)
		spec.Open = cmp.Or(file, spec.Open)
	}
	one, _, err := s.Engine()
	if err != nil {
		return engine.Spec{}, err
	}
	if size, fits := one.ForBatch(made.Source.Needs); fits {
		spec.Profile = size.Spec()
	}
	spec.Batch = &engine.Batch{Network: network}
	return spec, nil
}
