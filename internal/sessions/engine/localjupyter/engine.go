package localjupyter

import (
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"cairn/internal/fault"
	"cairn/internal/sandbox"
	"cairn/internal/sessions/engine/localjupyter/checkout"
	"cairn/internal/sessions/engine/localjupyter/datasets"
	"cairn/internal/sessions/engine/localjupyter/disk"
	"cairn/internal/sessions/engine/localjupyter/environments"
	"cairn/internal/sessions/engine/localjupyter/history"
)

// sessionVariable marks all processes of a session in their environment. Sessions that earlier versions started have it.
const sessionVariable = "CAIRN_SESSION_ID"

// Engine implements engine.Engine with Jupyter processes on this machine.
type Engine struct {
	*history.Access

	// The fields below don't change once the engine is open.
	options       Options
	sandbox       *sandbox.Sandbox
	environments  *environments.Installer
	repositories  *checkout.Repositories
	datasets      *datasets.Store
	disks         *disk.Guard
	versions      *history.Manager
	sockets       *sockets
	workers       *workers
	remover       *remover
	sharedAccount int    // that owns what sessions share; 0 if they have no separate ones
	elsewhere     string // where sessions of another level of isolation may be; or empty
	blocked       error  // why no session can start here although the programs exist
	crashed       bool   // the engine before this one was killed
	changed       chan struct{}

	dead atomic.Bool // set by tests: from then on nothing is changed, as after kill -9

	// mu guards the field below.
	mu       sync.Mutex
	sessions map[string]*session
}

func (e *Engine) gitConfig() string { return filepath.Join(e.options.Dir, "gitconfig") }

// isPinned reports whether a live session uses an entry of a cache.
func (e *Engine) isPinned(key string) bool {
	return slices.ContainsFunc(e.all(), func(known *session) bool { return known.live() && known.pins.IsPinned(key) })
}

func (e *Engine) find(id string) *session {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.sessions[id]
}

// forget takes a session out of the list.
func (e *Engine) forget(id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.sessions, id)
}

func (e *Engine) findOrMake(id string) *session {
	e.mu.Lock()
	defer e.mu.Unlock()
	known := e.sessions[id]
	if known == nil {
		known = e.newSession(id)
		e.sessions[id] = known
	}
	return known
}

// pickAccount returns an account that nobody has.
func (e *Engine) pickAccount() (int, error) {
	number, err := e.sandbox.PickAccount()
	if err != nil {
		return 0, fault.Wrap(err, fault.Unavailable, "No account is free for a session. Delete sessions you no longer need.")
	}
	return number, nil
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

// findWork returns the work of a session, for its versions; nil if there is none.
func (e *Engine) findWork(id string) *history.Work {
	if known := e.find(id); known != nil {
		return known.work
	}
	return nil
}

// allWork returns the work of all sessions.
func (e *Engine) allWork() []*history.Work {
	var list []*history.Work
	for _, known := range e.all() {
		list = append(list, known.work)
	}
	return list
}

// diskSessions returns the sessions that the disks' guard may measure and stop.
func (e *Engine) diskSessions() []disk.Session {
	var list []disk.Session
	for _, known := range e.all() {
		list = append(list, known)
	}
	return list
}

func (e *Engine) signal() {
	select {
	case e.changed <- struct{}{}:
	default:
	}
}
