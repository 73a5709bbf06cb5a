package localjupyter

import (
	"sync"
	"sync/atomic"

	"cairn/internal/sessions/files/folders"
	"cairn/internal/sessions/files/workers"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/files/checkout"
	"cairn/internal/sessions/files/datasets"
	"cairn/internal/sessions/files/disk"
	"cairn/internal/sessions/files/environments"
	"cairn/internal/sessions/files/history"
	"cairn/internal/sessions/machine/sandbox"

	"golang.org/x/sync/singleflight"
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
	workers       *workers.Workers
	remover       *folders.Remover
	kernels       kernelList
	sharedAccount int    // that owns what sessions share; 0 if they have no separate ones
	elsewhere     string // where sessions of another level of isolation may be; or empty
	blocked       error  // why no session can start here although the programs exist
	crashed       bool   // the engine before this one was killed
	changed       chan struct{}

	editors singleflight.Group // by session: one start of VS Code at a time

	dead atomic.Bool // set by tests: from then on nothing is changed, as after kill -9

	// mu guards the field below.
	mu       sync.Mutex
	sessions map[string]*session
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

// pickAccount returns an account that nobody has.
func pickAccount(box *sandbox.Sandbox) (int, error) {
	number, err := box.PickAccount()
	if err != nil {
		return 0, fault.Wrap(err, fault.Unavailable, "No account is free for a session. Delete sessions you no longer need.")
	}
	return number, nil
}

// mapped returns what becomes of each session.
func mapped[T any](sessions []*session, into func(*session) T) []T {
	list := make([]T, len(sessions))
	for i, one := range sessions {
		list[i] = into(one)
	}
	return list
}
