package jupyterhub

import (
	"math/rand/v2"
	"sync"
	"time"

	"cairn/internal/foundation/fault"
)

const (
	breakAfter    = 3 // failures in a row
	shortestBreak = time.Second
	longestBreak  = 5 * time.Second
)

// breaker keeps calls away from a hub that doesn't answer: after some failures in a row there are no calls for a while,
// then one call tries, and each further failure doubles the pause.
type breaker struct {
	now       func() time.Time
	recovered chan struct{} // has room for one; filled when the hub answers after a failure

	// mu guards the fields below.
	mu       sync.Mutex
	failures int
	until    time.Time // no call before this
	trying   bool      // one call is trying
	cause    error
}

// allow returns why the hub can't be called now, or nil; then the caller has to report the result with tell.
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

// report records the result of a call: a nil cause means that the hub answered, whatever the answer.
func (b *breaker) report(cause error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.trying = false
	if cause == nil {
		if b.failures > 0 {
			select {
			case b.recovered <- struct{}{}:
			default:
			}
		}
		b.failures, b.cause = 0, nil
		return
	}
	b.failures++
	b.cause = cause
	if b.failures >= breakAfter {
		pause := min(longestBreak, shortestBreak<<min(b.failures-breakAfter, 10))
		b.until = b.now().Add(pause*3/4 + rand.N(pause/2)) //nolint:gosec // spreads calls; not for secrets
	}
}
