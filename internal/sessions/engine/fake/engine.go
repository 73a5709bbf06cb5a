package fake

import (
	"context"
	"io"
	"maps"
	"slices"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/requirements"
)

// Engine implements engine.Engine on a Store.
type Engine struct {
	store   *Store
	changed chan struct{}
}

var (
	_ engine.EnvironmentPlanner = (*Engine)(nil)
	_ engine.Runner             = (*Engine)(nil)
)

// New opens an engine on the sessions of a store.
func New(store *Store) *Engine {
	opened := &Engine{store: store, changed: make(chan struct{}, 1)}
	store.mu.Lock()
	defer store.mu.Unlock()
	store.engines[opened] = struct{}{}
	store.findLost()
	return opened
}

// Check answers what Store.Miss was told.
func (e *Engine) Check(context.Context) error {
	e.store.mu.Lock()
	defer e.store.mu.Unlock()
	return e.store.missing
}

// Start launches the session as the store's script says; during a held stop it does so after it.
func (e *Engine) Start(_ context.Context, spec engine.Spec) error {
	if err := spec.Validate(); err != nil {
		return err
	}
	e.store.mu.Lock()
	defer e.store.mu.Unlock()
	if e.store.missing != nil {
		return e.store.missing
	}
	known := e.store.sessions[spec.ID]
	if known == nil {
		known = &session{files: map[string]file{}}
		if files := e.store.imported[spec.ID]; files != nil {
			known.files = files
			delete(e.store.imported, spec.ID)
		}
		e.store.sessions[spec.ID] = known
	}
	switch {
	case spec.IsLateAfter(known.spec):
		return nil
	case known.stopped != nil:
		known.spec, known.again = spec, true
		known.status = engine.Status{ID: spec.ID, Phase: engine.Starting, Steps: waitingSteps()}
	case known.status.Phase == engine.Starting || known.status.Phase == engine.Running:
		return nil
	default:
		known.spec = spec
		e.store.launch(known)
	}
	e.store.signal()
	return nil
}

// Stop ends the session, or waits while stops are held.
func (e *Engine) Stop(ctx context.Context, id string) error {
	return e.stop(ctx, id, engine.VersionStop)
}

func (e *Engine) stop(ctx context.Context, id string, cause engine.VersionCause) error {
	wait := e.store.beginStop(id, cause)
	if wait == nil {
		return nil
	}
	select {
	case <-wait:
		return nil
	case <-ctx.Done():
		return fault.Wrap(ctx.Err(), fault.Unavailable, "The session is still being stopped.")
	}
}

func (s *Store) beginStop(id string, cause engine.VersionCause) chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.sessions[id]
	switch {
	case known == nil || known.status.Phase == engine.Ended:
		return nil
	case known.stopped == nil && s.holdStops && known.status.Phase != engine.Failed:
		known.stopped, known.because = make(chan struct{}), cause
	case known.stopped == nil:
		known.because = cause
		s.finishStop(known)
	default:
		known.again = false
	}
	return known.stopped
}

// Remove stops the session and forgets it.
func (e *Engine) Remove(ctx context.Context, id string) error {
	if err := e.Stop(ctx, id); err != nil {
		return err
	}
	e.store.mu.Lock()
	defer e.store.mu.Unlock()
	if known := e.store.sessions[id]; known != nil {
		e.store.halt(known, engine.Ended, "")
		delete(e.store.sessions, id)
		e.store.signal()
	}
	return nil
}

// List returns all sessions by id.
func (e *Engine) List(context.Context) ([]engine.Status, error) {
	e.store.mu.Lock()
	defer e.store.mu.Unlock()
	list := make([]engine.Status, 0, len(e.store.sessions))
	for _, id := range slices.Sorted(maps.Keys(e.store.sessions)) {
		status := e.store.sessions[id].view()
		status.Log = ""
		list = append(list, status)
	}
	return list, nil
}

// Status returns one session.
func (e *Engine) Status(_ context.Context, id string) (engine.Status, error) {
	e.store.mu.Lock()
	defer e.store.mu.Unlock()
	known := e.store.sessions[id]
	if known == nil {
		return engine.Status{}, fault.New(fault.NotFound, "This session doesn't exist.")
	}
	return known.view(), nil
}

// Changed signals changes of the store.
func (e *Engine) Changed() <-chan struct{} { return e.changed }

// Target leads to the session's handler.
func (e *Engine) Target(_ context.Context, id string) (engine.Target, error) {
	e.store.mu.Lock()
	defer e.store.mu.Unlock()
	known := e.store.sessions[id]
	if known == nil || known.server == nil {
		return engine.Target{}, fault.New(fault.SessionNotRunning, "The session isn't running.")
	}
	return known.server.target(), nil
}

// Idle answers at once what the store's levers say.
func (e *Engine) Idle(_ context.Context, id string) (bool, error) {
	e.store.mu.Lock()
	defer e.store.mu.Unlock()
	known := e.store.sessions[id]
	if known == nil || known.server == nil {
		return false, fault.New(fault.SessionNotRunning, "The session isn't running.")
	}
	known.asked++
	return !known.occupied && !known.status.Activity.Busy, nil
}

// Usage returns what the store's levers say.
func (e *Engine) Usage(_ context.Context, id string) (engine.Usage, error) {
	e.store.mu.Lock()
	defer e.store.mu.Unlock()
	known := e.store.sessions[id]
	if known == nil || known.server == nil {
		return engine.Usage{}, fault.New(fault.SessionNotRunning, "The session isn't running.")
	}
	used := known.usage
	used.Warning = known.status.Warning
	return used, nil
}

// Archive writes the session's files.
func (e *Engine) Archive(_ context.Context, id string, w io.Writer) error {
	files, known := e.store.files(id)
	if !known {
		return fault.New(fault.NotFound, "This session doesn't exist.")
	}
	return writeArchive(files, w)
}

// Close releases the store; its sessions go on.
func (e *Engine) Close() error {
	e.store.mu.Lock()
	defer e.store.mu.Unlock()
	delete(e.store.engines, e)
	return nil
}

// PlanEnvironment implements engine.EnvironmentPlanner: everything that pip can install is installed.
func (e *Engine) PlanEnvironment(read func(path string) (string, error)) (engine.Environment, error) {
	wanted, err := requirements.Read(requirements.FromReader(read), []string{"cairn.yml"})
	return wanted.Environment(wanted.Packages, wanted.LeftOut()), err
}
