package work

import (
	"sync"
	"time"

	"cairn/internal/foundation/fault"
)

// archivesAtOnce is how many downloads of work a server sends at once.
const archivesAtOnce = 4

// archives counts the downloads of work that are under way.
type archives struct {
	mu      sync.Mutex
	packing map[string]bool // protected by mu; ids of sessions
}

// begin reserves a place for a download of a session's work until end is called.
func (a *archives) begin(id string) (end func(), err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	busy := fault.New(fault.Unavailable, "This server is already sending %d downloads of work, the maximum at once. Try again in a moment.", archivesAtOnce)
	if a.packing[id] {
		busy = fault.New(fault.TooMany, "This session's work is already being downloaded. Wait until that's done, or cancel it and try again in a moment.")
		busy.Limit = "work_downloads"
	}
	busy.RetryAfter = 10 * time.Second
	if a.packing[id] || len(a.packing) >= archivesAtOnce {
		return nil, busy
	}
	if a.packing == nil {
		a.packing = map[string]bool{}
	}
	a.packing[id] = true
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.packing, id)
	}, nil
}
