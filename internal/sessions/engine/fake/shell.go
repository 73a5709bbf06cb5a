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
