package jupyterhub

import (
	"math/rand/v2"
	"sync"
	"time"

	"cairn/internal/fault"
)

const (
	breakAfter    = 3 // failures in a row
	shortestBreak = time.Second
	longestBreak  = 5 * time.Second
)

// breaker keeps calls from a hub that does not answer: after some failures in a row nobody asks it for a while, then one
// call tries, and each further failure doubles the while.
type breaker struct {
	now func() time.Time

	mu       sync.Mutex
	failures int
	until    time.Time // no call before this
	trying   bool      // one call is on its way to find out
	cause    error
}

// allow returns the reason why the hub is not asked now, or nil; then the caller has to tell how the call went.
func (b *breaker) allow() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failures < breakAfter {
		return nil
	}
	if now := b.now(); b.trying || now.Before(b.until) {
		broken := fault.Wrap(b.cause, fault.EngineUnavailable, "%s", fault.MessageOf(b.cause))
		broken.RetryAfter = max(time.Second, b.until.Sub(now))
		return broken
	}
	b.trying = true
	return nil
}

// tell notes how a call went: a nil cause means that the hub answered, whatever the answer.
func (b *breaker) tell(cause error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.trying = false
	if cause == nil {
		b.failures, b.cause = 0, nil
		return
	}
	b.failures++
	b.cause = cause
	if b.failures >= breakAfter {
		pause := min(longestBreak, shortestBreak<<min(b.failures-breakAfter, 10))
		b.until = b.now().Add(pause*3/4 + rand.N(pause/2)) //nolint:gosec // spreads calls; nothing secret
	}
}
