package jupyterhub

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"cairn/internal/sessions/engine"
)

// Engine implements engine.Engine on a JupyterHub.
type Engine struct {
	options   Options
	hub       *client
	users     *users
	agent     *agent
	driver    *driver
	sharing   *sharing
	runs      *runs
	kernels   *kernels
	signer    signer
	processID string // identifies this process among our servers
	changed   chan struct{}

	background context.Context // ends with Close
	cancel     context.CancelFunc
	work       sync.WaitGroup
	installs   atomic.Bool // the hub installs packages
	fronts     atomic.Bool // its sessions can have VS Code and SSH
	dead       atomic.Bool // set by tests: from then on nothing is written, as after kill -9

	// mu guards the fields below.
	mu       sync.Mutex
	closed   bool
	sessions map[string]*session
	health   error         // why sessions can't be started now
	seenAt   time.Time     // when all servers were last seen
	looked   chan struct{} // closed after the first look at the hub and its agent
}

var (
	_ engine.EnvironmentPlanner = (*Engine)(nil)
	_ engine.LaunchStopper      = (*Engine)(nil)
	_ engine.Meter              = (*Engine)(nil)
)

func (e *Engine) isClosed() bool { return e.background.Err() != nil }

// begin counts one more piece of work, unless the engine is closed.
func (e *Engine) begin() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.closed {
		e.work.Add(1)
	}
	return !e.closed
}

// add creates a session that has no record yet.
func (e *Engine) add(id string) *session {
	e.mu.Lock()
	defer e.mu.Unlock()
	if known := e.sessions[id]; known != nil {
		return known
	}
	known := newSession(e, id)
	e.sessions[id] = known
	return known
}

func (e *Engine) all() []*session {
	e.mu.Lock()
	defer e.mu.Unlock()
	all := make([]*session, 0, len(e.sessions))
	for _, known := range e.sessions {
		all = append(all, known)
	}
	return all
}

func (e *Engine) signal() {
	select {
	case e.changed <- struct{}{}:
	default:
	}
}

// ignoreDropped treats a session that was just dropped as unknown.
func ignoreDropped(err error) error {
	if errors.Is(err, errDropped) {
		return nil
	}
	return err
}
