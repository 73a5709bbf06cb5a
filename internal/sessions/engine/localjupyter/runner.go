package localjupyter

import (
	"context"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
)

// Head implements engine.Runner.
func (e *Engine) Head(ctx context.Context, repository engine.Repository) (string, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(e.workers.Closing(), cancel)()
	return e.repositories.Head(ctx, repository)
}

// Environment implements engine.Runner.
func (e *Engine) Environment(ctx context.Context, id, language string) (engine.Installed, error) {
	known := e.find(id)
	if known == nil {
		return engine.Installed{}, engine.ErrNotRunning
	}
	known.mu.Lock()
	running, python, r, jupyter := known.record.Phase == engine.Running, known.record.Python, known.record.R, known.record.Jupyter
	known.mu.Unlock()
	if !running {
		return engine.Installed{}, engine.ErrNotRunning
	}
	if python == "" {
		return engine.Installed{}, fault.New(fault.Unavailable, "What the session runs with isn't known, because an earlier version of Cairn started it. Restart the session.")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(e.workers.Closing(), cancel)()
	switch {
	case engine.SameLanguage(language, engine.Python.Language):
		return e.environments.Installed(ctx, python, jupyter)
	case engine.SameLanguage(language, "R"):
		return e.environments.InstalledR(ctx, r, jupyter)
	default:
		return engine.Installed{}, nil
	}
}

// PlanEnvironment implements engine.EnvironmentPlanner.
func (e *Engine) PlanEnvironment(read func(path string) (string, error)) (engine.Environment, error) {
	return e.environments.PlanEnvironment(read)
}
