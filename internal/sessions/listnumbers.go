package sessions

import (
	"sync"
	"time"
)

// listNumbers caches the number of the last commit that changed an account's list of sessions. This process's own writes
// update it, and Notice for those of other processes; so an unchanged list costs no query.
type listNumbers struct {
	reading sync.Mutex // only one goroutine at a time reads changes by others
	mu      sync.Mutex
	seq     int64            // the number up to which all commits are known
	known   map[string]int64 // by account
	trusted time.Time        // until when the cache can be trusted to have missed no other process's commit; by the system's clock
}

// note never replaces a number by an older one: a late reader may come with one.
func (n *listNumbers) note(accountID string, seq int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.known == nil {
		n.known = map[string]int64{}
	}
	n.known[accountID] = max(n.known[accountID], seq)
}

// changes collects the accounts whose lists a transaction changes.
type changes struct{ accounts map[string]struct{} }

func (c *changes) of(accountID string) { c.accounts[accountID] = struct{}{} }

// followTrust is how long a change by another process may stay unseen.
const followTrust = 2 * time.Second
