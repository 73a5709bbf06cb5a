package fake

import (
	"context"
	"io"
	"net"

	"cairn/internal/sessions/engine"
)

// DialShell implements engine.ShellDialer. What is sent comes back.
func (e *Engine) DialShell(_ context.Context, id string) (net.Conn, error) {
	e.store.mu.Lock()
	known := e.store.sessions[id]
	running := known != nil && known.server != nil
	e.store.mu.Unlock()
	if !running {
		return nil, engine.ErrNotRunning
	}
	near, far := net.Pipe()
	go func() {
		_, _ = io.Copy(far, far)
		_ = far.Close()
	}()
	return near, nil
}

// OfferEditors lets sessions be used in VS Code, which is their server's handler, too.
func (s *Store) OfferEditors() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hasEditors = true
}

// HasEditor implements engine.EditorEngine.
func (e *Engine) HasEditor() bool {
	e.store.mu.Lock()
	defer e.store.mu.Unlock()
	return e.store.hasEditors
}

// Editor implements engine.EditorEngine.
func (e *Engine) Editor(ctx context.Context, id string) (engine.Target, error) {
	return e.Target(ctx, id)
}
