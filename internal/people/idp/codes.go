package idp

import (
	"crypto/rand"
	"maps"
	"sync"
	"time"
)

const codeLifetime = time.Minute

// codes holds the authorization codes that wait to be exchanged. Only people who signed in get one, and each lives for
// a minute, so they are kept in memory.
type codes struct {
	mu      sync.Mutex
	waiting map[string]*codeGrant // by the hash of the code
}

func newCodes() *codes { return &codes{waiting: map[string]*codeGrant{}} }

// issue creates a code for a grant.
func (c *codes) issue(g *codeGrant, now time.Time) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.waiting, func(_ string, old *codeGrant) bool { return !now.Before(old.expiresAt) })
	code := rand.Text()
	g.expiresAt = now.Add(codeLifetime)
	c.waiting[cookieKey(code)] = g
	return code
}

// redeem exchanges a code. Each works once.
func (c *codes) redeem(code string, now time.Time) (*codeGrant, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.waiting[cookieKey(code)]
	delete(c.waiting, cookieKey(code))
	return found, ok && now.Before(found.expiresAt)
}
