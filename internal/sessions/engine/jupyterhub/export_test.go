package jupyterhub

import (
	"context"
	"time"

	"cairn/internal/sessions/engine"
)

// Abandon is what kill -9 of our process does to its sessions: nothing. From now on the engine writes nothing and asks
// nothing.
func (e *Engine) Abandon() {
	e.dead.Store(true)
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.cancel()
	e.work.Wait()
	e.hub.transport.CloseIdleConnections()
}

// The times within which a server that was killed in the middle of a launch is followed.
const (
	Lease         = lease
	TakeOverEvery = takeOverEvery
)

// Holds reports whether this engine works on a session's launch.
func (e *Engine) Holds(id string) bool {
	e.mu.Lock()
	known := e.sessions[id]
	e.mu.Unlock()
	return known != nil && known.read().Holder == e.processID
}

// Permit returns the user options of a launch, as a hub gets them.
func Permit(token string, spec engine.Spec, launch int64, now time.Time) map[string]string {
	signer := signer{token: token, now: func() time.Time { return now }}
	options, err := signer.permit(record{Spec: spec, Launch: launch})
	if err != nil {
		panic(err)
	}
	return options
}

// Token returns a session's token, and the id by which the hub knows it.
func (e *Engine) Token(id string) (token, tokenID string) {
	e.mu.Lock()
	known := e.sessions[id]
	e.mu.Unlock()
	r := known.read()
	return r.Token, r.TokenID
}

// LookAtRecords does once what the engine does in intervals with the records of our other servers.
func (e *Engine) LookAtRecords(ctx context.Context) error {
	err := e.sharing.refresh(ctx)
	e.sharing.takeOver()
	return err
}
